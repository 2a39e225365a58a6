#pragma once
// Dense float32 matrices, one row per user, and the matrix product behind everything dense.
#include <Eigen/Core>
#include <cstddef>
#include <string>

namespace dalaup {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A matrix whose values are not yet set, in large memory pages where the system offers them: first
// writing to 200 MB then takes some 60 ms instead of 300, and scattered rows are found sooner.
Matrix large_matrix(std::size_t rows, std::size_t columns);

// out = alpha * left * right' + beta * out on row-major blocks, one thread.
// left is rows x inner, right is columns x inner, out is rows x columns; strides count floats.
struct ProductShape {
  int rows;
  int columns;
  int inner;
  int left_stride;
  int right_stride;
  int out_stride;
};
void multiply_transposed(const ProductShape& shape, const float* left, const float* right,
                         float* out, float alpha = 1.0F, float beta = 0.0F);
// out = left * right + beta * out, right being inner x columns.
void multiply(const ProductShape& shape, const float* left, const float* right, float* out,
              float beta = 0.0F);
// out = left' * right + beta * out, left being inner x rows and right inner x columns.
void transposed_multiply(const ProductShape& shape, const float* left, const float* right,
                         float* out, float beta = 0.0F);

// Which processor's instructions the products use, such as "SkylakeX".
std::string product_kernels();

// A NumPy .npy file (format 1.0, little-endian float32, C order), written atomically.
void write_npy(const std::string& path, const Matrix& matrix);

}  // namespace dalaup
