#pragma once
// What happens to rows of numbers between the matrix products: the sigmoid and batch normalisation,
// forward and backward. Everything works on one user's channels; sums over the batch are combined
// by the caller in user order, so they are the same at any thread count.
#include <cstddef>
#include <span>
#include <vector>

namespace dalaup {

// The sigmoid less `centre`.
void sigmoid(std::span<float> values, float centre = 0.0F);
// Its slope, from what came out of it.
inline float sigmoid_slope(float output, float centre) {
  const float share = output + centre;
  return share * (1.0F - share);
}
void sigmoid_backward(const float* output, std::span<float> gradient, float centre = 0.0F);

// Mean and summed squared deviation of `count` (weighted) numbers.
struct Moments {
  double count = 0.0;
  double mean = 0.0;
  double deviation = 0.0;
  void add(const Moments& more);  // Chan's formula: no cancellation when the mean is large
  double variance() const { return deviation / count; }
};
Moments row_moments(const float* row, std::size_t length);

inline constexpr double kNormEpsilon = 1e-5;
inline constexpr double kNormMomentum = 0.1;  // share of a new batch in the running statistics

// One channel of a batch normalisation: y = scale * (z - mean) / sqrt(variance + epsilon) + shift.
struct ChannelNorm {
  double mean = 0.0;
  double inverse_deviation = 1.0;
  double count = 1.0;   // rows of the batch, copies included, times the row length
  float factor = 1.0F;  // y = factor * z + offset
  float offset = 0.0F;
};
ChannelNorm channel_norm(double mean, double variance, double count, float scale, float shift);
// The normalised row, or its sigmoid.
void apply_norm(const ChannelNorm& norm, bool squashes, const float* from, float* to,
                std::size_t length);

// Sums over a row that the backward pass of a channel needs.
struct NormSums {
  double gradient = 0.0;             // the gradient of the shift
  double gradient_normalised = 0.0;  // gradient times normalised input: the gradient of the scale
};
NormSums norm_sums(const ChannelNorm& norm, const float* input, const float* gradient,
                   std::size_t length);
// Turns the gradient of the output into that of the input, for a user that stands in the batch
// `copies` times and whose gradient is the sum over its copies.
void norm_backward(const ChannelNorm& norm, const NormSums& sums, double copies, const float* input,
                   float* gradient, std::size_t length);

}  // namespace dalaup
