#include "context/large_matrix.h"

#include <sys/mman.h>

#include <cstdint>

namespace dalaup {

Matrix large_matrix(std::size_t rows, std::size_t columns) {
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(matrix.data());
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (begin + rows * columns * sizeof(float)) / kLargePage * kLargePage;
  // Only advice: without large pages everything works as before.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  return matrix;
}

}  // namespace dalaup
