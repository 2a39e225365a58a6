#pragma once
// How rows are dealt out to ranks: cut into blocks of about the same work, which depend on the rows
// alone, whole blocks to the ranks, in order. Sums that are taken block by block, and then over
// blocks in order, have the same bits at any number of ranks.
#include <span>
#include <vector>

#include "communicator/ranks.h"
#include "numeric/numeric.h"

namespace dalaup {

class RowBlocks {
 public:
  // Loops over rows in pieces of a power of two up to this are cut alike on any number of ranks.
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kMostBlocks = 16;  // more ranks than that find nothing to do

  // `begins`: where the edges of each row begin, and where those of the last one end; blocks get
  // about the same work, of rows and of edges, and so do ranks.
  RowBlocks(std::span<const std::uint64_t> begins, const Communicator& communicator);

  std::size_t rows() const { return ends_.back(); }
  RowRange of(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return {place == 0 ? 0 : ends_[place - 1], ends_[place]};
  }
  RowRange own() const { return of(rank_); }
  int owner(std::size_t row) const;
  // Where the rows of each rank begin, and where the last one's end.
  std::vector<std::size_t> begins() const;
  // The blocks of this rank; none is empty.
  const std::vector<RowRange>& own_blocks() const { return own_blocks_; }

 private:
  int rank_;
  std::vector<RowRange> own_blocks_;
  std::vector<std::size_t> ends_;  // of each rank's rows
};

// Run::for_pieces over a range of rows; pieces have the numbers of their rows.
template <class Body>
void for_rows(Run& run, RowRange rows, std::size_t grain, Body&& body) {
  run.for_pieces(rows.size(), grain, [&](const Piece& piece) {
    body(Piece{rows.begin + piece.begin, rows.begin + piece.end, piece.worker});
  });
}

}  // namespace dalaup
