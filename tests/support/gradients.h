#pragma once
// Finite differences: the slope of a function in one of its numbers, measured from both sides.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "numeric/numeric.h"

namespace dalaup {

inline std::vector<float> random_values(std::size_t size, std::uint64_t seed, double scale = 1.0) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(scale * random.normal());
  return values;
}

inline Matrix random_matrix(int rows, int columns, std::uint64_t seed, double scale = 1.0) {
  Matrix matrix(rows, columns);
  const auto values = random_values(static_cast<std::size_t>(rows * columns), seed, scale);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

// Compares `gradient` with measured slopes of `loss` in each of `values` (which are put back).
inline void expect_slopes(std::span<float> values, std::span<const float> gradient,
                          const std::function<double()>& loss, double step = 2e-3,
                          double tolerance = 2e-3) {
  ASSERT_EQ(values.size(), gradient.size());
  double largest = 1e-6;
  for (const float slope : gradient) largest = std::max(largest, std::abs(double{slope}));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float kept = values[i];
    values[i] = kept + static_cast<float>(step);
    const double above = loss();
    const double width = static_cast<double>(values[i]);
    values[i] = kept - static_cast<float>(step);
    const double below = loss();
    const double slope = (above - below) / (width - static_cast<double>(values[i]));
    values[i] = kept;
    EXPECT_NEAR(gradient[i], slope, tolerance * largest) << "number " << i;
  }
}

}  // namespace dalaup
