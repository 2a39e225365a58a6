#pragma once
// Maps from the vectors of A to those of B, learned on anchors.
#include <span>

#include "base/base.h"
#include "labels/labels.h"
#include "numeric/numeric.h"
#include "ranking/ranking.h"

namespace dalaup {

// Both sides centred and scaled to length 1; A's then turned by the rotation that brings the
// anchors closest (orthogonal Procrustes: Schönemann 1966).
Embeddings turned_onto(const Embeddings& vectors, std::span<const UserPair> anchors);

// Least squares with weight decay: A -> A W + offset close to B on the anchors.
Embeddings mapped_linearly(const Embeddings& vectors, std::span<const UserPair> anchors,
                           double regularisation);

struct HiddenLayerPlan {
  int units = 256;
  int epochs = 200;
  double regularisation = 1.0;
};
// One hidden layer of tanh units, full gradients with Adam from a seeded start.
Embeddings mapped_by_hidden_layer(const Embeddings& vectors, std::span<const UserPair> anchors,
                                  const HiddenLayerPlan& plan, Random random, const Run& run);

// The hidden layer's parameters, and the loss they have with its gradient (for the test as well).
struct HiddenLayer {
  Eigen::MatrixXd first;  // inputs x units
  Eigen::RowVectorXd first_offset;
  Eigen::MatrixXd second;  // units x outputs
  Eigen::RowVectorXd second_offset;

  Eigen::MatrixXd operator()(const Eigen::MatrixXd& inputs) const;
  // Mean squared distance to the targets plus regularisation / anchors * squared weights.
  double loss(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& targets, double regularisation,
              HiddenLayer& gradient) const;
};

}  // namespace dalaup
