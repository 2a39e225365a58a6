#include "numeric/processor.h"

#include <cstdlib>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dalaup {
namespace {

// DALAUP_NARROW=1 keeps to what the program is compiled for, so that the tests see both kinds of
// kernels on one machine.
bool finds_wide_vectors() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return std::getenv("DALAUP_NARROW") == nullptr && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

bool has_wide_vectors() {
  static const bool has = finds_wide_vectors();
  return has;
}

FlushDenormals::FlushDenormals() {
#if defined(__x86_64__)
  constexpr unsigned kResultsAndInputs = 0x8040;
  mode_before_ = _mm_getcsr();
  _mm_setcsr(mode_before_ | kResultsAndInputs);
#endif
}

FlushDenormals::~FlushDenormals() {
#if defined(__x86_64__)
  _mm_setcsr(mode_before_);
#endif
}

}  // namespace dalaup
