#include "active_learning/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/base.h"

namespace dalaup {
namespace {

constexpr double kNinety = 1.645;          // two-sided 90 % of a normal distribution
constexpr std::size_t kFewestAudits = 20;  // fewer are no reason to worry anybody

}  // namespace

bool probabilities_fail(std::span<const Audited> audits) {
  double surplus = 0.0;
  double variance = 0.0;
  for (const Audited& audit : audits) {
    surplus += (audit.is_right ? 1.0 : 0.0) - audit.probability;
    variance += audit.probability * (1.0 - audit.probability);
  }
  return !audits.empty() && std::abs(surplus) > kNinety * std::sqrt(variance);
}

std::string audit_warning(std::span<const Audited> audits) {
  if (audits.size() < kFewestAudits || !probabilities_fail(audits)) return {};
  double claimed = 0.0;
  std::size_t right = 0;
  for (const Audited& audit : audits) {
    claimed += audit.probability;
    right += audit.is_right ? 1 : 0;
  }
  const bool too_high = claimed > static_cast<double>(right);
  return fmt::format(
      "Of {} drawn at random in the latest rounds {} right, where the model expected {:.0f}: "
      "probabilities were too {}.",
      counted(audits.size(), "match", "matches"),
      right == 1 ? "1 was" : fmt::format("{} were", right), claimed, too_high ? "high" : "low");
}

AuditResult audit_result(std::span<const Audited> audits, std::span<const double> others) {
  AuditResult result{.matches = audits.size() + others.size(), .audited = audits.size()};
  const auto all = static_cast<double>(result.matches);
  const auto drawn = static_cast<double>(result.audited);
  // The difference estimator of survey sampling: the claims of all, corrected by how far the drawn
  // ones were off. It is right on average however wrong the claims are.
  double claimed = 0.0;
  double surplus = 0.0;
  double squares = 0.0;
  for (const Audited& audit : audits) {
    result.audited_right += audit.is_right ? 1 : 0;
    const double off = (audit.is_right ? 1.0 : 0.0) - audit.probability;
    claimed += audit.probability;
    surplus += off;
    squares += off * off;
  }
  for (const double probability : others) claimed += probability;
  const double mean_off = audits.empty() ? 0.0 : surplus / drawn;
  const double variance =
      audits.size() < 2 ? 0.25 : std::max(0.0, squares - drawn * mean_off * mean_off) / (drawn - 1);
  const auto right = static_cast<double>(result.audited_right);
  result.expected = others.empty() ? right : claimed + all * mean_off;
  double half_width = 0.0;
  if (!others.empty() && !audits.empty()) {
    const double effective = drawn / (1.0 - drawn / all);
    half_width =
        all * kNinety *
        std::sqrt(variance / effective + kNinety * kNinety / (4.0 * effective * effective));
  } else if (audits.empty()) {
    half_width = all;
  }
  // The audited ones are known: the bounds cannot contradict them.
  result.low = static_cast<std::size_t>(
      std::clamp(std::ceil(result.expected - half_width - 1e-9), right, all));
  result.high =
      static_cast<std::size_t>(std::clamp(std::floor(result.expected + half_width + 1e-9),
                                          static_cast<double>(result.low), all - (drawn - right)));
  return result;
}

std::string AuditResult::words() const {
  return fmt::format("Of {}, between {} and {} are right (90 %): {} of {} drawn at random were.",
                     counted(matches, "new pair"), low, high, audited_right, audited);
}

}  // namespace dalaup
