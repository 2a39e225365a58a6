#include "communicator/row_blocks.h"

#include <algorithm>

namespace dalaup {
namespace {

// What a row takes besides its edges, in time and in memory, as so many edges.
constexpr double kEdgesOfARow = 32.0;

}  // namespace

RowBlocks::RowBlocks(std::span<const std::uint64_t> begins, const Communicator& communicator)
    : rank_(communicator.rank()) {
  const std::size_t rows = begins.size() - 1;
  const std::size_t in_block = (rows + kMostBlocks - 1) / kMostBlocks;
  rows_in_block_ = std::max(kAlignment, (in_block + kAlignment - 1) / kAlignment * kAlignment);
  const auto weight_before = [&](std::size_t row) {
    return static_cast<double>(begins[row]) + kEdgesOfARow * static_cast<double>(row);
  };
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::size_t end = 0;
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const double wanted =
        weight_before(rows) * static_cast<double>(rank) / static_cast<double>(ranks);
    while (end < rows) {
      const std::size_t next = std::min(rows, end + rows_in_block_);
      if (weight_before(next) - wanted > wanted - weight_before(end)) break;
      end = next;
    }
    ends_.push_back(end);
  }
  ends_.push_back(rows);
}

int RowBlocks::owner(std::size_t row) const {
  return static_cast<int>(std::ranges::upper_bound(ends_, row) - ends_.begin());
}

std::vector<std::size_t> RowBlocks::begins() const {
  std::vector<std::size_t> begins{0};
  begins.insert(begins.end(), ends_.begin(), ends_.end());
  return begins;
}

}  // namespace dalaup
