#include "methods/aup/normalisation.h"

#include <algorithm>
#include <cmath>

#include "base/base.h"
#include "numeric/numeric.h"

namespace dalaup {
namespace {

// change(lanes, other lanes) for whole vectors of two rows and, with zeros behind, for the rest;
// `to` may be either row.
template <class V, class Change>
DALAUP_INLINE void change_row(const float* from, const float* other, float* to, std::size_t size,
                              Change&& change) {
  typename V::Lanes values;
  typename V::Lanes others;
  std::size_t place = 0;
  for (; place + V::kCount <= size; place += V::kCount) {
    V::load(from + place, values);
    V::load(other + place, others);
    change(values, others);
    V::store(to + place, values);
  }
  if (place == size) return;
  const std::size_t rest = (size - place) * sizeof(float);
  values = others = typename V::Lanes{};
  std::memcpy(&values, from + place, rest);
  std::memcpy(&others, other + place, rest);
  change(values, others);
  std::memcpy(to + place, &values, rest);
}

// Sums over the whole vectors of a row of what add(place, first, second) adds to two sums. Two of
// each are kept, so that an addition need not wait for the one before.
struct RowSums {
  double first;
  double second;
  std::size_t done;  // numbers of the row that are in the sums
};
template <class V, class Add>
DALAUP_INLINE RowSums sum_row(std::size_t size, Add&& add) {
  typename V::Lanes first[2] = {};
  typename V::Lanes second[2] = {};
  std::size_t place = 0;
  for (; place + 2 * V::kCount <= size; place += 2 * V::kCount)
    for (std::size_t i = 0; i < 2; ++i) add(place + i * V::kCount, first[i], second[i]);
  return {.first = static_cast<double>(V::sum(first[0])) + static_cast<double>(V::sum(first[1])),
          .second = static_cast<double>(V::sum(second[0])) + static_cast<double>(V::sum(second[1])),
          .done = place};
}

struct Sigmoid {
  template <class V>
  DALAUP_INLINE static void run(float* data, std::size_t size) {
    change_row<V>(
        data, data, data, size,
        [](auto& values, const auto&) __attribute__((always_inline)) { V::squash(values); });
  }
};

struct SigmoidBackward {
  template <class V>
  DALAUP_INLINE static void run(const float* output, float* gradient, std::size_t size) {
    change_row<V>(
        gradient, output, gradient, size,
        [](auto& slope, const auto& out)
            __attribute__((always_inline)) { slope *= out * (1.0F - out); });
  }
};

struct Norm {
  template <class V>
  DALAUP_INLINE static void run(float factor, float offset, bool squashes, const float* from,
                                float* to, std::size_t size) {
    if (squashes)
      change_row<V>(
          from, from, to, size, [&](auto& values, const auto&) __attribute__((always_inline)) {
            values = values * factor + offset;
            V::squash(values);
          });
    else
      change_row<V>(
          from, from, to, size, [&](auto& values, const auto&) __attribute__((always_inline)) {
            values = values * factor + offset;
          });
  }
};

struct RowMoments {
  template <class V>
  DALAUP_INLINE static Moments run(const float* row, std::size_t length) {
    const float origin = row[0];  // sums of differences from a typical value lose no digits
    auto [sum, square, place] = sum_row<V>(
        length, [&](std::size_t p, auto& sums, auto& squares) __attribute__((always_inline)) {
          typename V::Lanes difference;
          V::load(row + p, difference);
          difference -= origin;
          sums += difference;
          squares += difference * difference;
        });
    for (; place < length; ++place) {
      const double difference = static_cast<double>(row[place] - origin);
      sum += difference;
      square += difference * difference;
    }
    const auto count = static_cast<double>(length);
    return {.count = count,
            .mean = static_cast<double>(origin) + sum / count,
            .deviation = std::max(0.0, square - sum * sum / count)};
  }
};

struct NormGradients {
  template <class V>
  DALAUP_INLINE static NormSums run(double mean, double inverse_deviation, const float* input,
                                    const float* gradient, std::size_t length) {
    const auto rounded_mean = static_cast<float>(mean);
    auto [sum, product, place] = sum_row<V>(
        length, [&](std::size_t p, auto& sums, auto& products) __attribute__((always_inline)) {
          typename V::Lanes slope;
          typename V::Lanes value;
          V::load(gradient + p, slope);
          V::load(input + p, value);
          sums += slope;
          products += slope * (value - rounded_mean);
        });
    for (; place < length; ++place) {
      sum += static_cast<double>(gradient[place]);
      product += static_cast<double>(gradient[place]) * (static_cast<double>(input[place]) - mean);
    }
    return {.gradient = sum, .gradient_normalised = product * inverse_deviation};
  }
};

struct NormBackward {
  template <class V>
  DALAUP_INLINE static void run(float factor, float slope, float constant, const float* input,
                                float* gradient, std::size_t length) {
    change_row<V>(
        gradient, input, gradient,
        length, [&](auto& values, const auto& inputs) __attribute__((always_inline)) {
          values = factor * values + (slope * inputs + constant);
        });
  }
};

}  // namespace

void sigmoid(std::span<float> values, float centre) {
  run_kernel<Sigmoid>(values.data(), values.size());
  if (centre == 0.0F) return;
  for (float& value : values) value -= centre;
}

void sigmoid_backward(const float* output, std::span<float> gradient, float centre) {
  if (centre == 0.0F) return run_kernel<SigmoidBackward>(output, gradient.data(), gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] *= sigmoid_slope(output[i], centre);
}

void Moments::add(const Moments& more) {
  if (more.count == 0.0) return;
  const double total = count + more.count;
  const double step = more.mean - mean;
  deviation += more.deviation + step * step * count * more.count / total;
  mean += step * more.count / total;
  count = total;
}

Moments row_moments(const float* row, std::size_t length) {
  return run_kernel<RowMoments>(row, length);
}

ChannelNorm channel_norm(double mean, double variance, double count, float scale, float shift) {
  ChannelNorm norm;
  norm.mean = mean;
  norm.inverse_deviation = 1.0 / std::sqrt(variance + kNormEpsilon);
  norm.count = count;
  const double factor = static_cast<double>(scale) * norm.inverse_deviation;
  norm.factor = static_cast<float>(factor);
  norm.offset = static_cast<float>(static_cast<double>(shift) - mean * factor);
  return norm;
}

void apply_norm(const ChannelNorm& norm, bool squashes, const float* from, float* to,
                std::size_t length) {
  run_kernel<Norm>(norm.factor, norm.offset, squashes, from, to, length);
}

NormSums norm_sums(const ChannelNorm& norm, const float* input, const float* gradient,
                   std::size_t length) {
  return run_kernel<NormGradients>(norm.mean, norm.inverse_deviation, input, gradient, length);
}

void norm_backward(const ChannelNorm& norm, const NormSums& sums, double copies, const float* input,
                   float* gradient, std::size_t length) {
  // factor * (g - copies * (mean gradient + normalised * mean gradient_normalised)), gathered into
  // factor * g + slope * input + constant.
  const double factor = static_cast<double>(norm.factor);
  const double slope =
      -factor * copies * sums.gradient_normalised / norm.count * norm.inverse_deviation;
  const double constant = -factor * copies * sums.gradient / norm.count - slope * norm.mean;
  run_kernel<NormBackward>(norm.factor, static_cast<float>(slope), static_cast<float>(constant),
                           input, gradient, length);
}

}  // namespace dalaup
