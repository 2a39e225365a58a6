#include "numeric/products.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/base.h"
#include "numeric/lanes.h"

namespace dalaup {
namespace {

// Twelve sums of one side's rows with the other's fill the registers of AVX2, twenty-four the
// thirty-two of AVX-512.
template <class V>
struct TileSizes {
  static constexpr int kLeft = V::kCount == 16 ? 6 : 4;
  static constexpr int kRight = V::kCount == 16 ? 4 : 3;
  static constexpr int kCombined = V::kCount == 16 ? 12 : 6;  // rows of two vectors each
};

// Meanwhile `width` floats from each of `soon_count` places are fetched from memory.
template <class V, int kLeft, int kRight>
DALAUP_INLINE void dot_tile(ConstRows left, ConstRows right, std::size_t width, bool adds,
                            MutableRows out, ConstRows soon, std::size_t soon_count) {
  typename V::Lanes sums[kLeft][kRight];
  for (auto& row : sums)
    for (auto& sum : row) sum = typename V::Lanes{};  // one by one: {} of an array becomes a call
  std::size_t place = 0;
  for (; place + V::kCount <= width; place += V::kCount) {
    for (std::size_t row = 0; row < soon_count; ++row)
      __builtin_prefetch(soon.data + row * soon.stride + place);
    typename V::Lanes values[kRight];
    for (std::size_t r = 0; r < kRight; ++r)
      V::load(right.data + r * right.stride + place, values[r]);
    for (std::size_t l = 0; l < kLeft; ++l) {
      typename V::Lanes own;
      V::load(left.data + l * left.stride + place, own);
      for (std::size_t r = 0; r < kRight; ++r) sums[l][r] += own * values[r];
    }
  }
  for (std::size_t l = 0; l < kLeft; ++l)
    for (std::size_t r = 0; r < kRight; ++r) {
      float sum = V::sum(sums[l][r]);
      for (std::size_t p = place; p < width; ++p)
        sum += left.data[l * left.stride + p] * right.data[r * right.stride + p];
      float& total = out.data[l * out.stride + r];
      total = adds ? total + sum : sum;
    }
}

// Cuts `count` rows into as few groups of at most kMost as possible, of nearly equal size (a group
// of one costs almost as much as a full one), and calls body<size>(first) on each.
template <int kMost, class Body>
DALAUP_INLINE void for_groups(std::size_t count, Body&& body) {
  const std::size_t groups = (count + kMost - 1) / kMost;
  std::size_t first = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t size = (count - first + (groups - group) - 1) / (groups - group);
    [&]<int... kSizes>(std::integer_sequence<int, kSizes...>) __attribute__((always_inline)) {
      ((size == kSizes + 1 ? body.template operator()<kSizes + 1>(first) : void()), ...);
    }
    (std::make_integer_sequence<int, kMost>());
    first += size;
  }
}

struct DotRows {
  template <class V>
  DALAUP_INLINE static void run(ConstRows left, std::size_t left_count, ConstRows right,
                                std::size_t right_count, std::size_t width, MutableRows out) {
    constexpr std::size_t kWidth = 1024;  // columns; the rows of a tile fit the L1 cache
    constexpr std::size_t kLeftMost = TileSizes<V>::kLeft;
    constexpr std::size_t kRightMost = TileSizes<V>::kRight;
    // Every tile asks for its share of the rows of the next columns.
    const std::size_t tiles =
        ((left_count + kLeftMost - 1) / kLeftMost) * ((right_count + kRightMost - 1) / kRightMost);
    const std::size_t share = (left_count + right_count + tiles - 1) / tiles;
    for (std::size_t begin = 0; begin < width; begin += kWidth) {
      std::size_t asked = 0;
      for_groups<kLeftMost>(
          left_count, [&]<int kLeft>(std::size_t l) __attribute__((always_inline)) {
            for_groups<kRightMost>(
                right_count, [&]<int kRight>(std::size_t r) __attribute__((always_inline)) {
                  const bool is_left = asked < left_count;
                  const ConstRows& from = is_left ? left : right;
                  const std::size_t first = is_left ? asked : asked - left_count;
                  const std::size_t count =
                      std::min(share, (is_left ? left_count : right_count) - first);
                  dot_tile<V, kLeft, kRight>(
                      {left.data + l * left.stride + begin, left.stride},
                      {right.data + r * right.stride + begin, right.stride},
                      std::min(kWidth, width - begin), begin > 0,
                      {out.data + l * out.stride + r, out.stride},
                      {from.data + first * from.stride + begin + kWidth, from.stride}, count);
                  asked += count;
                });
          });
    }
  }
};

template <class V, int kRows, int kVectors>
DALAUP_INLINE void combine_tile(ConstRows factors, std::size_t inner, ConstRows panel,
                                ConstRows start, MutableRows out, const float* const* soon,
                                std::size_t soon_count, std::size_t place) {
  typename V::Lanes sums[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v)
      if (start.data == nullptr)
        sums[r][v] = typename V::Lanes{};
      else
        V::load(start.data + r * start.stride + v * V::kCount, sums[r][v]);
  for (std::size_t k = 0; k < inner; ++k) {
    for (std::size_t ask = 0; ask < soon_count; ++ask) __builtin_prefetch(*soon++ + place);
    typename V::Lanes values[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      V::load(panel.data + k * panel.stride + v * V::kCount, values[v]);
    for (std::size_t r = 0; r < kRows; ++r) {
      const float factor = factors.data[k * factors.stride + r];
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += factor * values[v];
    }
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v)
      V::store(out.data + r * out.stride + v * V::kCount, sums[r][v]);
}

// A product of combine_rows, and the places it asks for meanwhile.
struct Combination {
  ConstRows factors;
  std::size_t rows;
  std::size_t inner;
  ConstRows panel;
  ConstRows start;
  MutableRows out;
  const float* const* soon;
  std::size_t soon_count;  // places asked for at each turn of the inner loop
};

template <class V, int kVectors>
DALAUP_INLINE void combine_columns(const Combination& job, std::size_t place) {
  const float* const* asked = job.soon;
  for_groups<TileSizes<V>::kCombined>(
      job.rows, [&]<int kRows>(std::size_t r) __attribute__((always_inline)) {
        combine_tile<V, kRows, kVectors>(
            {job.factors.data + r, job.factors.stride}, job.inner,
            {job.panel.data + place, job.panel.stride},
            {job.start.data == nullptr ? nullptr : job.start.data + r * job.start.stride + place,
             job.start.stride},
            {job.out.data + r * job.out.stride + place, job.out.stride}, asked, job.soon_count,
            place);
        asked += job.inner * job.soon_count;
      });
}

struct CombineRows {
  template <class V>
  DALAUP_INLINE static void run(ConstRows factors, std::size_t rows, std::size_t inner,
                                ConstRows panel, std::size_t width, ConstRows start,
                                MutableRows out, std::span<const ConstRows> soon) {
    // There are too many rows for the processor to foresee which places come next: each turn of the
    // inner loop asks for some, of the panel's and the result's next block and of what is read
    // soon. Blocks seldom begin with a cache line, so it is the lines of their last numbers that
    // are still missing.
    constexpr std::size_t kBlock = 2 * V::kCount;
    constexpr std::size_t kLine = 16;
    std::vector<const float*> upcoming;
    const auto ask_for = [&](const float* block) {
      for (std::size_t line = kLine - 1; line < kBlock; line += kLine)
        upcoming.push_back(block + line);
    };
    for (std::size_t k = 0; k < inner; ++k) ask_for(panel.data + k * panel.stride + kBlock);
    for (std::size_t r = 0; r < rows; ++r) {
      for (const ConstRows& more : soon) ask_for(more.data + r * more.stride);
      ask_for(out.data + r * out.stride + kBlock);
    }
    constexpr std::size_t kMost = TileSizes<V>::kCombined;
    const std::size_t turns = std::max<std::size_t>(1, (rows + kMost - 1) / kMost * inner);
    const std::size_t soon_count = (upcoming.size() + turns - 1) / turns;
    upcoming.resize(turns * soon_count, panel.data);
    const Combination job{factors, rows, inner, panel, start, out, upcoming.data(), soon_count};
    std::size_t place = 0;
    for (; place + kBlock <= width; place += kBlock) combine_columns<V, 2>(job, place);
    for (; place + V::kCount <= width; place += V::kCount) combine_columns<V, 1>(job, place);
    for (; place < width; ++place)
      for (std::size_t r = 0; r < rows; ++r) {
        float sum = start.data == nullptr ? 0.0F : start.data[r * start.stride + place];
        for (std::size_t k = 0; k < inner; ++k)
          sum += factors.data[k * factors.stride + r] * panel.data[k * panel.stride + place];
        out.data[r * out.stride + place] = sum;
      }
  }
};

}  // namespace

float* aligned_room(std::vector<float>& scratch, std::size_t size) {
  constexpr std::size_t kLine = 64;
  if (scratch.size() < size + kLine / sizeof(float)) scratch.resize(size + kLine / sizeof(float));
  const auto begin = reinterpret_cast<std::uintptr_t>(scratch.data());
  return scratch.data() + (kLine - begin % kLine) % kLine / sizeof(float);
}

void dot_rows(ConstRows left, std::size_t left_count, ConstRows right, std::size_t right_count,
              std::size_t width, MutableRows out) {
  if (left_count > 0 && right_count > 0)
    run_kernel<DotRows>(left, left_count, right, right_count, width, out);
}

void combine_rows(ConstRows factors, std::size_t rows, std::size_t inner, ConstRows panel,
                  std::size_t width, ConstRows start, MutableRows out,
                  std::span<const ConstRows> soon) {
  run_kernel<CombineRows>(factors, rows, inner, panel, width, start, out, soon);
}

}  // namespace dalaup
