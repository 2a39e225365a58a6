#pragma once
// Optimisers that take gradients piece by piece, so that a tile of a large matrix is updated while
// it is still in the cache. Pieces of one tensor may be updated from several threads at once.
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "numeric/tensors.h"

namespace dalaup {

// Adam (Kingma and Ba 2015) with its usual constants: what becomes of values given their gradients
// and two running averages. T is a vector of the processor or an array of Eigen's.
struct AdamStep {
  AdamStep() = default;
  AdamStep(double learning_rate, std::int64_t step)
      : rate(learning_rate / (1.0 - std::pow(double{kMeanKept}, static_cast<double>(step)))),
        square_scale(1.0 /
                     std::sqrt(1.0 - std::pow(double{kSquareKept}, static_cast<double>(step)))) {}
  template <class Scalar, class T, class Root>
  [[gnu::always_inline]] T moved(const T& value, const T& gradient, T& means, T& squares,
                                 const Root& root) const {
    means = Scalar(kMeanKept) * means + (Scalar(1) - Scalar(kMeanKept)) * gradient;
    squares =
        Scalar(kSquareKept) * squares + (Scalar(1) - Scalar(kSquareKept)) * gradient * gradient;
    return value - Scalar(rate) * means / (root(squares) * Scalar(square_scale) + Scalar(1e-8));
  }

  static constexpr float kMeanKept = 0.9F;
  static constexpr float kSquareKept = 0.999F;
  double rate = 0.0;
  double square_scale = 1.0;
};

struct OptimiserOptions {
  std::string kind = "adadelta";  // or "adam"
  double weight_decay = 0.0;      // added to the gradient as weight_decay * value
};

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  // Once before the updates of a step; counts the step.
  virtual void begin_step(double learning_rate) = 0;
  // Arrays of one number per value of the tensor that an update reads; worth fetching beforehand.
  virtual std::vector<const float*> kept(std::size_t) const { return {}; }
  // Moves `values`, which stand at `offset` of the tensor, against their gradient.
  virtual void update(std::size_t tensor, std::size_t offset, std::span<float> values,
                      const float* gradient) = 0;
  // What a checkpoint must keep.
  virtual std::vector<std::vector<float>>& state() = 0;
  virtual std::int64_t steps() const = 0;
  virtual void set_steps(std::int64_t steps) = 0;
};

std::unique_ptr<Optimiser> make_optimiser(const OptimiserOptions& options, const Tensors& tensors);

// Every gradient that was summed in memory goes to the optimiser.
void update_small_tensors(Optimiser& optimiser, Gradients& gradients, Tensors& tensors);

}  // namespace dalaup
