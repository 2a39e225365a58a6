#pragma once
// Sums over columns of rows that are visited in parallel, on any number of ranks: each block of
// rows has its sums, which are added in order, so the result has the same bits at any number of
// threads and ranks.
#include <algorithm>
#include <vector>

#include "communicator/parts.h"
#include "communicator/ranks.h"
#include "communicator/row_blocks.h"

namespace dalaup {

class ColumnSums {
 public:
  ColumnSums(const RowBlocks& blocks, std::size_t columns, Communicator& communicator)
      : blocks_(blocks),
        communicator_(communicator),
        columns_(columns),
        sums_(std::max<std::size_t>(1, blocks.own_blocks().size()), std::vector<double>(columns)) {}

  // Calls add_row(row, sums) for every row of this rank; add_row adds to sums[column]. All ranks
  // then have the sums of everybody's rows.
  template <class AddRow>
  void collect(Run& run, AddRow&& add_row) {
    for (auto& sums : sums_) std::ranges::fill(sums, 0.0);
    const std::vector<RowRange>& blocks = blocks_.own_blocks();
    run.for_jobs(blocks.size(), [&](std::size_t block) {
      for (std::size_t row = blocks[block].begin; row < blocks[block].end; ++row)
        add_row(row, sums_[block]);
    });
    if (communicator_.size() > 1) return add_with_others(run);
    run.for_pieces(columns_, kColumnsPerPiece, [&](const Piece& piece) {
      for (std::size_t block = 1; block < sums_.size(); ++block)
        for (std::size_t column = piece.begin; column < piece.end; ++column)
          sums_[0][column] += sums_[block][column];
    });
  }
  double operator[](std::size_t column) const {
    return totals_.empty() ? sums_[0][column] : totals_[column];
  }

 private:
  static constexpr std::size_t kColumnsPerPiece = 4096;

  // Each rank adds up some of the columns, over all blocks.
  void add_with_others(Run& run);

  const RowBlocks& blocks_;
  Communicator& communicator_;
  std::size_t columns_;
  std::vector<std::vector<double>> sums_;  // of each block of this rank
  std::vector<double> totals_;             // empty: sums_[0]
};

}  // namespace dalaup
