#pragma once
// How much each coordinate counts: one factor each, for both networks, learned so that the two
// users of an anchor are closer by cosine than either is to anybody else of the batch.
#include <array>
#include <span>
#include <vector>

#include "embedding/embedding.h"
#include "methods/anchor_context/anchor_context.h"

namespace dalaup {

struct WeightTraining {
  std::vector<float> weights;
  int epochs = 0;  // after which the weights are those that were kept
};
// Trains from factors of 1 with Adam until the mrr of `validation` has not risen, or without
// validation pairs the training loss has not fallen by `tolerance`, for `patience` epochs, or until
// `epochs`; gives the best weights by validation, else the last. Throws StateError when the loss is
// not finite.
WeightTraining learn_weights(const AnchorContextParams& params,
                             const std::array<Matrix, 2>& coordinates, const LabelSet& labels,
                             const HeldOut& parts, int epochs, Run& run);

Matrix weighed(const Matrix& rows, std::span<const float> weights);

// Every anchor of the batch against all users of the batch on the other side, which by the
// interlock are not its partner: mean over both directions of -log softmax(cosine / temperature).
// Fills in the gradients.
double softmax_contrast(std::span<const BatchPair> pairs, double temperature,
                        const std::array<Matrix, 2>& vectors, std::array<Matrix, 2>& gradients);

}  // namespace dalaup
