#pragma once
// The network of section 3.1: convolutions shared by both networks, a dense layer for each, the
// mirrored decoder, and the pair classifier; and one training step of it.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "methods/aup/aup.h"
#include "methods/aup/dense.h"
#include "methods/aup/head.h"
#include "methods/aup/loss.h"
#include "methods/aup/stack.h"
#include "numeric/numeric.h"

namespace dalaup {

struct AupNetwork {
  Tensors tensors;
  std::array<StackShape, 2> encoder_shape;
  std::array<StackShape, 2> decoder_shape;
  StackWeights encoder;
  StackWeights decoder;
  std::array<DenseWeights, 2> encoder_dense;
  std::array<DenseWeights, 2> decoder_dense;
  Head head;
  bool has_decoder = true;
  std::size_t embedding_dim = 0;
};

// A network with all weights zero; lengths: numbers per user, channel and side. Throws InputError
// when a network is smaller than the convolutions reach.
AupNetwork empty_network(const AupParams& params, std::array<std::size_t, 2> lengths, int channels);
// The same with its initial weights drawn.
AupNetwork make_network(const AupParams& params, std::array<std::size_t, 2> lengths, int channels,
                        const Run& run);

// Representations of every row of `inputs`, in prediction mode.
Matrix encode_users(const AupNetwork& network, Side side, const Matrix& inputs, Run& run);

// Buffers and procedure of a training step.
class TrainingStep {
 public:
  TrainingStep(AupNetwork& network, const AupParams& params, int workers);

  // Losses of the batch before the update. Throws StateError naming the layer when they are not
  // finite; the parameters are then unchanged.
  Losses run_batch(const Batch& batch, const std::array<const Matrix*, 2>& inputs,
                   double learning_rate, Optimiser& optimiser, Run& run);

  const Matrix& representations(Side side) const { return representations_[index_of(side)]; }

 private:
  void forward(const Batch& batch, const std::array<const Matrix*, 2>& inputs, Run& run);
  double reconstruct(const Batch& batch, Run& run);
  void backward(Optimiser& optimiser, Run& run);
  [[noreturn]] void stop_at_bad_layer(const Batch& batch) const;

  AupNetwork& network_;
  const AupParams& params_;
  Gradients gradients_;
  std::array<BatchRows, 2> rows_;
  std::array<BatchRows, 2> decoder_rows_;
  std::vector<StackPass> encoder_;
  std::vector<StackPass> decoder_;
  std::array<Matrix, 2> representations_;
  std::array<Matrix, 2> representation_gradients_;
  std::array<Matrix, 2> decoded_;  // what enters the transposed convolutions, then its gradient
  std::array<bool, 2> reconstruction_is_finite_{true, true};
};

}  // namespace dalaup
