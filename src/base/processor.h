#pragma once
// Instructions beyond those the program is compiled for, used where the processor has them.

#if defined(__x86_64__)
// Compiles a function for the 512-bit instructions. Call it only where has_wide_vectors().
#define DALAUP_WIDE [[gnu::target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx2,fma")]]
#endif

namespace dalaup {

bool has_wide_vectors();

// How this thread's processor rounds and treats tiny numbers. Loops over a Run's workers take over
// the mode of the thread that begins them.
class FloatMode {
 public:
  static FloatMode current();
  void set() const;

 private:
  friend class TinyNumbersAreZero;
  unsigned bits_ = 0;
};

// While it lives, this thread takes numbers below the smallest with full precision (1e-38) for
// zero. Many processors need a hundred times as long for them, and saturated sigmoids make
// millions.
class TinyNumbersAreZero {
 public:
  TinyNumbersAreZero();
  ~TinyNumbersAreZero() { before_.set(); }
  TinyNumbersAreZero(const TinyNumbersAreZero&) = delete;
  TinyNumbersAreZero& operator=(const TinyNumbersAreZero&) = delete;

 private:
  FloatMode before_;
};

}  // namespace dalaup
