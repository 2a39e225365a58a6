#include "active_learning/round.h"

#include <algorithm>

#include "active_learning/study_plan.h"

namespace dalaup {

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

const std::vector<std::string>& further_strategies() {
  static const std::vector<std::string> names = {"dalaup", "dalaup-all", kStudyPlan, kControl,
                                                 kRandomAnchors};
  return names;
}

void refit_model(Aligner& aligner, const NetworkPair& networks, const LabelSet& labels,
                 bool goes_on, Run& run) {
  if (goes_on)
    aligner.refit(labels, run);
  else
    aligner.fit(networks, labels, run);
}

Metrics measure_model(const Aligner& aligner, std::span<const UserPair> anchors, Run& run) {
  return metrics_of(aligner.ranks(anchors, run));
}

double rise(const Metrics& now, const Metrics& before) {
  return 0.5 * (now.precision - before.precision + now.map - before.map);
}

void reward_arm(Bandit& bandit, const std::string& strategy, double reward) {
  const auto& arms = bandit.arms();
  const auto arm = std::ranges::find(arms, strategy, &Arm::name);
  if (arm != arms.end()) bandit.reward(static_cast<std::size_t>(arm - arms.begin()), reward);
}

RoundChoice choose_arm(const Bandit& bandit, std::uint64_t round, bool try_each_arm, Run& run) {
  const Bandit::Choice choice =
      bandit.choose(static_cast<std::int64_t>(round), run.random("bandit", round), try_each_arm);
  return {.strategy = bandit.arms()[choice.arm].name,
          .exploration_probability = choice.exploration_probability,
          .explored = choice.explored};
}

RoundChoice choose_round(const Bandit& bandit, const QuerySituation& situation,
                         const ChoiceParams& params, Run& run) {
  RoundChoice choice = choose_arm(bandit, situation.round, params.try_each_arm, run);
  choice.questions =
      choose_questions(choice.strategy, situation, params.query, params.batch_size, run);
  return choice;
}

std::vector<UserPair> told_order(const Split& split, const Run& run) {
  std::vector<UserPair> pool = split.pool;
  run.random("told anchors").shuffle(std::span(pool));
  return pool;
}

std::vector<Question> told_questions(std::span<const UserPair> anchors, const Aligner& aligner) {
  std::vector<Question> questions;
  for (const UserPair pair : anchors)
    questions.push_back({.kind = QuestionKind::kPair,
                         .side = Side::kA,
                         .user = pair.a,
                         .candidates = {pair.b},
                         .probabilities = {aligner.probability(pair)},
                         .strategy = kRandomAnchors});
  return questions;
}

std::optional<LabelSet::Conflict> record_answer(const Question& question, const Answer& answer,
                                                bool trust_no, LabelSet& labels, Pool& pool) {
  for (const auto& [pair, label] : form_of(question).labels(question, answer)) {
    if (label == Label::kAnchor) {
      if (const auto conflict = labels.add(pair, label)) return conflict;
    } else if (trust_no) {
      (void)labels.add(pair, label);  // refused where another answer has said yes to it
    }
  }
  for (std::size_t i = 0; i < question.candidates.size(); ++i) pool.block(question.pair(i));
  return std::nullopt;
}

}  // namespace dalaup
