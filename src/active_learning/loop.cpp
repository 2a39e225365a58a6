#include <algorithm>
#include <chrono>

#include "active_learning/active_learning.h"

namespace dalaup {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Metrics measure(const Aligner& aligner, std::span<const UserPair> anchors, Run& run) {
  return metrics_of(aligner.ranks(anchors, run));
}

double rise(const Metrics& now, const Metrics& before) {
  return 0.5 * (now.precision - before.precision + now.map - before.map);
}

// The next anchors of the pool in an order of their own, as questions answered yes, so that they
// are kept and counted as answers are.
std::vector<Question> told_anchors(const Split& split, std::size_t told, std::size_t count,
                                   const Aligner& aligner, const Run& run) {
  std::vector<UserPair> pool = split.pool;
  run.random("told anchors").shuffle(std::span(pool));
  std::vector<Question> questions;
  for (std::size_t place = told; place < std::min(told + count, pool.size()); ++place)
    questions.push_back({.kind = QuestionKind::kPair,
                         .side = Side::kA,
                         .user = pool[place].a,
                         .candidates = {pool[place].b},
                         .probabilities = {aligner.probability(pool[place])},
                         .strategy = kRandomAnchors});
  return questions;
}

}  // namespace

bool is_bandit(const std::string& strategy) {
  return strategy == "dalaup" || strategy == "dalaup-all";
}

std::vector<std::string> arms_of(const std::string& strategy,
                                 const std::vector<std::string>& arms) {
  if (strategy == "dalaup") return arms;
  if (strategy != "dalaup-all") return {strategy};
  std::vector<std::string> all;
  for (const StrategySummary& known : query_strategies()) all.push_back(known.name);
  return all;
}

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
  const bool asks = params.strategy != kControl;
  const bool tells = params.strategy == kRandomAnchors;
  const auto finish_round = [&](RoundResult result, const Stopwatch& watch) {
    result.test = measure(aligner, split.test, run);
    result.validation = measure(aligner, split.validation, run);
    if (!state.rounds.empty())
      result.reward = rise(result.validation, state.rounds.back().validation);
    result.seconds = watch.seconds();
    state.rounds.push_back(result);
  };

  if (state.rounds.empty()) {
    const Stopwatch watch;
    aligner.fit(networks, state.labels, run);
    RoundResult result;
    result.refit_seconds = watch.seconds();
    finish_round(result, watch);
    if (after_round) after_round(state);
  }
  while (state.rounds.back().answers < params.label_budget && !state.pool_is_empty) {
    const Stopwatch watch;
    RoundResult result;
    result.round = state.rounds.back().round + 1;
    result.answers = state.rounds.back().answers;
    result.positives = state.rounds.back().positives;
    const auto round = static_cast<std::uint64_t>(result.round);
    const std::size_t batch_size =
        std::min(params.batch_size, params.label_budget - result.answers);

    const Bandit::Choice choice =
        state.bandit.choose(result.round, run.random("bandit", round), params.try_each_arm);
    result.strategy = state.bandit.arms()[choice.arm].name;
    result.exploration_probability = choice.exploration_probability;
    if (asks) {
      const std::vector<Question> questions =
          tells ? told_anchors(split, result.answers, batch_size, aligner, run)
                : choose_questions(result.strategy, {aligner, state.labels, state.pool, round},
                                   params.query, batch_size, run);
      result.query_seconds = watch.seconds();
      for (const Question& question : questions) {
        const Answer answer = tells ? Answer::yes() : oracle.answer(question);
        if (record_answer(question, answer, params.trust_no, state.labels, state.pool))
          continue;  // only a wrong yes earlier in this batch can contradict
        state.asked.push_back({result.round, question, answer});
        ++result.answers;
        if (answer.kind == Answer::Kind::kYes) ++result.positives;
      }
      if (questions.empty()) {
        state.pool_is_empty = true;
        break;
      }
    } else {
      result.answers += batch_size;
    }
    const Stopwatch refit_watch;
    const bool is_same_fit = !asks && !params.warm;  // the same labels from scratch
    if (is_same_fit) {
      result.test = state.rounds.back().test;
      result.validation = state.rounds.back().validation;
      state.rounds.push_back(result);
      if (after_round) after_round(state);
      continue;
    }
    if (params.warm)
      aligner.refit(state.labels, run);
    else
      aligner.fit(networks, state.labels, run);
    result.refit_seconds = refit_watch.seconds();
    finish_round(result, watch);
    state.bandit.reward(choice.arm, state.rounds.back().reward);
    if (after_round) after_round(state);
  }
}

}  // namespace dalaup
