#pragma once
// Dot products of six rows with sixteen, in registers. OpenBLAS sums in an order that depends on
// where in the product a row stands, so equal rows may differ in the last bit and ties are lost
// (measured: 768-column tiles at d = 56). Here every score is summed in the same order.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"

namespace dalaup {

inline constexpr std::size_t kTileRows = 6;
inline constexpr std::size_t kTileColumns = 16;

using Lanes = float __attribute__((vector_size(32), aligned(4), may_alias));
using LaneMask = std::int32_t __attribute__((vector_size(32)));

struct ScoreTile {
  Lanes low[kTileRows];
  Lanes high[kTileRows];

  void store_row(std::size_t row, float* to) const {
    *reinterpret_cast<Lanes*>(to) = low[row];
    *reinterpret_cast<Lanes*>(to + 8) = high[row];
  }
  bool any_above(std::size_t row, float least) const {
    using Words = std::uint64_t __attribute__((vector_size(32)));
    const Lanes bar = Lanes{} + least;
    const auto words = reinterpret_cast<Words>(static_cast<LaneMask>(low[row] > bar) |
                                               static_cast<LaneMask>(high[row] > bar));
    return (words[0] | words[1] | words[2] | words[3]) != 0;
  }
};

// Chosen rows of an embedding scaled to length one, padded with zeroes to whole tiles.
class UnitRows {
 public:
  // Throws StateError naming the row when an entry is not finite.
  UnitRows(const Matrix& embedding, std::vector<UserId> users, Run& run);

  std::size_t size() const { return users_.size(); }
  std::size_t width() const { return width_; }
  UserId user(std::size_t at) const { return users_[at]; }
  const float* row(std::size_t at) const { return values_.data() + at * width_; }

 private:
  std::vector<UserId> users_;
  std::size_t width_;
  std::vector<float> values_;
};

// The same rows sixteen abreast: for each panel of them, all first entries, all second ones, ...
class UnitPanels {
 public:
  UnitPanels(const Matrix& embedding, std::vector<UserId> users, Run& run);

  std::size_t size() const { return users_.size(); }
  std::size_t panel_count() const { return (users_.size() + kTileColumns - 1) / kTileColumns; }
  UserId user(std::size_t at) const { return users_[at]; }
  const float* panel(std::size_t index) const {
    return values_.data() + index * width_ * kTileColumns;
  }

 private:
  std::vector<UserId> users_;
  std::size_t width_;
  std::vector<float> values_;
};

// Scores of rows first..first+5 with the sixteen of a panel.
[[gnu::always_inline]] inline ScoreTile score_tile(const UnitRows& rows, std::size_t first,
                                                   const float* panel) {
  ScoreTile tile{};
  const std::size_t width = rows.width();
  const float* const left = rows.row(first);
  for (std::size_t k = 0; k < width; ++k) {
    const Lanes low = *reinterpret_cast<const Lanes*>(panel + k * kTileColumns);
    const Lanes high = *reinterpret_cast<const Lanes*>(panel + k * kTileColumns + 8);
#pragma GCC unroll 6
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const float value = left[row * width + k];
      tile.low[row] += low * value;
      tile.high[row] += high * value;
    }
  }
  return tile;
}

}  // namespace dalaup
