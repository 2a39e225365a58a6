#pragma once
// Rows of matrices by unsigned numbers; Eigen counts with signed ones.
#include "base/base.h"

namespace dalaup {

inline Eigen::Index index(std::size_t number) { return static_cast<Eigen::Index>(number); }

inline const float* row_of(const Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}
inline float* row_of(Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}

}  // namespace dalaup
