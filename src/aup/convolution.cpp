#include "aup/convolution.h"

#include <algorithm>
#include <vector>

#include "aup/lanes.h"

namespace dalaup {
namespace {

// A correlation of `in_channels` rows to `out_channels` rows with weights packed [in][width][out].
struct Correlation {
  int in_channels;
  int out_channels;
  int width;
  const float* packed;
  const float* bias;  // nullptr: zero
  const float* in;
  std::size_t in_stride;
  float* out;
  std::size_t out_stride;
};

// kOut output channels at kVectors * 8 positions stay in registers; each weight is read once for
// all.
template <int kOut, int kVectors>
void correlate_tile(const Correlation& job, int first_out, std::size_t place) {
  Lanes sums[kOut][kVectors];
  for (int o = 0; o < kOut; ++o)
    for (int v = 0; v < kVectors; ++v)
      sums[o][v] = all_lanes(job.bias == nullptr ? 0.0F : job.bias[first_out + o]);
  const float* weight = job.packed + first_out;
  for (int i = 0; i < job.in_channels; ++i) {
    const float* from = job.in + static_cast<std::size_t>(i) * job.in_stride + place;
    for (int t = 0; t < job.width; ++t, weight += job.out_channels) {
      Lanes values[kVectors];
      for (int v = 0; v < kVectors; ++v) values[v] = load_lanes(from + t + v * 8);
      for (int o = 0; o < kOut; ++o) {
        const Lanes factor = all_lanes(weight[o]);
        for (int v = 0; v < kVectors; ++v) sums[o][v] += factor * values[v];
      }
    }
  }
  for (int o = 0; o < kOut; ++o) {
    float* to = job.out + static_cast<std::size_t>(first_out + o) * job.out_stride + place;
    for (int v = 0; v < kVectors; ++v) store_lanes(to + v * 8, sums[o][v]);
  }
}

float correlate_one(const Correlation& job, int o, std::size_t place) {
  float sum = job.bias == nullptr ? 0.0F : job.bias[o];
  for (int i = 0; i < job.in_channels; ++i)
    for (int t = 0; t < job.width; ++t)
      sum +=
          job.packed[(i * job.width + t) * job.out_channels + o] *
          job.in[static_cast<std::size_t>(i) * job.in_stride + place + static_cast<std::size_t>(t)];
  return sum;
}

template <int kOut, int kVectors>
void correlate_channels(const Correlation& job, int first_out, std::size_t positions) {
  constexpr std::size_t kStep = kVectors * kLanes;
  std::size_t place = 0;
  for (; place + kStep <= positions; place += kStep)
    correlate_tile<kOut, kVectors>(job, first_out, place);
  if (place == positions) return;
  if (positions >= kStep)  // the last tile overlaps the one before and writes the same values again
    correlate_tile<kOut, kVectors>(job, first_out, positions - kStep);
  else
    for (int o = first_out; o < first_out + kOut; ++o)
      for (std::size_t p = place; p < positions; ++p)
        job.out[static_cast<std::size_t>(o) * job.out_stride + p] = correlate_one(job, o, p);
}

void correlate(const Correlation& job, std::size_t positions) {
  int o = 0;
  for (; o + 4 <= job.out_channels; o += 4) correlate_channels<4, 2>(job, o, positions);
  for (; o + 2 <= job.out_channels; o += 2) correlate_channels<2, 4>(job, o, positions);
  for (; o < job.out_channels; ++o) correlate_channels<1, 4>(job, o, positions);
}

// kNarrow narrow channels times kWidth taps of one wide channel.
template <int kNarrow, int kWidth>
void add_gradient_tile(const float* wide, const float* narrow, std::size_t positions, double* out,
                       std::size_t narrow_stride_out) {
  Lanes sums[kNarrow][kWidth];
  for (auto& row : sums)
    for (Lanes& sum : row) sum = Lanes{};
  std::size_t place = 0;
  for (; place + kLanes <= positions; place += kLanes) {
    Lanes taps[kWidth];
    for (int t = 0; t < kWidth; ++t)
      taps[t] = load_lanes(wide + place + static_cast<std::size_t>(t));
    for (int o = 0; o < kNarrow; ++o) {
      const Lanes values = load_lanes(narrow + static_cast<std::size_t>(o) * positions + place);
      for (int t = 0; t < kWidth; ++t) sums[o][t] += values * taps[t];
    }
  }
  for (int o = 0; o < kNarrow; ++o)
    for (int t = 0; t < kWidth; ++t) {
      double rest = 0.0;
      for (std::size_t p = place; p < positions; ++p)
        rest += static_cast<double>(narrow[static_cast<std::size_t>(o) * positions + p]) *
                static_cast<double>(wide[p + static_cast<std::size_t>(t)]);
      out[static_cast<std::size_t>(o) * narrow_stride_out + static_cast<std::size_t>(t)] +=
          static_cast<double>(sum_of(sums[o][t])) + rest;
    }
}

template <int kNarrow>
void add_gradient_channels(const float* wide, const float* narrow, std::size_t positions, int width,
                           double* out, std::size_t narrow_stride_out) {
  int t = 0;
  for (; t + 3 <= width; t += 3)
    add_gradient_tile<kNarrow, 3>(wide + t, narrow, positions, out + t, narrow_stride_out);
  for (; t < width; ++t)
    add_gradient_tile<kNarrow, 1>(wide + t, narrow, positions, out + t, narrow_stride_out);
}

}  // namespace

void convolve(const ConvolutionShape& shape, std::span<const float> weights,
              std::span<const float> bias, const float* wide, std::size_t wide_length,
              float* narrow) {
  const std::size_t positions = wide_length - static_cast<std::size_t>(shape.width - 1);
  std::vector<float> packed(shape.weight_count());
  const int taps = shape.wide_channels * shape.width;
  for (int o = 0; o < shape.narrow_channels; ++o)
    for (int tap = 0; tap < taps; ++tap)
      packed[static_cast<std::size_t>(tap * shape.narrow_channels + o)] =
          weights[static_cast<std::size_t>(o * taps + tap)];
  correlate({.in_channels = shape.wide_channels,
             .out_channels = shape.narrow_channels,
             .width = shape.width,
             .packed = packed.data(),
             .bias = bias.empty() ? nullptr : bias.data(),
             .in = wide,
             .in_stride = wide_length,
             .out = narrow,
             .out_stride = positions},
            positions);
}

void convolve_transposed(const ConvolutionShape& shape, std::span<const float> weights,
                         std::span<const float> bias, const float* narrow,
                         std::size_t narrow_length, float* wide) {
  const auto width = static_cast<std::size_t>(shape.width);
  const std::size_t wide_length = narrow_length + width - 1;
  const auto weight = [&](int o, int i, std::size_t t) {
    return weights[static_cast<std::size_t>(o * shape.wide_channels + i) * width + t];
  };
  if (narrow_length >= width) {  // positions that every tap reaches: a correlation, taps reversed
    std::vector<float> packed(shape.weight_count());
    std::size_t next = 0;
    for (int o = 0; o < shape.narrow_channels; ++o)
      for (std::size_t t = 0; t < width; ++t)
        for (int i = 0; i < shape.wide_channels; ++i) packed[next++] = weight(o, i, width - 1 - t);
    correlate({.in_channels = shape.narrow_channels,
               .out_channels = shape.wide_channels,
               .width = shape.width,
               .packed = packed.data(),
               .bias = bias.empty() ? nullptr : bias.data(),
               .in = narrow,
               .in_stride = narrow_length,
               .out = wide + (width - 1),
               .out_stride = wide_length},
              narrow_length - width + 1);
  }
  const auto edge = [&](std::size_t q) {
    for (int i = 0; i < shape.wide_channels; ++i) {
      float sum = bias.empty() ? 0.0F : bias[static_cast<std::size_t>(i)];
      for (std::size_t t = 0; t < width; ++t)
        if (q >= t && q - t < narrow_length)
          for (int o = 0; o < shape.narrow_channels; ++o)
            sum += weight(o, i, t) * narrow[static_cast<std::size_t>(o) * narrow_length + q - t];
      wide[static_cast<std::size_t>(i) * wide_length + q] = sum;
    }
  };
  const std::size_t left_edge = std::min(width - 1, wide_length);
  for (std::size_t q = 0; q < left_edge; ++q) edge(q);
  for (std::size_t q = std::max(narrow_length, left_edge); q < wide_length; ++q) edge(q);
}

void add_weight_gradient(const ConvolutionShape& shape, const float* wide, std::size_t wide_length,
                         const float* narrow, std::span<double> gradient) {
  const auto width = static_cast<std::size_t>(shape.width);
  const std::size_t positions = wide_length - (width - 1);
  const std::size_t stride = static_cast<std::size_t>(shape.wide_channels) * width;
  for (int i = 0; i < shape.wide_channels; ++i) {
    const float* row = wide + static_cast<std::size_t>(i) * wide_length;
    int o = 0;
    const auto narrow_row = [&] { return narrow + static_cast<std::size_t>(o) * positions; };
    const auto out = [&] {
      return gradient.data() + static_cast<std::size_t>(o) * stride +
             static_cast<std::size_t>(i) * width;
    };
    for (; o + 4 <= shape.narrow_channels; o += 4)
      add_gradient_channels<4>(row, narrow_row(), positions, shape.width, out(), stride);
    for (; o < shape.narrow_channels; ++o)
      add_gradient_channels<1>(row, narrow_row(), positions, shape.width, out(), stride);
  }
}

void add_row_sums(const float* rows, int channels, std::size_t length, std::span<double> sums) {
  for (int channel = 0; channel < channels; ++channel, rows += length) {
    Lanes lanes = {};
    double rest = 0.0;
    for_lanes(
        length, [&](std::size_t p) { lanes += load_lanes(rows + p); },
        [&](std::size_t p) { rest += static_cast<double>(rows[p]); });
    sums[static_cast<std::size_t>(channel)] += static_cast<double>(sum_of(lanes)) + rest;
  }
}

}  // namespace dalaup
