#pragma once
// The pair classifier (eq. 6): logits of "not one person" and "one person" from two
// representations. linear: one layer on (v_A, v_B), as the paper writes. It adds a score of a and a
// score of b, so it can
//   say that each looks anchored but not that they match.
// mlp: a hidden layer with ReLU first, as the published code.
// interaction: one layer on (v_A, v_B, |v_A - v_B|, v_A * v_B).
#include <span>
#include <string>
#include <vector>

#include "base/base.h"
#include "methods/aup/loss.h"
#include "numeric/numeric.h"

namespace dalaup {

enum class HeadKind { kLinear, kMlp, kInteraction };
HeadKind head_kind(const std::string& name);

struct Head {
  HeadKind kind = HeadKind::kLinear;
  std::size_t embedding_dim = 0;
  std::size_t hidden_weight = 0;  // mlp only: [d][2 d]
  std::size_t hidden_bias = 0;
  std::size_t weight = 0;  // [2][features]
  std::size_t bias = 0;
};
Head add_head(Tensors& tensors, HeadKind kind, std::size_t embedding_dim);

// Mean cross entropy over the pairs; adds the gradients, scaled by weight, of the head's parameters
// and, when the representations have somewhere to add them, of the representations.
double head_loss(const Head& head, const Tensors& tensors, std::span<const BatchPair> pairs,
                 const RepresentationPair& representations, double weight, Gradients& gradients);

// logit(one person) - logit(not) of one user with every row of `others`.
void head_scores(const Head& head, const Tensors& tensors, bool user_is_a, const float* user,
                 const Matrix& others, std::span<float> scores);

// The same with the published head (mlp), whose hidden layer adds a part of a and a part of b:
// these are computed once for all users of a side, the bias with those of A.
Matrix hidden_parts(const Head& head, const Tensors& tensors, bool users_are_a,
                    const Matrix& representations);
void scores_from_parts(const Head& head, const Tensors& tensors, const float* user_part,
                       const Matrix& other_parts, std::span<float> scores);

}  // namespace dalaup
