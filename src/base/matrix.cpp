#include "base/matrix.h"

#include <cblas.h>
#include <fmt/format.h>

#include <mutex>

#include "base/files.h"
#include "base/memory.h"

// The serial OpenBLAS looks for a free packing buffer without a lock: two threads that multiply at
// once can be given the same one and get wrong products. The linker sends its requests here
// (--wrap in cmake/Dependencies.cmake).
extern "C" {
void* __real_blas_memory_alloc(int position);
void __real_blas_memory_free(void* buffer);
void* __wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void* buffer);
}

namespace {

std::mutex& buffer_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void* __wrap_blas_memory_alloc(int position) {
  const std::lock_guard lock(buffer_mutex());
  return __real_blas_memory_alloc(position);
}

void __wrap_blas_memory_free(void* buffer) {
  const std::lock_guard lock(buffer_mutex());
  __real_blas_memory_free(buffer);
}

namespace dalaup {

Matrix large_matrix(std::size_t rows, std::size_t columns) {
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  advise_large_pages(matrix.data(), rows * columns * sizeof(float));
  return matrix;
}

void multiply_transposed(const ProductShape& shape, const float* left, const float* right,
                         float* out, float alpha, float beta) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, shape.rows, shape.columns, shape.inner,
              alpha, left, shape.left_stride, right, shape.right_stride, beta, out,
              shape.out_stride);
}

void multiply(const ProductShape& shape, const float* left, const float* right, float* out,
              float beta) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, shape.rows, shape.columns, shape.inner,
              1.0F, left, shape.left_stride, right, shape.right_stride, beta, out,
              shape.out_stride);
}

void transposed_multiply(const ProductShape& shape, const float* left, const float* right,
                         float* out, float beta) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, shape.rows, shape.columns, shape.inner, 1.0F,
              left, shape.left_stride, right, shape.right_stride, beta, out, shape.out_stride);
}

void write_npy(const std::string& path, const Matrix& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows(),
                  matrix.cols());
  constexpr std::size_t kPreamble = 10;  // magic, version, header length
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header.push_back('\n');
  AtomicFile file(path);
  file.write(std::string_view("\x93NUMPY\x01\x00", 8));
  const char length[2] = {static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(std::string_view(length, 2));
  file.write(header);
  file.write(std::string_view(reinterpret_cast<const char*>(matrix.data()),
                              static_cast<std::size_t>(matrix.size()) * sizeof(float)));
  file.commit();
}

}  // namespace dalaup
