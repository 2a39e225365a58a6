#pragma once
// What randomly drawn matches, once answered, say of all the others: whether probabilities hold,
// how to correct them when they do not, and how many matches are right.
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
// |sum (y - p)| > 1.645 sqrt(sum p (1 - p)). Correcting probabilities that hold would spoil them.
bool probabilities_fail(std::span<const Audited> audits);

// Platt's correction of probabilities: log-odds' = intercept + slope * log-odds.
class Recalibration {
 public:
  Recalibration() = default;  // changes nothing
  // Fitted to the audits where probabilities_fail, else nothing; the slope is held near 1 by a
  // prior worth four answers.
  explicit Recalibration(std::span<const Audited> audits);

  double operator()(double probability) const;

 private:
  bool changes_ = false;
  double intercept_ = 0.0;
  double slope_ = 1.0;
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
