#pragma once
// What randomly drawn matches, once answered, say of all the others: whether probabilities hold,
// and how many matches are right.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dalaup {

// A match that was drawn at random and answered.
struct Audited {
  double probability = 0.0;  // when it was asked
  bool is_right = false;
};

// Whether the answers are further from the probabilities than chance explains (90 %):
// |sum (y - p)| > 1.645 sqrt(sum p (1 - p)). They are not corrected by it: each audit tells of the
// model that asked it, and later ones have learned from its answer.
bool probabilities_fail(std::span<const Audited> audits);

// What the audits of the latest rounds say when probabilities fail, in words; empty when they hold.
std::string audit_warning(std::span<const Audited> audits);

// What a study tells of its audits.
struct AuditWords {
  std::string result;   // of the last final audit; empty before one
  std::string warning;  // where the latest audits speak against the probabilities
};

// "Of `matches`, between low and high are right", with 90 % confidence.
struct AuditResult {
  std::size_t matches = 0;
  std::size_t audited = 0;
  std::size_t audited_right = 0;
  double expected = 0.0;
  std::size_t low = 0;
  std::size_t high = 0;
  std::string words() const;
};
// `audits` are a random sample of the matches of one model; `others` are the probabilities of the
// matches that were not drawn.
AuditResult audit_result(std::span<const Audited> audits, std::span<const double> others);

}  // namespace dalaup
