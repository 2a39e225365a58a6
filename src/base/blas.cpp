// Matrix products through the serial OpenBLAS. What Debian 12's version leaves undone is put right
// here: the linker sends some of its own calls to us (--wrap in cmake/Dependencies.cmake).
#include <cblas.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/matrix.h"
#include "base/processor.h"

// It looks for a free packing buffer without a lock: two threads that multiply at once can be given
// the same one and get wrong products.
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

#if defined(__x86_64__)
// It knows processors by their model numbers and takes one that is younger than itself for a
// Prescott of 2004: a fifth of the speed. Such a processor gets the kernels of the newest one that
// has no instruction it lacks. Runs before main, on one thread; OPENBLAS_CORETYPE, if set, has been
// obeyed.
extern "C" {
char* gotoblas_corename();
void __real_gotoblas_dynamic_init();
void gotoblas_dynamic_quit();
void __wrap_gotoblas_dynamic_init();
}

void __wrap_gotoblas_dynamic_init() {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  constexpr std::array<std::string_view, 5> kModern = {"Haswell", "Zen", "SkylakeX", "Cooperlake",
                                                       "SapphireRapids"};
  __real_gotoblas_dynamic_init();
  if (std::getenv(kVariable) != nullptr || std::ranges::count(kModern, gotoblas_corename()) > 0)
    return;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  setenv(kVariable, dalaup::has_wide_vectors() ? "SkylakeX" : "Haswell", 1);
  gotoblas_dynamic_quit();
  __real_gotoblas_dynamic_init();
  unsetenv(kVariable);
}
#endif

namespace dalaup {

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

std::string product_kernels() { return openblas_get_corename(); }

}  // namespace dalaup
