#pragma once
// Sums over the users of one network that are mostly zero: a dense array with a flag per cache
// line, so that a sweep touches only the lines that were added to.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "networks/networks.h"
#include "propagation/fast_exp.h"

namespace dalaup {

// Finds a value near a given rank among many, from a histogram between 0 and the highest.
class RankHistogram {
 public:
  explicit RankHistogram(float highest) : scale_(kBins / highest) {}
  void add(float value) { ++counts_[static_cast<std::size_t>(value * scale_)]; }
  // A value that at least `rank` of those added exceed, and few more; 0 when there are fewer.
  float value_near(std::size_t rank) const {
    std::size_t above = 0;
    for (int bin = kBins; bin > 0; --bin) {
      above += counts_[static_cast<std::size_t>(bin)];
      if (above >= rank) return static_cast<float>(bin) / scale_ * 0.999999F;
    }
    return 0.0F;
  }

 private:
  static constexpr int kBins = 256;
  float scale_;
  std::array<std::uint32_t, kBins + 1> counts_{};
};

class Accumulator {
 public:
  static constexpr std::size_t kLine = 16;  // floats in a cache line

  explicit Accumulator(std::size_t size)
      : values_((size + kLine - 1) / kLine * kLine, 0.0F),
        is_touched_((values_.size() / kLine + 7) / 8 * 8, 0) {}

  void add(UserId user, float amount) {
    values_[user] += amount;
    is_touched_[user / kLine] = 1;
  }
  float operator[](UserId user) const { return values_[user]; }
  float& operator[](UserId user) { return values_[user]; }
  // The 16 values from user `first`, a multiple of 16, on.
  const float* line(std::size_t first) const { return values_.data() + first; }

  // Must be called after the last add and before what follows.
  void collect_lines() {
    lines_.clear();
    for (std::size_t group = 0; group < is_touched_.size(); group += 8) {
      std::uint64_t flags = 0;
      std::memcpy(&flags, is_touched_.data() + group, sizeof flags);
      for (; flags != 0; flags &= flags - 1)
        lines_.push_back(static_cast<std::uint32_t>(group + std::countr_zero(flags) / 8));
    }
  }
  // Calls visit(first user of the line, its 16 values) for each touched line, in order.
  template <class Visit>
  void for_lines(Visit&& visit) const {
    for (const std::uint32_t line : lines_) visit(line * kLine, values_.data() + line * kLine);
  }
  // Multiplies touched values by `factors` (one per user, padded to whole lines); returns the
  // highest.
  float scale(const float* factors) {
    Eight highest[2] = {{}, {}};
    for (const std::uint32_t line : lines_)
      for (std::size_t half = 0; half < 2; ++half) {
        float* const values = values_.data() + line * kLine + half * 8;
        const Eight scaled = load(values) * load(factors + line * kLine + half * 8);
        std::memcpy(values, &scaled, sizeof scaled);
        highest[half] = scaled > highest[half] ? scaled : highest[half];
      }
    float result = 0.0F;
    for (std::size_t lane = 0; lane < 8; ++lane)
      result = std::max({result, highest[0][lane], highest[1][lane]});
    return result;
  }
  // Calls visit(user, value) for values above `least`, in order.
  template <class Visit>
  void for_values_above(float least, Visit&& visit) const {
    for (const std::uint32_t line : lines_) {
      const float* const values = values_.data() + line * kLine;
      if (!is_any_above(values, least)) continue;
      for (std::size_t i = 0; i < kLine; ++i)
        if (values[i] > least) visit(static_cast<UserId>(line * kLine + i), values[i]);
    }
  }
  // Sum of exp((value - highest) / temperature) over values above 0 and, up to a hair, no others
  // than those in lines with one above `least`.
  double mass(float highest, float temperature, float least) const {
    std::array<float, kLine> sums{};  // one per position in a line, so that the compiler vectorises
    for (const std::uint32_t line : lines_) {
      const float* const values = values_.data() + line * kLine;
      if (!is_any_above(values, least)) continue;
      for (std::size_t i = 0; i < kLine; ++i) {
        const float mass = fast_exp((values[i] - highest) / temperature);
        sums[i] += values[i] > 0.0F ? mass : 0.0F;
      }
    }
    double total = 0.0;
    for (const float sum : sums) total += sum;
    return total;
  }
  void clear() {
    for (const std::uint32_t line : lines_) {
      std::fill_n(values_.data() + line * kLine, kLine, 0.0F);
      is_touched_[line] = 0;
    }
    lines_.clear();
  }

 private:
  using Eight = float __attribute__((vector_size(32)));  // GCC and Clang lower it to what there is

  static Eight load(const float* values) {
    Eight eight;
    std::memcpy(&eight, values, sizeof eight);
    return eight;
  }
  static bool is_any_above(const float* values, float least) {
    const auto above = (load(values) > least) | (load(values + 8) > least);
    std::uint64_t words[4];
    static_assert(sizeof words == sizeof above);
    std::memcpy(words, &above, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
  }

  std::vector<float> values_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> lines_;
};

using Lanes = std::array<float, Accumulator::kLine>;

}  // namespace dalaup
