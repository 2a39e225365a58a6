#include "ranking/score_tiles.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace dalaup {
namespace {

constexpr std::size_t kGrain = 1056;  // whole panels of either kind

std::size_t padded(std::size_t size, std::size_t tile) { return (size + tile - 1) / tile * tile; }

// One over the length of a row; 0 for a row of zeroes, which is thereby at right angles to all.
double inverse_length(const Matrix& embedding, UserId user) {
  double squares = 0.0;
  for (Eigen::Index k = 0; k < embedding.cols(); ++k)
    squares += static_cast<double>(embedding(user, k)) * static_cast<double>(embedding(user, k));
  if (!std::isfinite(squares))
    throw StateError(
        fmt::format("found a value that is not finite in row {} of an embedding", user));
  return squares == 0.0 ? 0.0 : 1.0 / std::sqrt(squares);
}

// Calls put(at, k, value) for every entry of the scaled rows.
template <class Put>
void fill(const Matrix& embedding, std::span<const UserId> users, Run& run, const Put& put) {
  run.for_pieces(users.size(), kGrain, [&](const Piece& piece) {
    for (std::size_t at = piece.begin; at < piece.end; ++at) {
      const double inverse = inverse_length(embedding, users[at]);
      for (Eigen::Index k = 0; k < embedding.cols(); ++k)
        put(at, static_cast<std::size_t>(k),
            static_cast<float>(static_cast<double>(embedding(users[at], k)) * inverse));
    }
  });
}

}  // namespace

UnitPanels::UnitPanels(const Matrix& embedding, std::vector<UserId> users, std::size_t abreast,
                       Run& run)
    : users_(std::move(users)),
      width_(static_cast<std::size_t>(embedding.cols())),
      abreast_(abreast),
      values_(padded(users_.size(), abreast) * width_, 0.0F) {
  fill(embedding, users_, run, [&](std::size_t at, std::size_t k, float value) {
    values_[(at / abreast_ * width_ + k) * abreast_ + at % abreast_] = value;
  });
}

namespace {

// kRows rows and two vectors of columns stay in registers; `rows` and `columns` are the first
// entries of theirs.
template <std::size_t kWidth, std::size_t kRows>
DALAUP_INLINE void score_part(const float* rows, const float* columns, std::size_t width,
                              float* scores) {
  using V = LaneVector<kWidth>;
  typename V::Lanes low[kRows];
  typename V::Lanes high[kRows];
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    V::load(scores + row * kTileColumns, low[row]);
    V::load(scores + row * kTileColumns + kWidth, high[row]);
  }
  for (std::size_t k = 0; k < width; ++k) {
    typename V::Lanes first;
    typename V::Lanes second;
    V::load(columns + k * kTileColumns, first);
    V::load(columns + k * kTileColumns + kWidth, second);
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const float value = rows[k * kTileRows + row];
      low[row] += first * value;
      high[row] += second * value;
    }
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    V::store(scores + row * kTileColumns, low[row]);
    V::store(scores + row * kTileColumns + kWidth, high[row]);
  }
}

}  // namespace

void score_with_avx2(const float* rows, const float* columns, std::size_t width, ScoreTile& tile) {
  constexpr std::size_t kRows = 6;
  for (std::size_t row = 0; row < kTileRows; row += kRows)
    for (std::size_t column = 0; column < kTileColumns; column += 16)
      score_part<8, kRows>(rows + row, columns + column, width, &tile.scores[row][column]);
}

#if defined(__x86_64__)
DALAUP_WIDE void score_with_avx512(const float* rows, const float* columns, std::size_t width,
                                   ScoreTile& tile) {
  score_part<16, kTileRows>(rows, columns, width, &tile.scores[0][0]);
}
#endif

ScoreKernel score_kernel() {
#if defined(__x86_64__)
  if (has_wide_vectors()) return score_with_avx512;
#endif
  return score_with_avx2;
}

}  // namespace dalaup
