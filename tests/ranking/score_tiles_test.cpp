#include "ranking/score_tiles.h"

#include <gtest/gtest.h>

namespace dalaup {
namespace {

std::vector<float> random_values(std::size_t size, std::uint64_t seed) {
  Random random(seed, "score tiles");
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

TEST(ScoreTile, AddsTheProductsOfEveryRowWithEveryColumn) {
  constexpr std::size_t kWidth = 37;
  const auto rows = random_values(kWidth * kTileRows, 1);
  const auto columns = random_values(kWidth * kTileColumns, 2);
  ScoreTile tile{};
  tile.scores[2][3] = 1.0F;
  score_with_avx2(rows.data(), columns.data(), kWidth, tile);
  for (std::size_t row = 0; row < kTileRows; ++row)
    for (std::size_t column = 0; column < kTileColumns; ++column) {
      double expected = row == 2 && column == 3 ? 1.0 : 0.0;
      for (std::size_t k = 0; k < kWidth; ++k)
        expected += static_cast<double>(rows[k * kTileRows + row]) *
                    static_cast<double>(columns[k * kTileColumns + column]);
      EXPECT_NEAR(static_cast<double>(tile.scores[row][column]), expected, 1e-4);
    }
}

#if defined(__x86_64__) && defined(__FMA__)
TEST(ScoreTile, HasTheSameBitsFromWideVectors) {
  if (!has_wide_vectors()) GTEST_SKIP() << "this processor has no 512-bit vectors";
  constexpr std::size_t kWidth = 301;
  const auto rows = random_values(kWidth * kTileRows, 3);
  const auto columns = random_values(kWidth * kTileColumns, 4);
  ScoreTile narrow{};
  ScoreTile wide{};
  score_with_avx2(rows.data(), columns.data(), kWidth, narrow);
  score_with_avx512(rows.data(), columns.data(), kWidth, wide);
  for (std::size_t row = 0; row < kTileRows; ++row)
    for (std::size_t column = 0; column < kTileColumns; ++column)
      EXPECT_EQ(narrow.scores[row][column], wide.scores[row][column]);
}
#endif

}  // namespace
}  // namespace dalaup
