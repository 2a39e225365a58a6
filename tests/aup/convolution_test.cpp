#include "methods/aup/convolution.h"

#include "support/gradients.h"

namespace dalaup {
namespace {

struct Case {
  ConvolutionShape shape;
  std::size_t length;  // of the wide rows
};

class Convolution : public testing::TestWithParam<Case> {
 protected:
  ConvolutionShape shape = GetParam().shape;
  std::size_t wide_length = GetParam().length;
  std::size_t narrow_length = wide_length - static_cast<std::size_t>(shape.width - 1);
  std::vector<float> weights = random_values(shape.weight_count(), 1);
  std::vector<float> wide =
      random_values(static_cast<std::size_t>(shape.wide_channels) * wide_length, 2);
  std::vector<float> narrow =
      random_values(static_cast<std::size_t>(shape.narrow_channels) * narrow_length, 3);

  float weight(int o, int i, int t) const {
    return weights[static_cast<std::size_t>((o * shape.wide_channels + i) * shape.width + t)];
  }
};

TEST_P(Convolution, EqualsTheSumItIsDefinedAs) {
  const auto bias = random_values(static_cast<std::size_t>(shape.narrow_channels), 4);
  std::vector<float> out(narrow.size());
  convolve(shape, weights, bias, wide.data(), wide_length, out.data());
  for (int o = 0; o < shape.narrow_channels; ++o)
    for (std::size_t p = 0; p < narrow_length; ++p) {
      double sum = bias[static_cast<std::size_t>(o)];
      for (int i = 0; i < shape.wide_channels; ++i)
        for (int t = 0; t < shape.width; ++t)
          sum += weight(o, i, t) *
                 wide[static_cast<std::size_t>(i) * wide_length + p + static_cast<std::size_t>(t)];
      EXPECT_NEAR(out[static_cast<std::size_t>(o) * narrow_length + p], sum, 1e-5);
    }
}

TEST_P(Convolution, TransposedIsItsAdjoint) {
  std::vector<float> down(narrow.size());
  std::vector<float> up(wide.size());
  convolve(shape, weights, {}, wide.data(), wide_length, down.data());
  convolve_transposed(shape, weights, {}, narrow.data(), narrow_length, up.data());
  double left = 0.0;
  double right = 0.0;
  for (std::size_t i = 0; i < narrow.size(); ++i) left += down[i] * narrow[i];
  for (std::size_t i = 0; i < wide.size(); ++i) right += up[i] * wide[i];
  EXPECT_NEAR(left, right, 1e-4 * (1.0 + std::abs(left)));
}

TEST_P(Convolution, TransposedAddsTheBiasEverywhere) {
  const auto bias = random_values(static_cast<std::size_t>(shape.wide_channels), 4);
  std::vector<float> with(wide.size());
  std::vector<float> without(wide.size());
  convolve_transposed(shape, weights, bias, narrow.data(), narrow_length, with.data());
  convolve_transposed(shape, weights, {}, narrow.data(), narrow_length, without.data());
  for (std::size_t i = 0; i < wide.size(); ++i)
    EXPECT_NEAR(with[i] - without[i], bias[i / wide_length], 1e-5) << i;
}

// The loss is the dot product of the output with `narrow`: its weight gradient is what we check.
TEST_P(Convolution, WeightGradientMatchesMeasuredSlopes) {
  std::vector<double> sums(weights.size(), 0.0);
  add_weight_gradient(shape, wide.data(), wide_length, narrow.data(), sums);
  const std::vector<float> gradient(sums.begin(), sums.end());
  std::vector<float> out(narrow.size());
  expect_slopes(weights, gradient, [&] {
    convolve(shape, weights, {}, wide.data(), wide_length, out.data());
    double loss = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) loss += double{out[i]} * double{narrow[i]};
    return loss;
  });
}

TEST_P(Convolution, BiasGradientIsTheSumOfEachRow) {
  std::vector<double> sums(static_cast<std::size_t>(shape.narrow_channels), 1.0);
  add_row_sums(narrow.data(), shape.narrow_channels, narrow_length, sums);
  for (std::size_t o = 0; o < sums.size(); ++o) {
    double sum = 1.0;
    for (std::size_t p = 0; p < narrow_length; ++p) sum += narrow[o * narrow_length + p];
    EXPECT_NEAR(sums[o], sum, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Convolution,
                         testing::Values(Case{{1, 4, 3}, 5}, Case{{4, 8, 3}, 41},
                                         Case{{4, 8, 3}, 3}, Case{{4, 8, 3}, 4},
                                         Case{{3, 7, 5}, 37}, Case{{2, 3, 1}, 19},
                                         Case{{1, 1, 3}, 3}, Case{{8, 4, 3}, 64},
                                         Case{{2, 5, 7}, 9}));

}  // namespace
}  // namespace dalaup
