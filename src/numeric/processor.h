#pragma once
// Instructions beyond those the program is compiled for, used where the processor has them.

#if defined(__x86_64__)
// Compiles a function for the 512-bit instructions. Call it only where has_wide_vectors().
#define DALAUP_WIDE [[gnu::target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx2,fma")]]
#endif

namespace dalaup {

bool has_wide_vectors();

// While it lives, this thread flushes denormal numbers (below 1e-38) to zero, in results and
// inputs; loops over a Run's workers take that over. Many processors need a hundred times as long
// for them, and saturated sigmoids make millions.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned mode_before_ = 0;
};

}  // namespace dalaup
