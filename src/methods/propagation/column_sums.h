#pragma once
// Sums over columns of rows that are visited in parallel: the rows are cut into a fixed number of
// blocks whose sums are added in order, so the result has the same bits at any thread count.
#include <algorithm>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"

namespace dalaup {

class ColumnSums {
 public:
  ColumnSums(std::size_t rows, std::size_t columns)
      : rows_(rows),
        block_(std::max<std::size_t>(1, (rows + kBlocks - 1) / kBlocks)),
        sums_(kBlocks, std::vector<double>(columns)) {}

  // Calls add_row(row, sums) for every row; add_row adds to sums[column].
  template <class AddRow>
  void collect(Run& run, AddRow&& add_row) {
    for (auto& sums : sums_) std::ranges::fill(sums, 0.0);
    run.for_pieces(rows_, block_, [&](const Piece& piece) {
      std::vector<double>& sums = sums_[piece.begin / block_];
      for (std::size_t row = piece.begin; row < piece.end; ++row) add_row(row, sums);
    });
    run.for_pieces(sums_[0].size(), 4096, [&](const Piece& piece) {
      for (std::size_t block = 1; block < kBlocks; ++block)
        for (std::size_t column = piece.begin; column < piece.end; ++column)
          sums_[0][column] += sums_[block][column];
    });
  }
  double operator[](std::size_t column) const { return sums_[0][column]; }

 private:
  static constexpr std::size_t kBlocks = 16;
  std::size_t rows_;
  std::size_t block_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace dalaup
