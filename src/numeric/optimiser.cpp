#include "numeric/optimiser.h"

#include <fmt/format.h>

#include "base/base.h"
#include "numeric/lanes.h"

namespace dalaup {
namespace {

// Two running averages per value; both optimisers here need exactly that.
class TwoAverages : public Optimiser {
 public:
  TwoAverages(const OptimiserOptions& options, const Tensors& tensors)
      : weight_decay_(static_cast<float>(options.weight_decay)) {
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor)
      for (int average = 0; average < 2; ++average)
        state_.emplace_back(tensors[tensor].size(), 0.0F);
  }
  void begin_step(double learning_rate) override {
    ++steps_;
    learning_rate_ = learning_rate;
    prepare();
  }
  std::vector<const float*> kept(std::size_t tensor) const override {
    return {state_[2 * tensor].data(), state_[2 * tensor + 1].data()};
  }
  std::vector<std::vector<float>>& state() override { return state_; }
  std::int64_t steps() const override { return steps_; }
  void set_steps(std::int64_t steps) override { steps_ = steps; }

 protected:
  virtual void prepare() {}

  // rule(value, gradient, first average, second average), the averages by reference.
  template <class Rule>
  void apply(std::size_t tensor, std::size_t offset, std::span<float> values, const float* gradient,
             Rule&& rule) {
    float* const first = state_[2 * tensor].data() + offset;
    float* const second = state_[2 * tensor + 1].data() + offset;
    float* const data = values.data();
    const Lanes decay = all_lanes(weight_decay_);
    for_lanes(
        values.size(),
        [&](std::size_t p) {
          const Lanes value = load_lanes(data + p);
          Lanes first_lanes = load_lanes(first + p);
          Lanes second_lanes = load_lanes(second + p);
          const Lanes moved =
              rule(value, load_lanes(gradient + p) + decay * value, first_lanes, second_lanes);
          store_lanes(data + p, moved);
          store_lanes(first + p, first_lanes);
          store_lanes(second + p, second_lanes);
        },
        [&](std::size_t p) {
          const Lanes value = all_lanes(data[p]);
          Lanes first_lanes = all_lanes(first[p]);
          Lanes second_lanes = all_lanes(second[p]);
          data[p] =
              rule(value, all_lanes(gradient[p]) + decay * value, first_lanes, second_lanes)[0];
          first[p] = first_lanes[0];
          second[p] = second_lanes[0];
        });
  }

  double learning_rate_ = 0.0;

 private:
  float weight_decay_;
  std::vector<std::vector<float>> state_;
  std::int64_t steps_ = 0;
};

// Zeiler 2012; averages: squared gradients, squared steps.
class Adadelta final : public TwoAverages {
 public:
  using TwoAverages::TwoAverages;
  void update(std::size_t tensor, std::size_t offset, std::span<float> values,
              const float* gradient) override {
    const float rate = static_cast<float>(learning_rate_);
    apply(tensor, offset, values, gradient,
          [&](Lanes value, Lanes slope, Lanes& squares, Lanes& steps) {
            squares = kKept * squares + (1.0F - kKept) * slope * slope;
            const Lanes step = slope * root_of((steps + kEpsilon) / (squares + kEpsilon));
            steps = kKept * steps + (1.0F - kKept) * step * step;
            return value - rate * step;
          });
  }

 private:
  static constexpr float kKept = 0.9F;
  static constexpr float kEpsilon = 1e-6F;
};

// Averages: gradients, squared gradients.
class Adam final : public TwoAverages {
 public:
  using TwoAverages::TwoAverages;
  void update(std::size_t tensor, std::size_t offset, std::span<float> values,
              const float* gradient) override {
    apply(tensor, offset, values, gradient,
          [&](Lanes value, Lanes slope, Lanes& means, Lanes& squares) {
            return step_.moved<float>(value, slope, means, squares, root_of);
          });
  }

 private:
  void prepare() override { step_ = AdamStep(learning_rate_, steps()); }
  AdamStep step_;
};

}  // namespace

std::unique_ptr<Optimiser> make_optimiser(const OptimiserOptions& options, const Tensors& tensors) {
  if (options.kind == "adadelta") return std::make_unique<Adadelta>(options, tensors);
  if (options.kind == "adam") return std::make_unique<Adam>(options, tensors);
  throw ParameterError(
      fmt::format("optimiser: found \"{}\", expected adadelta or adam", options.kind));
}

void update_small_tensors(Optimiser& optimiser, Gradients& gradients, Tensors& tensors) {
  std::vector<float> gradient;
  for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor) {
    if (!gradients.has(tensor)) continue;
    const auto sums = gradients.of(tensor);
    gradient.assign(sums.begin(), sums.end());
    optimiser.update(tensor, 0, tensors[tensor], gradient.data());
  }
}

}  // namespace dalaup
