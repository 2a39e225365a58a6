#include "study/learner.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace dalaup {
namespace {

constexpr std::size_t kUsersCompared = 2000;  // whose best candidates are compared between rounds
constexpr std::size_t kRivals = 3;            // on either side
constexpr std::size_t kLikelyContacts = 8;

PlanParams plan_of(const LabellingParams& params) {
  return {.wanted_precision = params.wanted_precision,
          .audit_share = params.audit_share,
          .pick_until = params.pick_until,
          .take_off = params.take_off,
          .partner_share = params.partner_share,
          .form = params.questions};
}

bool is_same(const LabelSet& left, const LabelSet& right) {
  return std::ranges::equal(left.anchors(), right.anchors()) &&
         std::ranges::equal(left.negatives(), right.negatives());
}

void measure(const Aligner& aligner, const std::vector<UserPair>& validation, Round& round,
             Run& run) {
  round.validation_size = static_cast<std::int64_t>(validation.size());
  if (validation.empty()) return;
  const Metrics metrics = measure_model(aligner, validation, run);
  round.precision_at_30 = metrics.precision;
  round.map_at_30 = metrics.map;
}

std::vector<UserId> best_of_sample(const Aligner& aligner, Run& run) {
  const UserId users = aligner.networks().a.user_count();
  std::vector<UserId> sample(users);
  std::iota(sample.begin(), sample.end(), UserId{0});
  if (users > kUsersCompared) {
    const auto places = run.random("users compared").sample(users, kUsersCompared);
    sample.assign(places.begin(), places.end());
    std::ranges::sort(sample);
  }
  std::vector<UserId> best(sample.size(), kNoUser);
  const RankedLists lists = aligner.best_candidates(Side::kA, sample, 1, run);
  for (std::size_t place = 0; place < lists.size(); ++place)
    if (!lists[place].candidates.empty()) best[place] = lists[place].candidates.front().user;
  return best;
}

std::optional<double> agreement_of(const std::vector<UserId>& last,
                                   const std::vector<UserId>& now) {
  if (last.size() != now.size() || now.empty()) return std::nullopt;
  std::size_t same = 0;
  for (std::size_t place = 0; place < now.size(); ++place) same += last[place] == now[place];
  return static_cast<double>(same) / static_cast<double>(now.size());
}

std::vector<PlanAnswer> plan_answers(const LearningTask& task) {
  std::vector<PlanAnswer> answers;
  for (const PastAnswer& one : task.answers)
    answers.push_back({&one.question, one.answer, one.seconds});
  return answers;
}

// Without users whose partner is known and was kept back to measure by: an export does not add
// these, and they are counted as known already.
std::vector<Match> without_known(const std::vector<Match>& matching,
                                 std::span<const UserPair> known) {
  std::unordered_set<UserId> users[2];
  for (const UserPair pair : known)
    for (const Side side : {Side::kA, Side::kB}) users[index_of(side)].insert(pair.on(side));
  std::vector<Match> others;
  for (const Match& match : matching)
    if (!users[0].contains(match.pair.a) && !users[1].contains(match.pair.b))
      others.push_back(match);
  return others;
}

// What the model would export, how much of it moved, and what became of a final audit.
void take_stock(const LearningTask& task, const LabellingParams& params, Learned& learned,
                Run& run) {
  learned.matching = exported_matching(*learned.aligner, run);
  learned.progress = task.last->progress;
  const PlanParams plan = plan_of(params);
  AskedUsers users;
  std::size_t yes = 0;
  for (const PastAnswer& one : task.answers) {
    users.add(one.question);
    yes += one.answer.kind == Answer::Kind::kYes ? 1 : 0;
  }
  const std::vector<Match> last = without_known(task.last->matching, task.validation);
  RoundProgress progress =
      progress_of(without_known(learned.matching, task.validation),
                  task.last->progress.empty() ? nullptr : &last, users, plan.wanted_precision);
  learned.audit.warning = audit_warning(audits_of(plan_answers(task)));
  progress.answers = task.answers.size();
  progress.yes = yes;
  progress.validated = validated_by(learned.matching, task.validation);
  progress.count_known(task.training.anchors().size() + task.validation.size());
  // Without new answers there was no round in between: nothing could move.
  if (!learned.progress.empty() && learned.progress.back().answers == progress.answers) {
    progress.churn = learned.progress.back().churn;
    learned.progress.pop_back();
  }
  learned.progress.push_back(progress);
}

// The matches of the model that was audited: those answered, and the probabilities of the others.
void close_final_audit(const LearningTask& task, Learned& learned) {
  learned.audit.result = task.last->audit.result;
  learned.answers_at_audit = task.last->answers_at_audit;
  if (task.last_strategy != kFinalAudit) return;
  std::vector<Audited> audits;
  std::vector<UserPair> audited;
  for (const PastAnswer& one : task.answers) {
    const UserPair pair = one.question.pair();
    const bool is_of_it = one.question.strategy == kFinalAudit &&
                          std::ranges::binary_search(task.last->matching, pair, {}, &Match::pair);
    if (!is_of_it || one.answer.kind == Answer::Kind::kSkip) continue;
    audits.push_back({one.question.probabilities.front(), one.answer.kind == Answer::Kind::kYes});
    audited.push_back(pair);
  }
  learned.answers_at_audit = task.round.answers;
  if (audits.empty()) return;
  std::vector<double> others;
  for (const Match& match : without_known(task.last->matching, task.validation))
    if (std::ranges::find(audited, match.pair) == audited.end())
      others.push_back(match.probability);
  learned.audit.result = audit_result(audits, others).words();
}

constexpr std::int64_t kAnswersBetweenAudits = 100;

RoundChoice choose(const LearningTask& task, const LabellingParams& params, const Learned& learned,
                   Run& run) {
  const QuerySituation situation{.aligner = *learned.aligner,
                                 .labels = task.training,
                                 .pool = task.pool,
                                 .round = static_cast<std::uint64_t>(task.round.id) + 1};
  QueryParams query;
  query.candidates_per_question = params.candidates_per_question;
  if (params.strategy == kStudyPlan) {
    const bool is_audit_due =
        params.final_audit > 0 && stop_advice(learned.progress).may_stop() &&
        (learned.answers_at_audit < 0 ||
         task.round.answers - learned.answers_at_audit >= kAnswersBetweenAudits);
    if (is_audit_due) {
      RoundChoice audit =
          choose_final_audit(situation, query, static_cast<std::size_t>(params.final_audit), run);
      if (!audit.questions.empty()) return audit;
    }
    return choose_by_plan(situation, plan_answers(task), learned.progress.back(), plan_of(params),
                          query, task.question_count, run);
  }
  const bool picks = params.questions == "pick" ||
                     (params.questions == "auto" && task.round.anchors < params.pick_until);
  query.questions = picks ? "pick" : "pair";
  return choose_round(
      learned.bandit, situation,
      {.try_each_arm = params.try_each_arm, .batch_size = task.question_count, .query = query},
      run);
}

// Candidates come likeliest first; people are not to see that.
void shuffle_candidates(Question& question, Random& random) {
  for (std::size_t left = question.candidates.size(); left > 1; --left) {
    const auto place = static_cast<std::size_t>(random.below(left));
    std::swap(question.candidates[left - 1], question.candidates[place]);
    std::swap(question.probabilities[left - 1], question.probabilities[place]);
  }
}

// Where everybody stands, from one row of scores per user in the question.
void describe(const Aligner& aligner, const LabelSet& labels, StudyQuestion& question) {
  const Question& asked = question.question;
  const Side near = asked.side;
  const Side far = other(near);
  const std::vector<bool> open_far = open_users(labels, far);
  const std::vector<bool> open_near = open_users(labels, near);
  std::vector<float> row(aligner.networks().on(far).user_count());
  std::vector<float> column(aligner.networks().on(near).user_count());
  aligner.score_row(near, asked.user, row);
  const auto add_rivals = [&](Side side, std::span<const float> scores,
                              const std::vector<bool>& open, UserId apart_from, UserId opposite) {
    for (const Candidate& rival : best_of_row(scores, kRivals + 1, open)) {
      if (rival.user == apart_from || question.rivals.size() >= 2 * kRivals) continue;
      const UserPair pair = pair_of(side, rival.user, opposite);
      if (labels.answer(pair)) continue;
      question.rivals.push_back({side, rival.user, aligner.probability(pair)});
    }
  };
  for (const UserId candidate : asked.candidates) {
    aligner.score_row(far, candidate, column);
    question.standings.push_back(
        {rank_in_row(row, candidate, open_far), rank_in_row(column, asked.user, open_near)});
    std::vector<FieldShare>& shares = question.field_shares.emplace_back();
    for (auto& part : aligner.field_parts(pair_of(near, asked.user, candidate)))
      shares.push_back({std::move(part.name), part.ratio});
  }
  if (!form_of(asked).asks_single_pairs()) return;
  add_rivals(far, row, open_far, asked.candidates[0], asked.user);
  add_rivals(near, column, open_near, asked.user, asked.candidates[0]);
  for (const auto& part : aligner.explain(asked.pair(), kLikelyContacts).parts)
    if (!part.is_label) question.likely_same.push_back(part.neighbours);
}

constexpr std::size_t kFewestAnchors = 5;  // fewer than these teach a model nothing
constexpr std::size_t kHubQuestions = 25;

// Without pairs to learn from, structure alone finds candidates for hubs: it works on near copies
// only, so it is tried for a few questions and then known pairs are asked for.
Learned cold_start(const LearningTask& task, const LabellingParams& params,
                   const NetworkPair& networks, Run& run) {
  std::size_t asked = 0;
  std::size_t yes = 0;
  for (const PastAnswer& one : task.answers) {
    if (one.question.strategy != kHubPicks) continue;
    ++asked;
    yes += one.answer.kind == Answer::Kind::kYes ? 1 : 0;
  }
  if (asked >= kHubQuestions)
    throw InputError(
        "Too few pairs are known to find others: structure alone found " + std::to_string(yes) +
            " partners of " + std::to_string(asked) + " users with many contacts",
        "import pairs you know (dalaup import, or the page), or search for users you know");
  Learned learned{
      .aligner = nullptr, .round = task.round, .bandit = task.bandit, .questions = {}, .best = {}};
  learned.progress = task.last->progress;
  learned.round.strategy = kHubPicks;
  Random order = run.random("order", static_cast<std::uint64_t>(task.round.id));
  for (Question& question :
       hub_picks(networks, task.training, task.pool,
                 static_cast<std::size_t>(params.candidates_per_question), kHubQuestions - asked)) {
    shuffle_candidates(question, order);
    learned.questions.push_back({.question = std::move(question)});
  }
  learned.round.bandit = learned.bandit.to_json();
  learned.round.at = utc_now();
  return learned;
}

std::shared_ptr<const Aligner> fitted_to(const LearningTask& task,
                                         const AlignerFactory& make_aligner,
                                         const NetworkPair& networks, Run& run) {
  const std::shared_ptr<const Aligner>& last = task.last->aligner;
  if (last && is_same(last->labels(), task.training)) return last;
  const bool goes_on = last && LoopParams{}.warm;
  std::unique_ptr<Aligner> next = goes_on ? copy_of(*last, make_aligner) : make_aligner();
  refit_model(*next, networks, task.training, goes_on, run);
  return next;
}

// Nothing when too little is known to fit a model and users with many contacts are asked about
// instead. Where profiles tell users apart they are enough to begin with.
std::shared_ptr<const Aligner> fitted_or_cold(const LearningTask& task,
                                              const LabellingParams& params,
                                              const AlignerFactory& make_aligner,
                                              const NetworkPair& networks, Run& run) {
  const bool is_cold = params.strategy == kStudyPlan && params.questions == "auto" &&
                       task.training.anchors().size() < kFewestAnchors;
  if (!is_cold) return fitted_to(task, make_aligner, networks, run);
  if (networks.attributes == nullptr) return nullptr;
  try {
    return fitted_to(task, make_aligner, networks, run);
  } catch (const InputError&) {
    return nullptr;
  } catch (const StateError&) {
    return nullptr;
  }
}

}  // namespace

