#pragma once
// Rows of entries of any kind, of different lengths.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dalaup {

// One after another, for rows that are made once.
template <class T>
struct Rows {
  std::vector<std::uint64_t> begins{0};
  std::vector<T> items;

  std::size_t size() const { return begins.size() - 1; }
  void end_row() { begins.push_back(items.size()); }  // after its items were added
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

}  // namespace dalaup
