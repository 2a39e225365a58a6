#include "communicator/row_blocks.h"

#include <algorithm>

namespace dalaup {
namespace {

// What a row takes besides its edges, in time and in memory, as so many edges.
constexpr double kEdgesOfARow = 32.0;

// Where the blocks end: multiples of the alignment, as near as they come to equal weights.
template <class WeightBefore>
std::vector<std::size_t> ends_of_blocks(std::size_t rows, const WeightBefore& weight_before) {
  constexpr std::size_t kAlignment = RowBlocks::kAlignment;
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (std::size_t block = 1; block <= RowBlocks::kMostBlocks; ++block) {
    const double wanted = weight_before(rows) * static_cast<double>(block) /
                          static_cast<double>(RowBlocks::kMostBlocks);
    const std::size_t begin = end;
    while (end < rows) {
      const std::size_t next = std::min(rows, end + kAlignment);
      if (weight_before(next) - wanted > wanted - weight_before(end)) break;
      end = next;
    }
    if (block == RowBlocks::kMostBlocks) end = rows;
    if (end > begin) ends.push_back(end);
  }
  return ends;
}

}  // namespace

RowBlocks::RowBlocks(std::span<const std::uint64_t> begins, const Communicator& communicator)
    : rank_(communicator.rank()) {
  const std::size_t rows = begins.size() - 1;
  const auto weight_before = [&](std::size_t row) {
    return static_cast<double>(begins[row]) + kEdgesOfARow * static_cast<double>(row);
  };
  const std::vector<std::size_t> blocks = ends_of_blocks(rows, weight_before);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::size_t end = 0;
  std::size_t block = 0;
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const double wanted =
        weight_before(rows) * static_cast<double>(rank) / static_cast<double>(ranks);
    for (; block < blocks.size(); ++block) {
      if (weight_before(blocks[block]) - wanted > wanted - weight_before(end)) break;
      end = blocks[block];
    }
    ends_.push_back(end);
  }
  ends_.push_back(rows);
  std::size_t begin = 0;
  for (const std::size_t block_end : blocks) {
    if (own().contains(begin)) own_blocks_.push_back({begin, block_end});
    begin = block_end;
  }
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
