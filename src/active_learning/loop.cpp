#include <algorithm>

#include "active_learning/active_learning.h"
#include "active_learning/state_file.h"

namespace dalaup {
namespace {

// Algorithm 1 on one split; the steps themselves are those of round.h.
class Loop {
 public:
  Loop(Aligner& aligner, const NetworkPair& networks, const Split& split, const LoopParams& params,
       Oracle& oracle, LoopState& state, Run& run)
      : aligner_(aligner),
        networks_(networks),
        split_(split),
        params_(params),
        oracle_(oracle),
        state_(state),
        run_(run),
        truth_(networks, whole(split), params.truth_is_complete) {}

  void begin() {
    const Stopwatch watch;
    refit_model(aligner_, networks_, state_.labels, false, run_);
    RoundResult result;
    result.refit_seconds = watch.seconds();
    measure(result, watch);
  }

  // False when nothing was left to ask.
  bool run_round() {
    const Stopwatch watch;
    const RoundResult& last = state_.rounds.back();
    RoundResult result;
    result.round = last.round + 1;
    result.answers = last.answers;
    result.positives = last.positives;
    if (!ask(result, watch)) return false;
    const bool is_same_fit = is_control() && !params_.warm;  // the same labels from scratch
    if (is_same_fit) {
      result.test = last.test;
      result.validation = last.validation;
      result.right = last.right;
      result.progress = last.progress;
      result.advice = last.advice;
      state_.rounds.push_back(result);
      return true;
    }
    const Stopwatch refit_watch;
    refit_model(aligner_, networks_, state_.labels, params_.warm, run_);
    result.refit_seconds = refit_watch.seconds();
    measure(result, watch);
    reward_arm(state_.bandit, result.strategy, state_.rounds.back().reward);
    return true;
  }

 private:
  static std::vector<UserPair> whole(const Split& split) {
    std::vector<UserPair> truth;
    for (const auto* part : {&split.initial, &split.validation, &split.test, &split.pool})
      truth.insert(truth.end(), part->begin(), part->end());
    return truth;
  }
  bool is_control() const { return params_.strategy == kControl; }

  bool is_plan() const { return params_.strategy == kStudyPlan; }

  std::vector<PlanAnswer> plan_answers() const {
    std::vector<PlanAnswer> answers;
    for (const AskedQuestion& asked : state_.asked)
      answers.push_back({&asked.question, asked.answer});
    return answers;
  }

  RoundChoice choose(const RoundResult& result, std::size_t batch_size) {
    const auto round = static_cast<std::uint64_t>(result.round);
    if (is_plan())
      return choose_by_plan({aligner_, state_.labels, state_.pool, round}, plan_answers(),
                            state_.rounds.back().progress, params_.plan, params_.query, batch_size,
                            run_);
    if (params_.strategy != kRandomAnchors && !is_control())
      return choose_round(
          state_.bandit, {aligner_, state_.labels, state_.pool, round},
          {.try_each_arm = params_.try_each_arm, .batch_size = batch_size, .query = params_.query},
          run_);
    RoundChoice choice = choose_arm(state_.bandit, round, params_.try_each_arm, run_);
    if (is_control()) return choice;
    const std::vector<UserPair> order = told_order(split_, run_);
    const std::size_t begin = std::min(result.answers, order.size());
    const std::size_t end = std::min(begin + batch_size, order.size());
    choice.questions = told_questions(std::span(order).subspan(begin, end - begin), aligner_);
    return choice;
  }

  bool ask(RoundResult& result, const Stopwatch& watch) {
    const std::size_t batch_size =
        std::min(params_.batch_size, params_.label_budget - result.answers);
    const RoundChoice choice = choose(result, batch_size);
    result.strategy = choice.strategy;
    result.exploration_probability = choice.exploration_probability;
    if (is_control()) {
      result.answers += batch_size;
      return true;
    }
    result.query_seconds = watch.seconds();
    for (const Question& question : choice.questions) {
      const Answer answer =
          params_.strategy == kRandomAnchors ? Answer::yes() : oracle_.answer(question);
      // In a study a no is a label, and the plan is that of a study.
      const bool trust_no = params_.trust_no || is_plan();
      if (record_answer(question, answer, trust_no, state_.labels, state_.pool))
        continue;  // only a wrong yes earlier in this batch can contradict
      state_.asked.push_back({result.round, question, answer});
      ++result.answers;
      if (answer.kind == Answer::Kind::kYes) ++result.positives;
    }
    return !choice.questions.empty();
  }

