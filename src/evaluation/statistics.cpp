#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

// Share of sign patterns whose mean is at least as far from zero as the one seen.
double sign_flip_p(std::span<const double> differences) {
  constexpr std::size_t kMostExact = 16;
  double seen = 0.0;
  for (const double difference : differences) seen += difference;
  const double limit = std::abs(seen) * (1.0 - 1e-12);
  std::uint64_t as_far = 0;
  const std::uint64_t patterns = std::uint64_t{1} << std::min(kMostExact, differences.size());
  Random random(0, "sign flips");
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = 0.0;
    std::uint64_t signs = pattern;
    for (std::size_t i = 0; i < differences.size(); ++i, signs >>= 1) {
      if (differences.size() > kMostExact && i % 64 == 0) signs = random.next();
      sum += (signs & 1) != 0 ? differences[i] : -differences[i];
    }
    as_far += std::abs(sum) >= limit ? 1 : 0;
  }
  return static_cast<double>(as_far) / static_cast<double>(patterns);
}

}  // namespace

double student_p(double t, double degrees_of_freedom) {
  if (std::isinf(t)) return 0.0;
  const boost::math::students_t distribution(degrees_of_freedom);
  return 2.0 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double student_quantile(double confidence, double degrees_of_freedom) {
  const boost::math::students_t distribution(degrees_of_freedom);
  return boost::math::quantile(boost::math::complement(distribution, (1.0 - confidence) / 2.0));
}

Spread spread_of(std::span<const double> values) {
  Spread spread{.count = values.size()};
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  spread.low = spread.high = spread.mean;
  if (values.size() < 2) return spread;
  double squares = 0.0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.standard_deviation = std::sqrt(squares / (count - 1.0));
  const double half =
      student_quantile(0.95, count - 1.0) * spread.standard_deviation / std::sqrt(count);
  spread.low -= half;
  spread.high += half;
  return spread;
}

PairedTest paired_test(std::span<const double> first, std::span<const double> second) {
  if (first.size() != second.size() || first.size() < 2)
    throw ParameterError(
        fmt::format("paired test: found {} and {} repeats, expected the same number, at least 2",
                    first.size(), second.size()));
  std::vector<double> differences(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) differences[i] = second[i] - first[i];
  PairedTest test{.difference = spread_of(differences)};
  const double error =
      test.difference.standard_deviation / std::sqrt(static_cast<double>(first.size()));
  if (test.difference.mean == 0.0) return test;
  test.sign_flip_p = sign_flip_p(differences);
  test.p_value = error == 0.0 ? test.sign_flip_p
                              : student_p(test.difference.mean / error,
                                          static_cast<double>(first.size()) - 1.0);
  return test;
}

std::pair<double, double> share_bounds(std::size_t count, std::size_t total) {
  if (total == 0) return {0.0, 1.0};
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(total);
  const double share = static_cast<double>(count) / n;
  const double centre = share + kZ * kZ / (2.0 * n);
  const double half = kZ * std::sqrt(share * (1.0 - share) / n + kZ * kZ / (4.0 * n * n));
  const double scale = 1.0 + kZ * kZ / n;
  return {std::max(0.0, (centre - half) / scale), std::min(1.0, (centre + half) / scale)};
}

}  // namespace dalaup
