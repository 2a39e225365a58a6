#include "aup/rows.h"

#include <cmath>

#include "base/base.h"

namespace dalaup {

namespace {

template <class V>
DALAUP_INLINE void sigmoid_all(float* data, std::size_t size) {
  std::size_t place = 0;
  for (; place + V::kCount <= size; place += V::kCount) {
    typename V::Lanes lanes;
    V::load(data + place, lanes);
    V::squash(lanes);
    V::store(data + place, lanes);
  }
  if (place == size) return;
  typename V::Lanes last{};
  std::memcpy(&last, data + place, (size - place) * sizeof(float));
  V::squash(last);
  std::memcpy(data + place, &last, (size - place) * sizeof(float));
}

#if defined(__x86_64__)
DALAUP_WIDE void sigmoid_wide(float* data, std::size_t size) {
  sigmoid_all<LaneVector<16>>(data, size);
}
#endif

}  // namespace

void sigmoid(std::span<float> values) {
#if defined(__x86_64__)
  if (has_wide_vectors()) return sigmoid_wide(values.data(), values.size());
#endif
  sigmoid_all<LaneVector<8>>(values.data(), values.size());
}

void sigmoid_backward(const float* output, std::span<float> gradient) {
  float* const data = gradient.data();
  for (std::size_t p = 0; p < gradient.size(); ++p) data[p] *= output[p] * (1.0F - output[p]);
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
  const float origin = row[0];  // sums of differences from a typical value lose no digits
  const Lanes origins = all_lanes(origin);
  Lanes sums = {};
  Lanes squares = {};
  double sum = 0.0;
  double square = 0.0;
  for_lanes(
      length,
      [&](std::size_t p) {
        const Lanes difference = load_lanes(row + p) - origins;
        sums += difference;
        squares += difference * difference;
      },
      [&](std::size_t p) {
        const double difference = static_cast<double>(row[p] - origin);
        sum += difference;
        square += difference * difference;
      });
  sum += static_cast<double>(sum_of(sums));
  square += static_cast<double>(sum_of(squares));
  const auto count = static_cast<double>(length);
  return {.count = count,
          .mean = static_cast<double>(origin) + sum / count,
          .deviation = std::max(0.0, square - sum * sum / count)};
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

void apply_norm(const ChannelNorm& norm, const float* from, float* to, std::size_t length) {
  for (std::size_t p = 0; p < length; ++p) to[p] = from[p] * norm.factor + norm.offset;
}

NormSums norm_sums(const ChannelNorm& norm, const float* input, const float* gradient,
                   std::size_t length) {
  const Lanes means = all_lanes(static_cast<float>(norm.mean));
  Lanes sums = {};
  Lanes products = {};
  double sum = 0.0;
  double product = 0.0;
  for_lanes(
      length,
      [&](std::size_t p) {
        const Lanes value = load_lanes(gradient + p);
        sums += value;
        products += value * (load_lanes(input + p) - means);
      },
      [&](std::size_t p) {
        sum += static_cast<double>(gradient[p]);
        product += static_cast<double>(gradient[p]) * (static_cast<double>(input[p]) - norm.mean);
      });
  return {.gradient = sum + static_cast<double>(sum_of(sums)),
          .gradient_normalised =
              (product + static_cast<double>(sum_of(products))) * norm.inverse_deviation};
}

void norm_backward(const ChannelNorm& norm, const NormSums& sums, double copies, const float* input,
                   float* gradient, std::size_t length) {
  // factor * (g - copies * (mean gradient + normalised * mean gradient_normalised)), gathered into
  // factor * g + slope * input + constant.
  const double factor = static_cast<double>(norm.factor);
  const double slope =
      -factor * copies * sums.gradient_normalised / norm.count * norm.inverse_deviation;
  const double constant = -factor * copies * sums.gradient / norm.count - slope * norm.mean;
  const auto slope_float = static_cast<float>(slope);
  const auto constant_float = static_cast<float>(constant);
  for (std::size_t p = 0; p < length; ++p)
    gradient[p] = norm.factor * gradient[p] + (slope_float * input[p] + constant_float);
}

}  // namespace dalaup
