#include "methods/aup/convolution.h"

#include <algorithm>
#include <vector>

#include "base/base.h"
#include "numeric/numeric.h"

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

// kOut output channels at kVectors vectors of positions stay in registers; each weight is read once
// for all.
template <class V, int kOut, int kVectors>
DALAUP_INLINE void correlate_tile(const Correlation& job, int first_out, std::size_t place) {
  typename V::Lanes sums[kOut][kVectors];
  for (int o = 0; o < kOut; ++o)
    for (int v = 0; v < kVectors; ++v)
      sums[o][v] = (job.bias == nullptr ? 0.0F : job.bias[first_out + o]) + typename V::Lanes{};
  const float* weight = job.packed + first_out;
  for (int i = 0; i < job.in_channels; ++i) {
    const float* from = job.in + static_cast<std::size_t>(i) * job.in_stride + place;
    for (int t = 0; t < job.width; ++t, weight += job.out_channels) {
      typename V::Lanes values[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) V::load(from + t + v * V::kCount, values[v]);
      for (int o = 0; o < kOut; ++o)
        for (int v = 0; v < kVectors; ++v) sums[o][v] += weight[o] * values[v];
    }
  }
  for (int o = 0; o < kOut; ++o) {
    float* to = job.out + static_cast<std::size_t>(first_out + o) * job.out_stride + place;
    for (std::size_t v = 0; v < kVectors; ++v) V::store(to + v * V::kCount, sums[o][v]);
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

template <class V, int kOut, int kVectors>
DALAUP_INLINE void correlate_channels(const Correlation& job, int first_out,
                                      std::size_t positions) {
  constexpr std::size_t kStep = kVectors * V::kCount;
  std::size_t place = 0;
  for (; place + kStep <= positions; place += kStep)
    correlate_tile<V, kOut, kVectors>(job, first_out, place);
  if (place == positions) return;
  if (positions >= kStep)  // the last tile overlaps the one before and writes the same values again
    correlate_tile<V, kOut, kVectors>(job, first_out, positions - kStep);
  else if constexpr (kVectors > 1)
    correlate_channels<V, kOut, 1>(job, first_out, positions);
  else
    for (int o = first_out; o < first_out + kOut; ++o)
      for (std::size_t p = place; p < positions; ++p)
        job.out[static_cast<std::size_t>(o) * job.out_stride + p] = correlate_one(job, o, p);
}

struct Correlate {
  template <class V>
  DALAUP_INLINE static void run(const Correlation& job, std::size_t positions) {
    constexpr int kScale = V::kCount == 16 ? 2 : 1;  // twice as many registers
    int o = 0;
    for (; o + 4 <= job.out_channels; o += 4)
      correlate_channels<V, 4, 2 * kScale>(job, o, positions);
    for (; o + 2 <= job.out_channels; o += 2) correlate_channels<V, 2, 4>(job, o, positions);
    for (; o < job.out_channels; ++o) correlate_channels<V, 1, 4>(job, o, positions);
  }
};

// kNarrow narrow channels times kWidth taps of one wide channel.
template <class V, int kNarrow, int kWidth>
DALAUP_INLINE void add_gradient_tile(const float* wide, const float* narrow, std::size_t positions,
                                     double* out, std::size_t narrow_stride_out) {
  typename V::Lanes sums[kNarrow][kWidth];
  for (auto& row : sums)
    for (auto& sum : row) sum = typename V::Lanes{};
  std::size_t place = 0;
  for (; place + V::kCount <= positions; place += V::kCount) {
    typename V::Lanes taps[kWidth];
    for (std::size_t t = 0; t < kWidth; ++t) V::load(wide + place + t, taps[t]);
    for (std::size_t o = 0; o < kNarrow; ++o) {
      typename V::Lanes values;
      V::load(narrow + o * positions + place, values);
      for (std::size_t t = 0; t < kWidth; ++t) sums[o][t] += values * taps[t];
    }
  }
  for (std::size_t o = 0; o < kNarrow; ++o)
    for (std::size_t t = 0; t < kWidth; ++t) {
      double rest = 0.0;
      for (std::size_t p = place; p < positions; ++p)
        rest += static_cast<double>(narrow[o * positions + p]) * static_cast<double>(wide[p + t]);
      out[o * narrow_stride_out + t] += static_cast<double>(V::sum(sums[o][t])) + rest;
    }
}

template <class V, int kNarrow>
DALAUP_INLINE void add_gradient_channels(const float* wide, const float* narrow,
                                         std::size_t positions, int width, double* out,
                                         std::size_t narrow_stride_out) {
  int t = 0;
  for (; t + 3 <= width; t += 3)
    add_gradient_tile<V, kNarrow, 3>(wide + t, narrow, positions, out + t, narrow_stride_out);
  for (; t < width; ++t)
    add_gradient_tile<V, kNarrow, 1>(wide + t, narrow, positions, out + t, narrow_stride_out);
}

struct AddGradient {
  template <class V>
  DALAUP_INLINE static void run(const ConvolutionShape& shape, const float* wide,
                                std::size_t wide_length, const float* narrow, double* gradient) {
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t positions = wide_length - (width - 1);
    const std::size_t stride = static_cast<std::size_t>(shape.wide_channels) * width;
    for (int i = 0; i < shape.wide_channels; ++i) {
      const float* row = wide + static_cast<std::size_t>(i) * wide_length;
      double* const out = gradient + static_cast<std::size_t>(i) * width;
      const auto channels = static_cast<std::size_t>(shape.narrow_channels);
      std::size_t o = 0;
      for (; o + 4 <= channels; o += 4)
        add_gradient_channels<V, 4>(row, narrow + o * positions, positions, shape.width,
                                    out + o * stride, stride);
      for (; o < channels; ++o)
        add_gradient_channels<V, 1>(row, narrow + o * positions, positions, shape.width,
                                    out + o * stride, stride);
    }
  }
};

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
  run_kernel<Correlate>(Correlation{.in_channels = shape.wide_channels,
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
    run_kernel<Correlate>(Correlation{.in_channels = shape.narrow_channels,
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
  run_kernel<AddGradient>(shape, wide, wide_length, narrow, gradient.data());
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
