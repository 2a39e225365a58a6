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

namespace dalaup {

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

  // Calls visit(first user of the line, its 16 values) for each touched line, in order.
  template <class Visit>
  void for_lines(Visit&& visit) {
    for (const std::uint32_t line : lines_) visit(line * kLine, values_.data() + line * kLine);
  }
  // Must be called after the last add and before for_lines.
  void collect_lines() {
    lines_.clear();
    for (std::size_t group = 0; group < is_touched_.size(); group += 8) {
      std::uint64_t flags = 0;
      std::memcpy(&flags, is_touched_.data() + group, sizeof flags);
      for (; flags != 0; flags &= flags - 1)
        lines_.push_back(static_cast<std::uint32_t>(group + std::countr_zero(flags) / 8));
    }
  }
  // A value that at least `rank` of the touched ones exceed, and few more (0 when there are fewer):
  // read off a histogram between 0 and `highest`.
  float value_near_rank(std::size_t rank, float highest) const {
    if (highest <= 0.0F || lines_.size() * kLine <= rank) return 0.0F;
    constexpr int kBins = 256;
    std::array<std::uint32_t, kBins + 1> counts{};
    const float scale = kBins / highest;
    for (const std::uint32_t line : lines_)
      for (std::size_t i = 0; i < kLine; ++i)
        ++counts[static_cast<std::size_t>(values_[line * kLine + i] * scale)];
    std::size_t above = 0;
    for (int bin = kBins; bin > 0; --bin) {
      above += counts[static_cast<std::size_t>(bin)];
      if (above >= rank) return static_cast<float>(bin) / scale * 0.999999F;
    }
    return 0.0F;
  }
  void clear() {
    for (const std::uint32_t line : lines_) {
      std::fill_n(values_.data() + line * kLine, kLine, 0.0F);
      is_touched_[line] = 0;
    }
    lines_.clear();
  }

 private:
  std::vector<float> values_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> lines_;
};

using Lanes = std::array<float, Accumulator::kLine>;

}  // namespace dalaup
