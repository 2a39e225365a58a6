#include "methods/aup/normalisation.h"

#include "support/gradients.h"

namespace dalaup {
namespace {

TEST(Sigmoid, IsRightFromTailToTailAndNeverNaN) {
  std::vector<float> values;
  for (float x = -120.0F; x <= 120.0F; x += 0.37F) values.push_back(x);
  const std::vector<float> inputs = values;
  sigmoid(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], 1.0 / (1.0 + std::exp(-double{inputs[i]})), 3e-7) << inputs[i];
}

TEST(Sigmoid, ExpIsWithinTwoUnitsInTheLastPlace) {
  for (float x = -86.0F; x < 87.0F; x += 0.0137F) {
    const double right = std::exp(double{x});
    Lanes lanes = all_lanes(x);
    LaneVector<8>::exponentiate(lanes);
    EXPECT_NEAR(lanes[3], right, right * 2.4e-7) << x;
  }
}

TEST(Sigmoid, GradientMatchesMeasuredSlopes) {
  auto inputs = random_values(13, 5);
  const auto weights = random_values(13, 6);
  std::vector<float> outputs = inputs;
  sigmoid(outputs);
  std::vector<float> gradient = weights;
  sigmoid_backward(outputs.data(), gradient);
  expect_slopes(inputs, gradient, [&] {
    double loss = 0.0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      loss += weights[i] / (1.0 + std::exp(-double{inputs[i]}));
    return loss;
  });
}

TEST(Moments, KeepTheirDigitsWhenTheMeanIsLarge) {
  std::vector<float> row(1001);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = 1000.0F + (i % 2 == 0 ? 0.5F : -0.5F);
  const Moments moments = row_moments(row.data(), row.size());
  EXPECT_NEAR(moments.mean, 1000.0 + 0.5 / 1001.0, 1e-9);
  EXPECT_NEAR(moments.variance(), 0.25, 1e-5);
}

TEST(Moments, OfPartsCombineToThoseOfTheWhole) {
  const auto row = random_values(100, 7);
  Moments parts = row_moments(row.data(), 30);
  parts.add(row_moments(row.data() + 30, 70));
  const Moments whole = row_moments(row.data(), 100);
  EXPECT_NEAR(parts.mean, whole.mean, 1e-6);
  EXPECT_NEAR(parts.deviation, whole.deviation, 1e-4);
}

// Two users of one channel, the first standing in the batch twice: the batch has three rows.
TEST(BatchNorm, GradientMatchesMeasuredSlopesWithCopies) {
  constexpr std::size_t kLength = 11;
  auto inputs = random_values(2 * kLength, 8);
  const auto weights = random_values(2 * kLength, 9);  // of the outputs in the loss, copies summed
  const double copies[2] = {2.0, 1.0};
  const float scale = 1.7F;
  const float shift = -0.3F;
  const auto norm_of = [&] {
    Moments all;
    for (std::size_t user = 0; user < 2; ++user) {
      Moments mine = row_moments(inputs.data() + user * kLength, kLength);
      mine.count *= copies[user];
      mine.deviation *= copies[user];
      all.add(mine);
    }
    return channel_norm(all.mean, all.variance(), all.count, scale, shift);
  };
  const ChannelNorm norm = norm_of();
  std::vector<float> gradient = weights;
  NormSums sums;
  for (std::size_t user = 0; user < 2; ++user) {
    const NormSums mine =
        norm_sums(norm, inputs.data() + user * kLength, gradient.data() + user * kLength, kLength);
    sums.gradient += mine.gradient;
    sums.gradient_normalised += mine.gradient_normalised;
  }
  for (std::size_t user = 0; user < 2; ++user)
    norm_backward(norm, sums, copies[user], inputs.data() + user * kLength,
                  gradient.data() + user * kLength, kLength);
  expect_slopes(
      inputs, gradient,
      [&] {
        const ChannelNorm now = norm_of();
        double loss = 0.0;
        for (std::size_t i = 0; i < inputs.size(); ++i)
          loss += double{weights[i]} *
                  (double{scale} * (inputs[i] - now.mean) * now.inverse_deviation + shift);
        return loss;
      },
      2e-3, 5e-3);
}

}  // namespace
}  // namespace dalaup
