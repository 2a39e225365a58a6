#pragma once
// Eight floats at a time, through the compiler's vector extension: it becomes AVX2 where the target
// has it and plain code elsewhere, and unlike loops it does so reliably.
#include <cmath>
#include <cstddef>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "numeric/processor.h"

namespace dalaup {

using Lanes = float __attribute__((vector_size(32)));
inline constexpr std::size_t kLanes = 8;

inline Lanes load_lanes(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}
inline void store_lanes(float* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }
inline Lanes all_lanes(float value) {
  return Lanes{value, value, value, value, value, value, value, value};
}
inline float sum_of(Lanes lanes) {
#if defined(__AVX__)  // the same order as below, without a way through memory
  const __m128 fours =
      _mm_add_ps(_mm256_castps256_ps128(__m256(lanes)), _mm256_extractf128_ps(__m256(lanes), 1));
  const __m128 twos = _mm_add_ps(fours, _mm_movehl_ps(fours, fours));
  return _mm_cvtss_f32(_mm_add_ss(twos, _mm_movehdup_ps(twos)));
#else
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
#endif
}

// Left to itself GCC takes eight roots one by one.
inline Lanes root_of(Lanes x) {
#if defined(__AVX__)
  return Lanes(_mm256_sqrt_ps(__m256(x)));
#else
  Lanes root;
  for (std::size_t lane = 0; lane < kLanes; ++lane) root[lane] = std::sqrt(x[lane]);
  return root;
#endif
}

// The same for kernels that are compiled twice, for vectors of eight floats and of sixteen.
// Everything that has such vectors in its hands must be inlined: all of a kernel is one function.
template <std::size_t kWidth>
struct VectorOf;
template <>
struct VectorOf<8> {
  using Lanes = float __attribute__((vector_size(32)));
  using IntLanes = int __attribute__((vector_size(32)));
};
template <>
struct VectorOf<16> {
  using Lanes = float __attribute__((vector_size(64)));
  using IntLanes = int __attribute__((vector_size(64)));
};

#define DALAUP_INLINE [[gnu::always_inline]] inline

template <std::size_t kWidth>
struct LaneVector {
  using Lanes = typename VectorOf<kWidth>::Lanes;
  static constexpr std::size_t kCount = kWidth;

  DALAUP_INLINE static void load(const float* from, Lanes& to) {
    std::memcpy(&to, from, sizeof(to));
  }
  DALAUP_INLINE static void store(float* to, const Lanes& from) {
    std::memcpy(to, &from, sizeof(from));
  }
  // Replaces x by exp(x), to within 2 units in the last place; arguments are cut to where the
  // result is a normal number.
  DALAUP_INLINE static void exponentiate(Lanes& x) {
    const Lanes highest = Lanes{} + 87.0F;
    const Lanes lowest = Lanes{} - 87.0F;
    x = x > highest ? highest : x;
    x = x < lowest ? lowest : x;
    const Lanes magic = Lanes{} + 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
    const Lanes whole = (x * 1.44269504088896341F + magic) - magic;
    const Lanes rest = (x - whole * 0.693359375F) + whole * 2.12194440e-4F;
    Lanes series = Lanes{} + 1.9875691500e-4F;
    series = series * rest + 1.3981999507e-3F;
    series = series * rest + 8.3334519073e-3F;
    series = series * rest + 4.1665795894e-2F;
    series = series * rest + 1.6666665459e-1F;
    series = series * rest + 5.0000001201e-1F;
    const Lanes value = series * rest * rest + rest + 1.0F;
    using IntLanes = typename VectorOf<kWidth>::IntLanes;
    const IntLanes power = (__builtin_convertvector(whole, IntLanes) + 127) << 23;
    Lanes scale;
    std::memcpy(&scale, &power, sizeof(scale));
    x = value * scale;
  }
  DALAUP_INLINE static void squash(Lanes& x) {  // to the sigmoid of x
    x = -x;
    exponentiate(x);
    x = 1.0F / (1.0F + x);
  }
  DALAUP_INLINE static float sum(const Lanes& lanes) {
    if constexpr (kWidth == 8)
      return sum_of(lanes);
    else
      return sum_of(__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15));
  }
};

// A kernel is a struct with an inlined function run<V>; this calls it with the widest vectors the
// processor has.
#if defined(__x86_64__)
template <class Kernel, class... Arguments>
DALAUP_WIDE auto run_wide(const Arguments&... arguments) {
  return Kernel::template run<LaneVector<16>>(arguments...);
}
#endif
template <class Kernel, class... Arguments>
auto run_kernel(const Arguments&... arguments) {
#if defined(__x86_64__)
  if (has_wide_vectors()) return run_wide<Kernel>(arguments...);
#endif
  return Kernel::template run<LaneVector<8>>(arguments...);
}

// Calls body(offset) for each whole block of eight and body_of_one(offset) for each of the rest.
template <class Body, class BodyOfOne>
void for_lanes(std::size_t size, Body&& body, BodyOfOne&& body_of_one) {
  std::size_t place = 0;
  for (; place + kLanes <= size; place += kLanes) body(place);
  for (; place < size; ++place) body_of_one(place);
}

}  // namespace dalaup
