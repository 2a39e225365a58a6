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

// Rows from `begin` up to, without, `end`.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool contains(std::size_t row) const { return row >= begin && row < end; }
};

// Rows of at most `capacity` entries each, rewritten in place by parallel loops. They may be some
// of many: rows keep their numbers, and only those of `rows()` are there.
template <class T>
class BoundedRows {
 public:
  BoundedRows() = default;
  BoundedRows(RowRange rows, std::size_t capacity)
      : rows_(rows), capacity_(capacity), counts_(rows.size(), 0), items_(rows.size() * capacity) {}
  BoundedRows(std::size_t rows, std::size_t capacity) : BoundedRows(RowRange{0, rows}, capacity) {}

  RowRange rows() const { return rows_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t room() const { return items_.size(); }  // places of entries, taken or not
  std::span<T> of(std::size_t row) {
    return std::span(items_).subspan(begin_of(row), counts_[row - rows_.begin]);
  }
  std::span<const T> of(std::size_t row) const {
    return std::span(items_).subspan(begin_of(row), counts_[row - rows_.begin]);
  }
  // At most `capacity` items.
  void assign(std::size_t row, std::span<const T> items) {
    counts_[row - rows_.begin] = static_cast<std::uint32_t>(items.size());
    std::copy(items.begin(), items.end(),
              items_.begin() + static_cast<std::ptrdiff_t>(begin_of(row)));
  }
  // The place of the row's first entry, for what is kept beside the entries.
  std::uint64_t begin_of(std::size_t row) const { return (row - rows_.begin) * capacity_; }

 private:
  RowRange rows_;
  std::size_t capacity_ = 0;
  std::vector<std::uint32_t> counts_;
  std::vector<T> items_;
};

}  // namespace dalaup
