#pragma once
// The fully connected layers between a network's long feature rows and its short representations.
// Encoder and decoder store their weights alike, [representation][features], cut into tiles of
// columns: a tile is multiplied, gets its gradient and is updated while it is in the cache.
#include <optional>
#include <span>
#include <vector>

#include "base/base.h"
#include "numeric/numeric.h"

namespace dalaup {

struct DenseWeights {
  std::size_t weight = 0;  // [outputs][inputs]; the decoder's is [inputs][outputs]
  std::size_t bias = 0;
};

// One network's users on either side of its dense layer.
struct DenseRows {
  Matrix* features;         // users x features
  Matrix* representations;  // users x representation
  std::size_t users;
};

// representations = features * weight' + bias
void encode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run);
// The same a window at a time, on the calling thread: `features` has, for each of some users,
// places `begin` to `end` of every channel's row. Windows come in order, the first sets the
// representations.
struct FeatureWindow {
  std::size_t begin;
  std::size_t end;
  std::size_t channels;
};
void encode_window(const Tensors& tensors, const DenseWeights& weights, const FeatureWindow& window,
                   const float* features, std::size_t users, float* representations,
                   std::vector<float>& scratch);
// features = representations * weight + bias
void decode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run);

// From the gradient of the representations: updates the weight, adds the bias gradient, and
// replaces the features by their gradient, through the sigmoid less `centre` where they came out of
// one.
void encode_backward(Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                     const Matrix& representation_gradient, std::optional<float> centre,
                     Optimiser& optimiser, Gradients& gradients, Run& run);
// From the gradient of the features (in place of them): updates the weight and bias and adds to the
// gradient of the representations.
void decode_backward(Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                     Matrix& representation_gradient, Optimiser& optimiser, Run& run);

}  // namespace dalaup
