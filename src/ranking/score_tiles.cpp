#include "ranking/score_tiles.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace dalaup {
namespace {

constexpr std::size_t kGrain = 1008;  // whole tiles and whole panels

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

UnitRows::UnitRows(const Matrix& embedding, std::vector<UserId> users, Run& run)
    : users_(std::move(users)),
      width_(static_cast<std::size_t>(embedding.cols())),
      values_(padded(users_.size(), kTileRows) * width_, 0.0F) {
  fill(embedding, users_, run,
       [&](std::size_t at, std::size_t k, float value) { values_[at * width_ + k] = value; });
}

UnitPanels::UnitPanels(const Matrix& embedding, std::vector<UserId> users, Run& run)
    : users_(std::move(users)),
      width_(static_cast<std::size_t>(embedding.cols())),
      values_(padded(users_.size(), kTileColumns) * width_, 0.0F) {
  fill(embedding, users_, run, [&](std::size_t at, std::size_t k, float value) {
    values_[(at / kTileColumns * width_ + k) * kTileColumns + at % kTileColumns] = value;
  });
}

}  // namespace dalaup
