#pragma once
// Instructions beyond those the program is compiled for, used where the processor has them.

#if defined(__x86_64__)
// Compiles a function for the 512-bit instructions. Call it only where has_wide_vectors().
#define DALAUP_WIDE [[gnu::target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx2,fma")]]
#endif

namespace dalaup {

bool has_wide_vectors();

}  // namespace dalaup