  void measure(RoundResult result, const Stopwatch& watch) {
    result.test = measure_model(aligner_, split_.test, run_);
    result.validation = measure_model(aligner_, split_.validation, run_);
    if (!state_.rounds.empty())
      result.reward = rise(result.validation, state_.rounds.back().validation);
    take_stock(result);
    result.seconds = watch.seconds();
    state_.rounds.push_back(std::move(result));
  }

  // What the model would export, how much of it is right, and what a study would advise.
  void take_stock(RoundResult& result) {
    std::vector<Match> matching = exported_matching(aligner_, run_);
    std::vector<ExportedPair> exported;
    exported.reserve(matching.size());
    for (const Match& match : matching) exported.push_back({match.pair, match.probability});
    const std::size_t known = state_.labels.anchors().size();
    const double wanted = params_.plan.wanted_precision;
    result.right = right_pairs(exported, known, truth_, wanted);
    AskedUsers users;
    for (const AskedQuestion& asked : state_.asked) users.add(asked.question);
    result.progress =
        progress_of(matching, state_.rounds.empty() ? nullptr : &state_.matching, users, wanted);
    result.progress.answers = result.answers;
    result.progress.yes = result.positives;
    result.progress.count_known(known);
    std::vector<RoundProgress> history;
    for (const RoundResult& round : state_.rounds) history.push_back(round.progress);
    history.push_back(result.progress);
    result.advice = name_of(stop_advice(history).reason);
    state_.matching = std::move(matching);
  }

  Aligner& aligner_;
  const NetworkPair& networks_;
  const Split& split_;
  const LoopParams& params_;
  Oracle& oracle_;
  LoopState& state_;
  Run& run_;
  TruthJudge truth_;
};

}  // namespace

LoopState begin_loop(const NetworkPair& networks, const Split& split, const LoopParams& params) {
  LoopState state{.labels = LabelSet(networks.a.user_count(), networks.b.user_count()),
                  .pool = Pool(networks.a.user_count(), networks.b.user_count()),
                  .bandit = Bandit(arms_of(params.strategy, params.arms)),
                  .rounds = {},
                  .asked = {}};
  for (const UserPair pair : split.initial) state.labels.add(pair, Label::kAnchor);
  state.pool.close(split.validation);
  state.pool.close(split.test);
  return state;
}

void run_loop(Aligner& aligner, const NetworkPair& networks, const Split& split,
              const LoopParams& params, Oracle& oracle, LoopState& state, Run& run,
              const std::function<void(const LoopState&)>& after_round) {
  Loop loop(aligner, networks, split, params, oracle, state, run);
  if (state.rounds.empty()) {
    loop.begin();
    if (after_round) after_round(state);
  }
  while (state.rounds.back().answers < params.label_budget && !state.pool_is_empty) {
    state.pool_is_empty = !loop.run_round();
    if (after_round && !state.pool_is_empty) after_round(state);
  }
}

LoopState run_kept_loop(Aligner& aligner, const NetworkPair& networks, const Split& split,
                        const LoopParams& params, Oracle& oracle, const KeptRun& kept, Run& run,
                        const std::function<void(const LoopState&)>& after_round) {
  LoopState state = begin_loop(networks, split, params);
  const bool is_kept = !kept.path.empty();
  if (is_kept && file_exists(kept.path)) {
    load_state(kept, networks, params, state, aligner, run);
    const bool goes_on = !state.pool_is_empty && state.rounds.back().answers < params.label_budget;
    if (goes_on) state.matching = exported_matching(aligner, run);
    if (after_round) after_round(state);
  }
  run_loop(aligner, networks, split, params, oracle, state, run, [&](const LoopState& now) {
    if (is_kept) save_state(kept, now, params.warm ? &aligner : nullptr);
    if (after_round) after_round(now);
  });
  return state;
}

}  // namespace dalaup
