#pragma once
// Optimisers that take gradients piece by piece, so that a tile of a large matrix is updated while
// it is still in the cache. Pieces of one tensor may be updated from several threads at once.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "methods/aup/tensors.h"

namespace dalaup {

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
