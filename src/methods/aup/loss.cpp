#include "methods/aup/loss.h"

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

double dot(const float* left, const float* right, std::size_t size) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4)
    for (std::size_t k = 0; k < 4; ++k)
      sums[k] += static_cast<double>(left[i + k]) * static_cast<double>(right[i + k]);
  for (; i < size; ++i) sums[0] += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace

Losses& Losses::operator+=(const Losses& more) {
  single += more.single;
  cross += more.cross;
  classification += more.classification;
  regularisation += more.regularisation;
  total += more.total;
  return *this;
}

Losses Losses::operator*(double factor) const {
  return {.single = single * factor,
          .cross = cross * factor,
          .classification = classification * factor,
          .regularisation = regularisation * factor,
          .total = total * factor};
}

double cosine(const float* left, const float* right, std::size_t size) {
  const double norms = dot(left, left, size) * dot(right, right, size);
  return norms > 0.0 ? dot(left, right, size) / std::sqrt(norms) : 0.0;
}

void add_cosine_gradient(const float* left, const float* right, std::size_t size, double weight,
                         float* left_gradient, float* right_gradient) {
  const double left_square = dot(left, left, size);
  const double right_square = dot(right, right, size);
  if (left_square == 0.0 || right_square == 0.0) return;  // no direction to move in
  const double scale = weight / std::sqrt(left_square * right_square);
  const double similarity = dot(left, right, size) / std::sqrt(left_square * right_square);
  const double left_pull = weight * similarity / left_square;
  const double right_pull = weight * similarity / right_square;
  for (std::size_t i = 0; i < size; ++i) {
    const auto l = static_cast<double>(left[i]);
    const auto r = static_cast<double>(right[i]);
    left_gradient[i] += static_cast<float>(scale * r - left_pull * l);
    right_gradient[i] += static_cast<float>(scale * l - right_pull * r);
  }
}

double cross_loss(std::span<const BatchPair> pairs, const CrossLossOptions& options, double weight,
                  const RepresentationPair& representations) {
  const auto size = static_cast<std::size_t>(representations.a->cols());
  const auto anchors = static_cast<double>(std::ranges::count_if(pairs, &BatchPair::is_anchor));
  const auto all = static_cast<double>(pairs.size());
  const double anchor_share = 1.0 / std::max(1.0, options.split_means ? anchors : all);
  const double other_share = 1.0 / std::max(1.0, options.split_means ? all - anchors : all);
  double loss = 0.0;
  for (const BatchPair& pair : pairs) {
    const float* const left = row_of(*representations.a, pair.row_a);
    const float* const right = row_of(*representations.b, pair.row_b);
    const double similarity = cosine(left, right, size);
    const double part =
        pair.is_anchor ? 1.0 - similarity : std::max(0.0, similarity - options.margin);
    const double share = pair.is_anchor ? anchor_share : other_share;
    loss += share * part;
    if (!pair.is_anchor && part == 0.0) continue;
    add_cosine_gradient(left, right, size, (pair.is_anchor ? -share : share) * weight,
                        row_of(*representations.gradient_a, pair.row_a),
                        row_of(*representations.gradient_b, pair.row_b));
  }
  return loss;
}

double regularisation_loss(Regularisation kind, const Matrix& representations,
                           std::span<const double> copies, double pair_count, double weight,
                           Matrix& gradient) {
  const auto size = static_cast<std::size_t>(representations.cols());
  double squares = 0.0;
  for (std::size_t row = 0; row < copies.size(); ++row) {
    const float* const values = row_of(representations, row);
    squares += copies[row] * dot(values, values, size);
  }
  const bool is_norm = kind == Regularisation::kNorm;
  const double loss = is_norm ? std::sqrt(squares) : squares / pair_count;
  if (squares == 0.0) return loss;
  const double slope = weight * (is_norm ? 1.0 / loss : 2.0 / pair_count);
  for (std::size_t row = 0; row < copies.size(); ++row) {
    const float* const values = row_of(representations, row);
    float* const out = row_of(gradient, row);
    const auto factor = static_cast<float>(slope * copies[row]);
    for (std::size_t i = 0; i < size; ++i) out[i] += factor * values[i];
  }
  return loss;
}

double squared_error_backward(const float* target, std::span<float> output, double weight,
                              bool through_sigmoid) {
  constexpr std::size_t kBlock = 256;  // summed in float32, blocks in float64
  const auto factor = static_cast<float>(2.0 * weight);
  double loss = 0.0;
  for (std::size_t begin = 0; begin < output.size(); begin += kBlock) {
    const std::size_t end = std::min(output.size(), begin + kBlock);
    float sums[8] = {};
    for (std::size_t p = begin; p < end; ++p) {
      const float value = output[p];
      const float error = value - target[p];
      sums[p % 8] += error * error;
      output[p] = factor * error * (through_sigmoid ? value * (1.0F - value) : 1.0F);
    }
    for (const float sum : sums) loss += static_cast<double>(sum);
  }
  return loss;
}

double softmax_cross_entropy(float logits[2], bool is_anchor, double weight) {
  const double own = static_cast<double>(logits[is_anchor ? 1 : 0]);
  const double gap = static_cast<double>(logits[is_anchor ? 0 : 1]) - own;
  // log(1 + e^gap) without overflow
  const double loss = std::max(gap, 0.0) + std::log1p(std::exp(-std::abs(gap)));
  const double wrong = 1.0 / (1.0 + std::exp(-gap));
  logits[is_anchor ? 1 : 0] = static_cast<float>(-weight * wrong);
  logits[is_anchor ? 0 : 1] = static_cast<float>(weight * wrong);
  return loss;
}

}  // namespace dalaup
