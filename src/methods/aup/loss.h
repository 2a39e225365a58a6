#pragma once
// The losses of eqs. 4, 5 and 8 over one batch, with their gradients. Users that stand in several
// pairs are represented once; sums run over pairs, in float64.
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"
#include "embedding/embedding.h"
#include "numeric/numeric.h"

namespace dalaup {

// Each loss as defined, before its weight; total is the weighted sum that is minimised.
struct Losses {
  double single = 0.0;
  double cross = 0.0;
  double classification = 0.0;
  double regularisation = 0.0;
  double total = 0.0;
  Losses& operator+=(const Losses& more);
  Losses operator*(double factor) const;
};

// Representations of both sides and where their gradients are added.
struct RepresentationPair {
  const Matrix* a;
  const Matrix* b;
  Matrix* gradient_a;
  Matrix* gradient_b;
};

// Cosine similarity of two vectors of `size` numbers; 0 when one of them is zero.
double cosine(const float* left, const float* right, std::size_t size);
// Adds weight * d cosine / d left and / d right.
void add_cosine_gradient(const float* left, const float* right, std::size_t size, double weight,
                         float* left_gradient, float* right_gradient);

struct CrossLossOptions {
  double margin = 0.0;
  bool split_means = true;  // eq. 5: anchors and others averaged apart; else over all pairs
};
// Eq. 5; gradients are scaled by `weight`.
double cross_loss(std::span<const BatchPair> pairs, const CrossLossOptions& options, double weight,
                  const RepresentationPair& representations);

// squared: the paper's mean over pairs of |v_A|^2 + |v_B|^2. norm: the published code's |V_A| +
// |V_B|, each the norm of all rows of the batch together.
enum class Regularisation { kSquared, kNorm };
double regularisation_loss(Regularisation kind, const Matrix& representations,
                           std::span<const double> copies, double pair_count, double weight,
                           Matrix& gradient);

// Sum over the row of (output - target)^2. Replaces the output by weight * its gradient, times
// output * (1 - output) when it came out of a sigmoid.
double squared_error_backward(const float* target, std::span<float> output, double weight,
                              bool through_sigmoid);

// -log softmax(logits)[is_anchor]; gradient is written over the logits, scaled by weight.
double softmax_cross_entropy(float logits[2], bool is_anchor, double weight);

}  // namespace dalaup
