#include "numeric/numeric.h"

#include "support/gradients.h"

namespace dalaup {
namespace {

// Every remainder of the blocks that the kernels work in, against Eigen.
TEST(Products, EqualThoseOfEigenAtAnySize) {
  for (const int left : {1, 5, 13})
    for (const int right : {1, 4, 8})
      for (const int width : {3, 16, 43, 1030}) {
        SCOPED_TRACE(testing::Message() << left << " x " << right << " over " << width);
        const Matrix rows = random_matrix(left, width, 1);
        const Matrix others = random_matrix(right, width, 2);
        Matrix out(left, right);
        const auto stride = static_cast<std::size_t>(width);
        dot_rows({rows.data(), stride}, static_cast<std::size_t>(left), {others.data(), stride},
                 static_cast<std::size_t>(right), stride,
                 {out.data(), static_cast<std::size_t>(right)});
        EXPECT_LT((out - rows * others.transpose()).cwiseAbs().maxCoeff(), 1e-4F);
        const Matrix factors = random_matrix(right, left, 3);
        const Matrix start = random_matrix(1, width, 4);
        Matrix combined(left, width);
        const auto combine = [&](ConstRows from) {
          combine_rows({factors.data(), static_cast<std::size_t>(left)},
                       static_cast<std::size_t>(left), static_cast<std::size_t>(right),
                       {others.data(), stride}, stride, from, {combined.data(), stride});
        };
        const Matrix product = factors.transpose() * others;
        combine({nullptr, 0});
        EXPECT_LT((combined - product).cwiseAbs().maxCoeff(), 1e-4F);
        combine({start.data(), 0});
        EXPECT_LT((combined - (product.rowwise() + start.row(0))).cwiseAbs().maxCoeff(), 1e-4F);
        combine({combined.data(), stride});
        EXPECT_LT((combined - ((2.0F * product).rowwise() + start.row(0))).cwiseAbs().maxCoeff(),
                  1e-4F);
      }
}

}  // namespace
}  // namespace dalaup
