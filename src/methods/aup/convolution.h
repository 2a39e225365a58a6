#pragma once
// One-dimensional convolution over one user's channels, its adjoint (which is the transposed
// convolution) and the gradient of its weights. Rows of channels lie one after another, without
// padding.
#include <cstddef>
#include <span>

namespace dalaup {

// Weights are laid out [narrow_channels][wide_channels][width], "wide" being the longer side:
// convolve maps wide rows of length n to narrow rows of length n - width + 1.
struct ConvolutionShape {
  int wide_channels = 1;
  int narrow_channels = 1;
  int width = 3;
  std::size_t weight_count() const {
    return static_cast<std::size_t>(wide_channels) * static_cast<std::size_t>(narrow_channels) *
           static_cast<std::size_t>(width);
  }
};

// narrow[o][p] = bias[o] + sum over i, t of weights[o][i][t] * wide[i][p + t]. An empty bias is
// zero.
void convolve(const ConvolutionShape& shape, std::span<const float> weights,
              std::span<const float> bias, const float* wide, std::size_t wide_length,
              float* narrow);

// wide[i][q] = bias[i] + sum over o, t of weights[o][i][t] * narrow[o][q - t].
void convolve_transposed(const ConvolutionShape& shape, std::span<const float> weights,
                         std::span<const float> bias, const float* narrow,
                         std::size_t narrow_length, float* wide);

// gradient[o][i][t] += sum over p of narrow[o][p] * wide[i][p + t]: the weight gradient of both,
// one side being the input and the other the gradient of the output.
void add_weight_gradient(const ConvolutionShape& shape, const float* wide, std::size_t wide_length,
                         const float* narrow, std::span<double> gradient);

// sums[channel] += sum of the channel's row: the bias gradient.
void add_row_sums(const float* rows, int channels, std::size_t length, std::span<double> sums);

}  // namespace dalaup
