#include "aup/products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "aup/lanes.h"

namespace dalaup {
namespace {

// Twelve sums, three rows of one side and a value of the other fill the sixteen registers of AVX2.
template <int kLeft, int kRight>
void dot_tile(ConstRows left, ConstRows right, std::size_t width, bool adds, MutableRows out) {
  Lanes sums[kLeft][kRight];
  for (auto& row : sums)
    for (Lanes& sum : row) sum = Lanes{};  // one by one: an array's {} becomes a call to clear it
  std::size_t place = 0;
  for (; place + kLanes <= width; place += kLanes) {
    Lanes values[kRight];
    for (std::size_t r = 0; r < kRight; ++r)
      values[r] = load_lanes(right.data + r * right.stride + place);
    for (std::size_t l = 0; l < kLeft; ++l) {
      const Lanes own = load_lanes(left.data + l * left.stride + place);
      for (std::size_t r = 0; r < kRight; ++r) sums[l][r] += own * values[r];
    }
  }
  for (std::size_t l = 0; l < kLeft; ++l)
    for (std::size_t r = 0; r < kRight; ++r) {
      float sum = sum_of(sums[l][r]);
      for (std::size_t p = place; p < width; ++p)
        sum += left.data[l * left.stride + p] * right.data[r * right.stride + p];
      float& total = out.data[l * out.stride + r];
      total = adds ? total + sum : sum;
    }
}

// Cuts `count` rows into as few groups of at most kMost as possible, of nearly equal size (a group
// of one costs almost as much as a full one), and calls body<size>(first) on each.
template <int kMost, class Body>
void for_groups(std::size_t count, Body&& body) {
  const std::size_t groups = (count + kMost - 1) / kMost;
  std::size_t first = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t size = (count - first + (groups - group) - 1) / (groups - group);
    [&]<int... kSizes>(std::integer_sequence<int, kSizes...>) {
      ((size == kSizes + 1 ? body.template operator()<kSizes + 1>(first) : void()), ...);
    }
    (std::make_integer_sequence<int, kMost>());
    first += size;
  }
}

template <int kRows, int kVectors>
void combine_tile(ConstRows factors, std::size_t inner, ConstRows panel, ConstRows start,
                  MutableRows out, const float* const* soon, std::size_t place) {
  Lanes sums[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[r][v] =
          start.data == nullptr ? Lanes{} : load_lanes(start.data + r * start.stride + v * kLanes);
  for (std::size_t k = 0; k < inner; ++k) {
    __builtin_prefetch(soon[k] + place);
    Lanes values[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      values[v] = load_lanes(panel.data + k * panel.stride + v * kLanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const Lanes factor = all_lanes(factors.data[k * factors.stride + r]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += factor * values[v];
    }
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v)
      store_lanes(out.data + r * out.stride + v * kLanes, sums[r][v]);
}

}  // namespace

void dot_rows(ConstRows left, std::size_t left_count, ConstRows right, std::size_t right_count,
              std::size_t width, MutableRows out) {
  // Eight rows of one side stay in the L1 cache while those of the other pass by.
  constexpr std::size_t kWidth = 512;
  for (std::size_t begin = 0; begin < width; begin += kWidth)
    for_groups<8>(left_count, [&]<int kBlock>(std::size_t block) {
      for_groups<3>(right_count, [&]<int kRight>(std::size_t r) {
        for_groups<4>(kBlock, [&]<int kLeft>(std::size_t l) {
          dot_tile<kLeft, kRight>({left.data + (block + l) * left.stride + begin, left.stride},
                                  {right.data + r * right.stride + begin, right.stride},
                                  std::min(kWidth, width - begin), begin > 0,
                                  {out.data + (block + l) * out.stride + r, out.stride});
        });
      });
    });
}

void combine_rows(ConstRows factors, std::size_t rows, std::size_t inner, ConstRows panel,
                  std::size_t width, ConstRows start, MutableRows out,
                  std::span<const ConstRows> soon) {
  // There are too many rows for the processor to foresee which places come next: each turn of the
  // inner loop asks for one, the panel's next block first. Blocks seldom begin with a cache line,
  // so it is the line of their last number that is still missing.
  std::vector<const float*> upcoming;
  constexpr std::size_t kLast = 2 * kLanes - 1;
  for (std::size_t k = 0; k < inner; ++k)
    upcoming.push_back(panel.data + k * panel.stride + 2 * kLanes + kLast);
  for (const ConstRows& more : soon)
    for (std::size_t r = 0; r < rows; ++r) upcoming.push_back(more.data + r * more.stride + kLast);
  upcoming.resize(std::max(upcoming.size(), rows * inner), panel.data);
  const auto columns = [&]<int kVectors>(std::size_t place) {
    const float* const* asked = upcoming.data();
    for_groups<6>(rows, [&]<int kRows>(std::size_t r) {
      combine_tile<kRows, kVectors>(
          {factors.data + r, factors.stride}, inner, {panel.data + place, panel.stride},
          {start.data == nullptr ? nullptr : start.data + r * start.stride + place, start.stride},
          {out.data + r * out.stride + place, out.stride}, asked, place);
      asked += inner;
    });
  };
  std::size_t place = 0;
  for (; place + 2 * kLanes <= width; place += 2 * kLanes) columns.template operator()<2>(place);
  for (; place + kLanes <= width; place += kLanes) columns.template operator()<1>(place);
  for (; place < width; ++place)
    for (std::size_t r = 0; r < rows; ++r) {
      float sum = start.data == nullptr ? 0.0F : start.data[r * start.stride + place];
      for (std::size_t k = 0; k < inner; ++k)
        sum += factors.data[k * factors.stride + r] * panel.data[k * panel.stride + place];
      out.data[r * out.stride + place] = sum;
    }
}

}  // namespace dalaup
