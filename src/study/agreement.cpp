#include "study/agreement.h"

#include <algorithm>
#include <map>

namespace dalaup {
namespace {

// 0 no, -1 unsure, otherwise the place of the chosen candidate counted from 1.
int category(const JournalEntry& answer, const Question& question) {
  if (answer.reply == Reply::kNo || answer.reply == Reply::kNoPartner) return 0;
  if (answer.reply == Reply::kUnsure) return -1;
  for (std::size_t place = 0; place < question.candidates.size(); ++place)
    if (question.pair(place) == answer.pair) return static_cast<int>(place) + 1;
  return 1;
}

}  // namespace

std::optional<double> cohens_kappa(const std::vector<std::pair<int, int>>& answers) {
  if (answers.empty()) return std::nullopt;
  const auto total = static_cast<double>(answers.size());
  std::map<int, std::pair<double, double>> counts;
  double equal = 0.0;
  for (const auto& [first, second] : answers) {
    counts[first].first += 1.0;
    counts[second].second += 1.0;
    equal += first == second ? 1.0 : 0.0;
  }
  double expected = 0.0;
  for (const auto& [answer, both] : counts) expected += both.first * both.second;
  expected /= total * total;
  if (expected >= 1.0) return std::nullopt;
  return (equal / total - expected) / (1.0 - expected);
}

std::vector<Agreement> agreements(const Ledger& ledger) {
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<int, int>>> common;
  for (const std::int64_t id : ledger.answered_questions()) {
    auto answers = ledger.answers_to(id);
    std::erase_if(answers, [](const JournalEntry* answer) {
      return answer->kind != EntryKind::kAnswer || answer->reply == Reply::kSkip;
    });
    if (answers.size() < 2) continue;
    const Question& question = ledger.question(id)->question;
    for (std::size_t left = 0; left < answers.size(); ++left)
      for (std::size_t right = left + 1; right < answers.size(); ++right) {
        const JournalEntry* first = answers[left];
        const JournalEntry* second = answers[right];
        if (second->annotator < first->annotator) std::swap(first, second);
        common[{first->annotator, second->annotator}].emplace_back(category(*first, question),
                                                                   category(*second, question));
      }
  }
  std::vector<Agreement> result;
  for (const auto& [people, answers] : common)
    result.push_back({.first = people.first,
                      .second = people.second,
                      .questions = static_cast<std::int64_t>(answers.size()),
                      .equal = std::ranges::count_if(
                          answers, [](const auto& both) { return both.first == both.second; }),
                      .kappa = cohens_kappa(answers)});
  return result;
}

Agreement overall_agreement(const std::vector<Agreement>& agreements) {
  Agreement overall;
  double weighted = 0.0;
  std::int64_t weights = 0;
  for (const Agreement& one : agreements) {
    overall.questions += one.questions;
    overall.equal += one.equal;
    if (!one.kappa) continue;
    weighted += *one.kappa * static_cast<double>(one.questions);
    weights += one.questions;
  }
  if (weights > 0) overall.kappa = weighted / static_cast<double>(weights);
  return overall;
}

}  // namespace dalaup
