#include "active_learning/study_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "active_learning/partner_questions.h"

namespace dalaup {
namespace {

constexpr double kUsualSecondsPair = 10.0;
constexpr double kUsualSecondsPick = 15.0;
constexpr std::size_t kFewestTimed = 5;
constexpr std::size_t kFewestKnown = 20;  // with fewer, probabilities are guesses
constexpr std::size_t kAuditsKept = 20;   // older ones tell of models long gone
constexpr double kLeastOpen = 0.02;
constexpr double kMostOpen = 0.98;

QueryParams asking(QuestionKind kind, QueryParams query) {
  query.questions = std::string(name_of(kind));
  return query;
}

void close_users(const std::vector<Question>& questions, Pool& pool) {
  for (const Question& question : questions) {
    pool.close(question.side, question.user);
    for (const UserId candidate : question.candidates) pool.close(other(question.side), candidate);
  }
}

// Whether there are matches worth asking about: known pairs beyond doubt, or as many matches that
// the model expects to be right. With few known pairs and a model that has not taken off, matches
// near one half are mostly wrong.
bool has_taken_off(const RoundProgress& progress, std::size_t known, const PlanParams& params) {
  if (known >= static_cast<std::size_t>(params.pick_until)) return true;
  const double expected = progress.expected_right - static_cast<double>(progress.anchors);
  return known >= kFewestKnown && expected >= params.take_off * static_cast<double>(known);
}

// What an answer is expected to add: pairs that the export holds at the wanted precision anyway
// add nothing.
double expected_new_pairs(const std::vector<Question>& questions, double wanted_precision) {
  double sum = 0.0;
  for (const Question& question : questions)
    for (const double probability : question.probabilities)
      if (probability < wanted_precision) sum += probability;
  return sum;
}

// A question whose answer is as good as known is not worth a person's time.
bool is_open(const Question& question) {
  const double likeliest = *std::ranges::max_element(question.probabilities);
  return likeliest <= kMostOpen && question.yes_probability() >= kLeastOpen;
}

std::vector<Question> open_questions(const std::string& strategy, QuestionKind kind,
                                     const QuerySituation& situation, const QueryParams& query,
                                     std::size_t count, Run& run) {
  auto questions = choose_questions(strategy, situation, asking(kind, query), count, run);
  std::erase_if(questions, [](const Question& question) { return !is_open(question); });
  return questions;
}

// The kind of question that brings more right pairs a minute, filled up with the other.
std::vector<Question> what_is_open(const QuerySituation& situation,
                                   std::span<const PlanAnswer> answers, const PlanParams& params,
                                   const QueryParams& query, std::size_t count, Run& run) {
  if (count == 0) return {};
  std::vector<Question> pairs;
  std::vector<Question> picks;
  if (params.form != "pick")
    pairs = open_questions("open-match", QuestionKind::kPair, situation, query, count, run);
  if (params.form != "pair")
    picks = open_questions("influence", QuestionKind::kPick, situation, query, count, run);
  const auto per_minute = [&](const std::vector<Question>& questions, QuestionKind kind) {
    if (questions.empty()) return -1.0;
    return expected_new_pairs(questions, params.wanted_precision) /
           static_cast<double>(questions.size()) / seconds_for(kind, answers);
  };
  const bool pairs_first =
      per_minute(pairs, QuestionKind::kPair) >= per_minute(picks, QuestionKind::kPick);
  std::vector<Question> chosen = pairs_first ? std::move(pairs) : std::move(picks);
  if (chosen.size() >= count || params.form != "auto") return chosen;
  Pool rest = situation.pool;
  close_users(chosen, rest);
  const QuerySituation others{situation.aligner, situation.labels, rest, situation.round};
  auto further = pairs_first ? open_questions("influence", QuestionKind::kPick, others, query,
                                              count - chosen.size(), run)
                             : open_questions("open-match", QuestionKind::kPair, others, query,
                                              count - chosen.size(), run);
  std::ranges::move(further, std::back_inserter(chosen));
  return chosen;
}

// Audits come at random places, so that nobody can tell them apart by their order.
std::vector<Question> mixed(std::vector<Question> questions, std::vector<Question> audits,
                            Random random) {
  std::vector<Question> all;
  std::size_t next_question = 0;
  std::size_t next_audit = 0;
  while (next_question < questions.size() || next_audit < audits.size()) {
    const std::size_t open = questions.size() - next_question;
    const std::size_t drawn = random.below(open + audits.size() - next_audit);
    all.push_back(std::move(drawn < open ? questions[next_question++] : audits[next_audit++]));
  }
  return all;
}

// As many as the share says on average: whole ones, and one more by chance.
std::size_t drawn_share(double share, std::size_t count, Random random) {
  const double wanted = share * static_cast<double>(count);
  auto number = static_cast<std::size_t>(wanted);
  if (random.chance(wanted - std::floor(wanted))) ++number;
  return number;
}

std::vector<Question> audits_for(const QuerySituation& situation, const PlanParams& params,
                                 const QueryParams& query, std::size_t count, Run& run) {
  const std::size_t number =
      drawn_share(params.audit_share, count, run.random("audit share", situation.round));
  if (number == 0) return {};
  auto audits =
      choose_questions("random-match", situation, asking(QuestionKind::kPair, query), number, run);
  for (Question& audit : audits) audit.strategy = kAudit;
  return audits;
}

}  // namespace

std::string shown_strategy(const std::string& strategy) {
  return strategy == kAudit || strategy == kFinalAudit ? kStudyPlan : strategy;
}

std::vector<Audited> audits_of(std::span<const PlanAnswer> answers) {
  std::vector<Audited> audits;
  for (const PlanAnswer& one : answers)
    if ((one.question->strategy == kAudit || one.question->strategy == kFinalAudit) &&
        one.answer.kind != Answer::Kind::kSkip)
      audits.push_back(
          {one.question->probabilities.front(), one.answer.kind == Answer::Kind::kYes});
  if (audits.size() > kAuditsKept)
    audits.erase(audits.begin(), audits.end() - static_cast<std::ptrdiff_t>(kAuditsKept));
  return audits;
}

double seconds_for(QuestionKind kind, std::span<const PlanAnswer> answers) {
  std::vector<double> seconds;
  for (const PlanAnswer& one : answers)
    if (one.question->kind == kind && one.seconds > 0.0) seconds.push_back(one.seconds);
  if (seconds.size() < kFewestTimed)
    return kind == QuestionKind::kPair ? kUsualSecondsPair : kUsualSecondsPick;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

RoundChoice choose_by_plan(const QuerySituation& situation, std::span<const PlanAnswer> answers,
                           const RoundProgress& progress, const PlanParams& params,
                           const QueryParams& query, std::size_t count, Run& run) {
  RoundChoice choice{.strategy = kStudyPlan};
  if (!has_taken_off(progress, situation.labels.anchors().size(), params)) {
    const QuestionKind kind = params.form == "pair" ? QuestionKind::kPair : QuestionKind::kPick;
    choice.questions = choose_questions("degree", situation, asking(kind, query), count, run);
    return choice;
  }
  std::vector<Question> audits = audits_for(situation, params, query, count, run);
  Pool rest = situation.pool;
  close_users(audits, rest);
  const QuerySituation others{situation.aligner, situation.labels, rest, situation.round};
  const std::size_t doubts = params.form == "auto"
                                 ? drawn_share(params.partner_share, count - audits.size(),
                                               run.random("partner share", situation.round))
                                 : 0;
  auto partners = partner_questions(others, static_cast<std::size_t>(query.candidates_per_question),
                                    doubts, run);
  close_users(partners, rest);
  auto open =
      what_is_open(others, answers, params, query, count - audits.size() - partners.size(), run);
  std::ranges::move(partners, std::back_inserter(audits));
  choice.questions =
      mixed(std::move(open), std::move(audits), run.random("audit places", situation.round));
  return choice;
}

RoundChoice choose_final_audit(const QuerySituation& situation, const QueryParams& query,
                               std::size_t count, Run& run) {
  RoundChoice choice{.strategy = kFinalAudit};
  choice.questions =
      choose_questions("random-match", situation, asking(QuestionKind::kPair, query), count, run);
  for (Question& question : choice.questions) question.strategy = kFinalAudit;
  return choice;
}

}  // namespace dalaup
