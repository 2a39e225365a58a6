#pragma once
// Rows of matrices by unsigned numbers, where Eigen counts with signed ones, and pairs of things by
// side.
#include "base/base.h"
#include "networks/networks.h"

namespace dalaup {

constexpr std::size_t index_of(Side side) { return side == Side::kA ? 0 : 1; }

inline Eigen::Index index(std::size_t number) { return static_cast<Eigen::Index>(number); }

inline const float* row_of(const Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}
inline float* row_of(Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}

}  // namespace dalaup
