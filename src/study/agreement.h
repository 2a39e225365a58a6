#pragma once
// How well people agree on the questions that two of them answered.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/ledger.h"

namespace dalaup {

// Cohen's kappa of two people: (observed - expected) / (1 - expected), where expected is the
// agreement of two people who answer by chance, each with their own frequencies. Nothing when there
// are no common questions or both always give the same one answer.
std::optional<double> cohens_kappa(const std::vector<std::pair<int, int>>& answers);

struct Agreement {
  std::string first;
  std::string second;
  std::int64_t questions = 0;  // both answered
  std::int64_t equal = 0;
  std::optional<double> kappa;
};
// Every two people with common questions. Skips do not count, unsure is an answer.
std::vector<Agreement> agreements(const Ledger& ledger);
// All of them together; kappa is the mean weighted by the number of questions.
Agreement overall_agreement(const std::vector<Agreement>& agreements);

}  // namespace dalaup
