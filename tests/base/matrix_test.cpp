#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/base.h"

namespace dalaup {
namespace {

TEST(MultiplyTransposed, GivesTheSameBitsWhenSeveralThreadsMultiplyAtOnce) {
  constexpr int kThreads = 8;
  constexpr int kRepeats = 4000;
  constexpr ProductShape kShape{.rows = 4,
                                .columns = 56,
                                .inner = 256,
                                .left_stride = 256,
                                .right_stride = 256,
                                .out_stride = 56};
  const Matrix left = Matrix::Random(kShape.rows, kShape.inner);
  const Matrix right = Matrix::Random(kShape.columns, kShape.inner);
  Matrix expected(kShape.rows, kShape.columns);
  multiply_transposed(kShape, left.data(), right.data(), expected.data());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      // Each its own product, so that one that lands in another's buffer shows.
      const Matrix own = left * static_cast<float>(1 << thread);
      Matrix out(kShape.rows, kShape.columns);
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        multiply_transposed(kShape, own.data(), right.data(), out.data());
        if (out != expected * static_cast<float>(1 << thread)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "of " << kThreads * kRepeats;
}

#if defined(__x86_64__)
TEST(ProductKernels, AreThoseOfAProcessorWithTheSameVectorInstructions) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  const std::string name = product_kernels();
  if (has_wide_vectors()) {
    EXPECT_THAT(name, testing::AnyOf("SkylakeX", "Cooperlake", "SapphireRapids", "Zen"));
  } else if (__builtin_cpu_supports("avx2")) {
    EXPECT_THAT(name, testing::AnyOf("Haswell", "Zen"));
  }
}
#endif

}  // namespace
}  // namespace dalaup
