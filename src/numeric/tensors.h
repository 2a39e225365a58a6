#pragma once
// The learned numbers: named arrays that layers refer to by index, and the gradients of the small
// ones (the large dense matrices are updated tile by tile and never have a gradient in memory).
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dalaup {

struct Tensor {
  std::string name;
  std::vector<float> values;
};

class Tensors {
 public:
  std::size_t add(std::string name, std::size_t size, float value = 0.0F) {
    tensors_.push_back({std::move(name), std::vector<float>(size, value)});
    return tensors_.size() - 1;
  }
  std::span<float> operator[](std::size_t index) { return tensors_[index].values; }
  std::span<const float> operator[](std::size_t index) const { return tensors_[index].values; }
  const std::string& name(std::size_t index) const { return tensors_[index].name; }
  std::size_t count() const { return tensors_.size(); }
  std::vector<Tensor>& all() { return tensors_; }
  const std::vector<Tensor>& all() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

// Sums in float64; a tensor has a gradient here once something was added to it.
class Gradients {
 public:
  explicit Gradients(const Tensors& tensors) : sums_(tensors.count()), tensors_(&tensors) {}
  std::span<double> of(std::size_t tensor) {
    if (sums_[tensor].empty()) sums_[tensor].assign((*tensors_)[tensor].size(), 0.0);
    return sums_[tensor];
  }
  bool has(std::size_t tensor) const { return !sums_[tensor].empty(); }
  std::size_t count() const { return sums_.size(); }
  void clear() {
    for (auto& sums : sums_) sums.clear();
  }

 private:
  std::vector<std::vector<double>> sums_;
  const Tensors* tensors_;
};

}  // namespace dalaup
