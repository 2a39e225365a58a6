#pragma once
// Dot products of twelve rows with thirty-two. General matrix products sum in an order that depends
// on where in the product a row stands, so equal rows may differ in the last bit and ties are lost.
// Here every score is summed in the order of the entries.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"
#include "numeric/numeric.h"

namespace dalaup {

inline constexpr std::size_t kTileRows = 12;
inline constexpr std::size_t kTileColumns = 32;

// Chosen rows of an embedding scaled to length one, `abreast` of them side by side: for each panel
// of so many, all first entries, all second ones, ... The last panel is filled up with zeroes.
class UnitPanels {
 public:
  // Throws StateError naming the row when an entry is not finite.
  UnitPanels(const Matrix& embedding, std::vector<UserId> users, std::size_t abreast, Run& run);

  std::size_t size() const { return users_.size(); }
  std::size_t width() const { return width_; }
  std::size_t panel_count() const { return (users_.size() + abreast_ - 1) / abreast_; }
  UserId user(std::size_t at) const { return users_[at]; }
  const float* panel(std::size_t index) const { return values_.data() + index * width_ * abreast_; }

 private:
  std::vector<UserId> users_;
  std::size_t width_;
  std::size_t abreast_;
  std::vector<float> values_;
};

struct alignas(64) ScoreTile {
  float scores[kTileRows][kTileColumns];

  // GCC vectorises a sum, not a short-circuit OR.
  bool any_above(std::size_t row, float least) const {
    std::int32_t above = 0;
    for (const float score : scores[row]) above += score > least ? 1 : 0;
    return above != 0;
  }
  bool any_from(std::size_t row, float least) const {
    std::int32_t from = 0;
    for (const float score : scores[row]) from += score >= least ? 1 : 0;
    return from != 0;
  }
};

// tile += products of `width` entries of a panel of rows with those of a panel of columns.
using ScoreKernel = void (*)(const float* rows, const float* columns, std::size_t width,
                             ScoreTile& tile);
void score_with_avx2(const float* rows, const float* columns, std::size_t width, ScoreTile& tile);
#if defined(__x86_64__)
void score_with_avx512(const float* rows, const float* columns, std::size_t width, ScoreTile& tile);
#endif
// The fastest one this processor can run; they give the same bits.
ScoreKernel score_kernel();

// Scores of some panels of rows with all panels of columns, a block of tiles at a time that is
// summed up while its entries are in the cache: calls take(row panel, column panel, tile).
template <class Take>
void for_score_tiles(const UnitPanels& rows, std::size_t first_row_panel, std::size_t row_panels,
                     const UnitPanels& columns, const Take& take) {
  constexpr std::size_t kColumnPanels = 4;
  constexpr std::size_t kEntries = 1024;
  const ScoreKernel kernel = score_kernel();
  std::vector<ScoreTile> tiles(row_panels * kColumnPanels);
  for (std::size_t first = 0; first < columns.panel_count(); first += kColumnPanels) {
    const std::size_t column_panels = std::min(kColumnPanels, columns.panel_count() - first);
    std::ranges::fill(tiles, ScoreTile{});
    for (std::size_t entry = 0; entry < rows.width(); entry += kEntries)
      for (std::size_t column = 0; column < column_panels; ++column)
        for (std::size_t row = 0; row < row_panels; ++row)
          kernel(rows.panel(first_row_panel + row) + entry * kTileRows,
                 columns.panel(first + column) + entry * kTileColumns,
                 std::min(kEntries, rows.width() - entry), tiles[row * kColumnPanels + column]);
    for (std::size_t row = 0; row < row_panels; ++row)
      for (std::size_t column = 0; column < column_panels; ++column)
        take(first_row_panel + row, first + column, tiles[row * kColumnPanels + column]);
  }
}

}  // namespace dalaup
