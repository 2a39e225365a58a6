#include "active_learning/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/base.h"

namespace dalaup {
namespace {

constexpr double kNinety = 1.645;  // two-sided 90 % of a normal distribution
constexpr double kPriorAnswers = 4.0;

double logistic(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }
double log_odds(double probability) {
  const double inside = std::clamp(probability, 1e-6, 1.0 - 1e-6);
  return std::log(inside) - std::log1p(-inside);
}

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

// Newton's method on the penalised likelihood; two unknowns, so the system is solved by hand.
Recalibration::Recalibration(std::span<const Audited> audits) {
  if (!probabilities_fail(audits)) return;
  changes_ = true;
  constexpr double kRidge = kPriorAnswers / 4.0;  // an answer at p = .5 weighs 1/4
  for (int step = 0; step < 50; ++step) {
    double gradient[2] = {-0.25 * kRidge * intercept_, kRidge * (1.0 - slope_)};
    double hessian[3] = {0.25 * kRidge, 0.0, kRidge};
    for (const Audited& audit : audits) {
      const double x = log_odds(audit.probability);
      const double p = logistic(intercept_ + slope_ * x);
      const double error = (audit.is_right ? 1.0 : 0.0) - p;
      const double weight = p * (1.0 - p);
      gradient[0] += error;
      gradient[1] += error * x;
      hessian[0] += weight;
      hessian[1] += weight * x;
      hessian[2] += weight * x * x;
    }
    const double determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
    const double change_0 = (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant;
    const double change_1 = (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant;
    const double length = std::min(1.0, 2.0 / std::max(1e-12, std::hypot(change_0, change_1)));
    intercept_ += length * change_0;
    slope_ += length * change_1;
    if (std::hypot(change_0, change_1) < 1e-10) break;
  }
  slope_ = std::max(slope_, 0.05);  // a correction never turns the order around
}

double Recalibration::operator()(double probability) const {
  return changes_ ? logistic(intercept_ + slope_ * log_odds(probability)) : probability;
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
