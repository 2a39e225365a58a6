#pragma once
// A stack of convolutions (the encoder) or transposed convolutions (the decoder), each with
// optional batch normalisation and sigmoid, over all distinct users of a batch.
#include <span>
#include <string>
#include <vector>

#include "base/base.h"
#include "methods/aup/convolution.h"
#include "methods/aup/normalisation.h"
#include "numeric/numeric.h"

namespace dalaup {

enum class Activation { kEveryLayer, kLastLayer, kNone };

struct StackShape {
  bool is_transposed = false;
  std::vector<int> channels{1};  // from input to output; one entry means no layer at all
  int width = 3;
  std::size_t input_length = 0;
  bool normalise = false;
  Activation activation = Activation::kEveryLayer;
  float centre = 0.0F;  // subtracted from every sigmoid

  std::size_t layers() const { return channels.size() - 1; }
  std::size_t length(std::size_t layer) const;  // of a row after `layer` layers
  std::size_t size(std::size_t layer) const {   // of a user after `layer` layers
    return static_cast<std::size_t>(channels[layer]) * length(layer);
  }
  std::size_t output_size() const { return size(layers()); }
  ConvolutionShape convolution(std::size_t layer) const;
  bool is_activated(std::size_t layer) const {
    return activation == Activation::kEveryLayer ||
           (activation == Activation::kLastLayer && layer + 1 == layers());
  }
};

// Where a stack's parameters stand, and the running statistics of its normalisations. Stacks of
// both networks share one of these.
struct StackWeights {
  struct Layer {
    std::size_t weight = 0;
    std::size_t bias = 0;
    std::size_t scale = 0;  // with normalisation only
    std::size_t shift = 0;
    std::vector<double> running_mean;
    std::vector<double> running_variance;
  };
  std::vector<Layer> layers;
};
StackWeights add_stack(Tensors& tensors, const StackShape& shape, const std::string& name);

// The distinct users of one side of a batch, and how often each stands in it.
struct BatchRows {
  std::vector<const float*> inputs;
  std::vector<double> copies;
  std::size_t count() const { return inputs.size(); }
};

// An encoder's stack in prediction mode: normalisations, whose statistics are settled, are
// multiplied into the convolutions before them, and convolutions without a sigmoid between them
// into one.
class FrozenStack {
 public:
  FrozenStack(const StackShape& shape, const Tensors& tensors, const StackWeights& weights);

  // Outputs `begin` to `end` of every channel's row, channel after channel, for one user.
  void apply(const float* input, std::size_t begin, std::size_t end, float* out,
             std::vector<float>& scratch) const;

 private:
  struct Layer {
    ConvolutionShape shape;
    std::vector<float> weight;
    std::vector<float> bias;
    bool is_activated = false;
    float centre = 0.0F;
  };
  static Layer folded(const StackShape& shape, std::size_t layer, const Tensors& tensors,
                      const StackWeights::Layer& from);
  static Layer merged(const Layer& first, const Layer& second);

  std::size_t input_length_;
  int input_channels_;
  std::vector<Layer> layers_;
};

// One pass of one side's users through a stack.
class StackPass {
 public:
  StackPass(StackShape shape, int workers);

  const StackShape& shape() const { return shape_; }
  // Training mode: normalises by the batch and moves the running statistics.
  void forward(const BatchRows& rows, const Tensors& tensors, StackWeights& weights, Run& run);
  // One row per user. Before backward the caller replaces it by the gradient of what entered the
  // last sigmoid (of the output itself where there is none).
  Matrix& output() { return output_; }
  const Matrix& output() const { return output_; }
  // Adds the gradients of the parameters; fills input_gradient (users x input size) when given. It
  // may be where the inputs are: a user's input is used for the last time before it is written.
  void backward(const BatchRows& rows, const Tensors& tensors, const StackWeights& weights,
                Gradients& gradients, Matrix* input_gradient, Run& run);

 private:
  struct UserSums;  // what one user adds to the gradients of a layer
  const float* layer_output(std::size_t layer, std::size_t user, int worker);
  void forward_layer(std::size_t layer, std::size_t user, const Tensors& tensors,
                     const StackWeights& weights, const BatchRows& rows, int worker, float* to);
  void finish_norm(std::size_t layer, const BatchRows& rows, const Tensors& tensors,
                   StackWeights& weights, std::span<const Moments> moments);
  void backward_layer(std::size_t layer, std::size_t user, const float* gradient,
                      const Tensors& tensors, const StackWeights& weights, const BatchRows& rows,
                      int worker, UserSums& sums, float* input_gradient);

  StackShape shape_;
  Matrix output_;
  std::vector<Matrix> stored_;     // per layer: with normalisation its input, else the output
  std::vector<Matrix> gradients_;  // with normalisation: per layer but the last
  std::vector<std::vector<ChannelNorm>> norms_;
  std::vector<std::vector<float>> scratch_;           // per worker
  std::vector<std::vector<float>> gradient_scratch_;  // per worker, two alternating rows
};

}  // namespace dalaup
