#include "active_learning/interview.h"

#include <fmt/format.h>

#include <algorithm>

#include "active_learning/active_learning.h"

namespace dalaup {

Interview::Interview(Aligner& aligner, const InterviewParams& params, const QueryParams& query,
                     const PlanParams& plan)
    : aligner_(aligner),
      params_(params),
      query_(query),
      plan_(plan),
      labels_(aligner.labels()),
      pool_(labels_.user_count(Side::kA), labels_.user_count(Side::kB)) {
  check_fields(params_);
  check_fields(query_);
  check_fields(plan_);
  const std::vector<std::string> own = query_.own_names();
  std::vector<std::string> known{"dalaup", "dalaup-all", kStudyPlan};
  known.insert(known.end(), own.begin(), own.end());
  require_strategy(params_.strategy, known);
  const std::vector<std::string> arms = split_names("arms", params_.arms);
  for (const std::string& arm : arms) require_strategy(arm, own);
  bandit_ = Bandit(arms_of(params_.strategy, arms));
}

void Interview::learn(Run& run) {
  if (has_news_) refit_model(aligner_, aligner_.networks(), labels_, true, run);
  if (has_news_ || progress_.empty()) take_stock(run);
  has_news_ = false;
}

std::vector<Question> Interview::next(Run& run) {
  learn(run);
  ++round_;
  RoundChoice choice = choose(run);
  last_strategy_ = choice.strategy;
  return std::move(choice.questions);
}

void Interview::answer(const Question& question, const Answer& answer) {
  if (const std::string fault = form_of(question).fault(question, answer); !fault.empty())
    throw StateError(fmt::format("the answer does not fit the question: {}", fault));
  const NetworkPair& networks = aligner_.networks();
  if (const auto conflict = record_answer(question, answer, true, labels_, pool_))
    throw StateError(fmt::format("the answer contradicts that ({}, {}) is labelled {}",
                                 quoted(label_name(networks, Side::kA, conflict->pair)),
                                 quoted(label_name(networks, Side::kB, conflict->pair)),
                                 conflict->label == Label::kAnchor ? 1 : 0),
                     "a user has at most one partner");
  asked_.push_back({question, answer});
  has_news_ = true;
}

std::vector<PlanAnswer> Interview::plan_answers() const {
  std::vector<PlanAnswer> answers;
  for (const Asked& asked : asked_) answers.push_back({&asked.question, asked.answer});
  return answers;
}

void Interview::take_stock(Run& run) {
  std::vector<Match> matching = exported_matching(aligner_, run);
  AskedUsers users;
  for (const Asked& asked : asked_) users.add(asked.question);
  RoundProgress progress = progress_of(matching, progress_.empty() ? nullptr : &matching_, users,
                                       plan_.wanted_precision);
  progress.answers = asked_.size();
  progress.yes = static_cast<std::size_t>(std::ranges::count_if(
      asked_, [](const Asked& asked) { return asked.answer.kind == Answer::Kind::kYes; }));
  progress.count_known(labels_.anchors().size());
  if (!progress_.empty())
    reward_arm(bandit_, last_strategy_, reward_of(progress, progress_.back(), 0));
  progress_.push_back(progress);
  matching_ = std::move(matching);
}

RoundChoice Interview::choose(Run& run) {
  const QuerySituation situation{aligner_, labels_, pool_, round_};
  const auto count = static_cast<std::size_t>(params_.batch_size);
  if (params_.strategy == kStudyPlan)
    return choose_by_plan(situation, plan_answers(), progress_.back(), plan_, query_, count, run);
  return choose_round(bandit_, situation,
                      {.try_each_arm = params_.try_each_arm, .batch_size = count, .query = query_},
                      run);
}

}  // namespace dalaup
