#pragma once
// Small sparse containers shared by the files of this module.
#include <cstdint>
#include <span>
#include <vector>

#include "networks/networks.h"

namespace dalaup {

// Rows of different lengths, one after another.
template <class T>
struct Rows {
  std::vector<std::uint64_t> begins{0};
  std::vector<T> items;

  std::size_t size() const { return begins.size() - 1; }
  std::span<const T> of(std::size_t row) const {
    return std::span(items).subspan(begins[row], begins[row + 1] - begins[row]);
  }
};

// Rows of at most `capacity` entries each, rewritten in place by parallel loops.
template <class T>
class BoundedRows {
 public:
  BoundedRows() = default;
  BoundedRows(std::size_t rows, std::size_t capacity)
      : capacity_(capacity), counts_(rows, 0), items_(rows * capacity) {}

  std::size_t size() const { return counts_.size(); }
  std::size_t capacity() const { return capacity_; }
  std::span<T> of(std::size_t row) {
    return std::span(items_).subspan(row * capacity_, counts_[row]);
  }
  std::span<const T> of(std::size_t row) const {
    return std::span(items_).subspan(row * capacity_, counts_[row]);
  }
  // At most `capacity` items.
  void assign(std::size_t row, std::span<const T> items) {
    counts_[row] = static_cast<std::uint32_t>(items.size());
    std::copy(items.begin(), items.end(),
              items_.begin() + static_cast<std::ptrdiff_t>(row * capacity_));
  }
  std::uint64_t begin_of(std::size_t row) const { return row * capacity_; }

 private:
  std::size_t capacity_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<T> items_;
};

struct WeightedUser {
  UserId user = kNoUser;
  float weight = 0.0F;
  bool operator==(const WeightedUser&) const = default;
};

// A pair kept with the user of A it belongs to.
struct ListedPair {
  UserId partner = kNoUser;
  float prior = 0.0F;     // of contexts, learned vectors or both, 0..1
  float evidence = 0.0F;  // of matched neighbours, damped and normalised
};

}  // namespace dalaup
