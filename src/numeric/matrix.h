#pragma once
// Dense float32 matrices, one row per user.
#include <Eigen/Core>
#include <cstddef>
#include <string>

#include "base/base.h"

namespace dalaup {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A matrix whose values are not yet set, in large memory pages where the system offers them: first
// writing to 200 MB then takes some 60 ms instead of 300, and scattered rows are found sooner.
Matrix large_matrix(std::size_t rows, std::size_t columns);

// Eigen counts with signed numbers.
inline Eigen::Index index(std::size_t number) { return static_cast<Eigen::Index>(number); }
inline const float* row_of(const Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}
inline float* row_of(Matrix& matrix, std::size_t row) {
  return matrix.data() + row * static_cast<std::size_t>(matrix.cols());
}

// A matrix as an entry of a model file. matrix_in throws InputError when it is not there or
// damaged.
void put_matrix(ArchiveWriter& archive, const std::string& name, const Matrix& matrix);
Matrix matrix_in(const ArchiveReader& archive, const std::string& name);

// A NumPy .npy file (format 1.0, little-endian float32, C order), written atomically.
void write_npy(const std::string& path, const Matrix& matrix);

}  // namespace dalaup