Learned learn(const LearningTask& task, const AlignerFactory& make_aligner,
              const NetworkPair& networks, const LabellingParams& params, Round* last_round,
              Run& run) {
  const Stopwatch watch;
  const std::shared_ptr<const Aligner> aligner =
      fitted_or_cold(task, params, make_aligner, networks, run);
  if (!aligner) {
    Learned cold = cold_start(task, params, networks, run);
    cold.round.seconds = watch.seconds();
    return cold;
  }

  Learned learned{.aligner = aligner,
                  .round = task.round,
                  .bandit = task.bandit,
                  .questions = {},
                  .best = best_of_sample(*aligner, run)};
  learned.round.agreement = agreement_of(task.last->best, learned.best);
  measure(*aligner, task.validation, learned.round, run);
  take_stock(task, params, learned, run);
  close_final_audit(task, learned);
  if (last_round != nullptr && !task.last->progress.empty()) {
    last_round->reward =
        reward_of(learned.progress.back(), task.last->progress.back(), task.validation.size());
    reward_arm(learned.bandit, last_round->strategy, *last_round->reward);
  }

  const RoundChoice choice = choose(task, params, learned, run);
  learned.round.strategy = choice.strategy;
  learned.round.exploration_probability = choice.exploration_probability;
  learned.round.explored = choice.explored;
  double yes_chance = 0.0;
  Random overlap = run.random("overlap", static_cast<std::uint64_t>(task.round.id));
  Random order = run.random("order", static_cast<std::uint64_t>(task.round.id));
  for (const Question& question : choice.questions) {
    run.throw_if_cancelled();
    StudyQuestion kept{.question = question, .is_overlap = overlap.chance(params.overlap)};
    shuffle_candidates(kept.question, order);
    describe(*aligner, task.training, kept);
    yes_chance += std::clamp(question.yes_probability(), 0.0, 1.0);
    learned.questions.push_back(std::move(kept));
  }
  if (!choice.questions.empty())
    learned.round.yes_chance = yes_chance / static_cast<double>(choice.questions.size());
  learned.round.bandit = learned.bandit.to_json();
  learned.round.at = utc_now();
  learned.round.seconds = watch.seconds();
  return learned;
}

}  // namespace dalaup
