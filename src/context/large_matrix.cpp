#include "context/large_matrix.h"

namespace dalaup {

Matrix large_matrix(std::size_t rows, std::size_t columns) {
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  advise_large_pages(matrix.data(), rows * columns * sizeof(float));
  return matrix;
}

}  // namespace dalaup
