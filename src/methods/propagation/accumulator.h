#pragma once
// Sums over the users of one network that are mostly zero: a dense array with a flag per cache
// line, so that a sweep touches only the lines that were added to.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "methods/propagation/fast_exp.h"
#include "networks/networks.h"

namespace dalaup {

// Finds a value near a given rank among many, from a histogram between 0 and the highest.
class RankHistogram {
 public:
  explicit RankHistogram(float highest) : scale_(kBins / highest) {}
  // Most values are alike, so four counters share each bin: one would wait for itself.
  void add(std::span<const float, 4> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      ++counts_[i][static_cast<std::size_t>(values[i] * scale_)];
  }
  // A value that at least `rank` of those added exceed, and few more; 0 when there are fewer.
  float value_near(std::size_t rank) const {
    std::size_t above = 0;
    for (std::size_t bin = kBins; bin > 0; --bin) {
      for (const auto& counts : counts_) above += counts[bin];
      if (above >= rank) return static_cast<float>(bin) / scale_ * 0.999999F;
    }
    return 0.0F;
  }

 private:
  static constexpr std::size_t kBins = 256;
  float scale_;
  std::array<std::array<std::uint32_t, kBins + 1>, 4> counts_{};
};

// How the mass exp((value - highest) / temperature) is spread over values below the highest.
class MassHistogram {
 public:
  MassHistogram(float highest, float temperature)
      : highest_(highest), width_(temperature / kBinsPerTemperature), scale_(1.0F / width_) {}
  void add(float value) {
    const float depth = (highest_ - value) * scale_;
    if (depth < static_cast<float>(kBins)) ++counts_[static_cast<std::size_t>(depth)];
  }
  // The value above which at least `mass` of those added lies, or at least `most` of them.
  float value_above(double mass, std::size_t most) const {
    double above = 0.0;
    std::size_t count = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      above += counts_[bin] * fast_exp(-(static_cast<float>(bin) + 0.5F) / kBinsPerTemperature);
      count += counts_[bin];
      if (above >= mass || count >= most) return highest_ - static_cast<float>(bin + 1) * width_;
    }
    return highest_ - static_cast<float>(kBins) * width_;
  }

 private:
  static constexpr float kBinsPerTemperature = 4.0F;
  static constexpr std::size_t kBins = 64;
  float highest_;
  float width_;
  float scale_;
  std::array<std::uint32_t, kBins> counts_{};
};

class Accumulator {
 public:
  static constexpr std::size_t kLine = 16;  // floats in a cache line

  explicit Accumulator(std::size_t size)
      : values_((size + kLine - 1) / kLine * kLine, 0.0F),
        is_touched_((values_.size() / kLine + 7) / 8 * 8, 0) {}

  // Says, while nothing has been added, how many additions will follow: with many of them every
  // line counts as touched and none is flagged.
  void expect(std::size_t additions) { is_dense_ = additions >= values_.size() / kLine; }
  void add(std::span<const UserId> users, float amount) {
    float* const values = values_.data();  // the store to a byte might change the members
    std::uint8_t* const is_touched = is_touched_.data();
    if (is_dense_)
      for (const UserId user : users) values[user] += amount;
    else
      for (const UserId user : users) {
        values[user] += amount;
        is_touched[user / kLine] = 1;
      }
  }
  float operator[](UserId user) const { return values_[user]; }
  float& operator[](UserId user) { return values_[user]; }
  // Must be called after the last add and before what follows.
  void collect_lines() {
    if (is_dense_) {
      lines_.resize(values_.size() / kLine);
      std::iota(lines_.begin(), lines_.end(), 0U);
      return;
    }
    lines_.clear();
    for (std::size_t group = 0; group < is_touched_.size(); group += 8) {
      std::uint64_t flags = 0;
      std::memcpy(&flags, is_touched_.data() + group, sizeof flags);
      for (; flags != 0; flags &= flags - 1)
        lines_.push_back(static_cast<std::uint32_t>(group + std::countr_zero(flags) / 8));
    }
  }
  // Multiplies touched values by `factors` (one per user, padded to whole lines); returns the
  // highest.
  float scale(const float* factors) {
    float result = 0.0F;
    highest_.resize(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!is_dense_ && i + kAhead < lines_.size())
        __builtin_prefetch(factors + lines_[i + kAhead] * kLine);
      float* const values = values_.data() + lines_[i] * kLine;
      const float* const factor = factors + lines_[i] * kLine;
      const Eight low = load(values) * load(factor);
      const Eight high = load(values + 8) * load(factor + 8);
      std::memcpy(values, &low, sizeof low);
      std::memcpy(values + 8, &high, sizeof high);
      highest_[i] = highest_of(low > high ? low : high);
      result = std::max(result, highest_[i]);
    }
    return result;
  }
  // What follows must be called after `scale`.
  // Calls visit(first user of the line, its 16 values) for each line with a value above `least`.
  template <class Visit>
  void for_lines_above(float least, Visit&& visit) const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (highest_[i] > least) visit(lines_[i] * kLine, values_.data() + lines_[i] * kLine);
  }
  // Calls visit(user, value) for values above `least`, in order.
  template <class Visit>
  void for_values_above(float least, Visit&& visit) const {
    for_lines_above(least, [&](std::size_t first, const float* values) {
      for (std::size_t i = 0; i < kLine; ++i)
        if (values[i] > least) visit(static_cast<UserId>(first + i), values[i]);
    });
  }
  // Sum of exp((value - highest) / temperature) over values above 0 and, up to a hair, no others
  // than those in lines with one above `least`.
  double mass(float highest, float temperature, float least) const {
    std::array<float, kLine> sums{};  // one per position in a line, so that the compiler vectorises
    const float scale = 1.0F / temperature;
    for_lines_above(least, [&](std::size_t, const float* values) {
      for (std::size_t i = 0; i < kLine; ++i) {
        const float mass = fast_exp((values[i] - highest) * scale);
        sums[i] += values[i] > 0.0F ? mass : 0.0F;
      }
    });
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
    is_dense_ = false;
  }

 private:
  using Eight = float __attribute__((vector_size(32)));  // GCC and Clang lower it to what there is
  using Four = float __attribute__((vector_size(16)));

  static constexpr std::size_t kAhead = 8;  // lines whose factors are fetched in advance

  static Eight load(const float* values) {
    Eight eight;
    std::memcpy(&eight, values, sizeof eight);
    return eight;
  }
  static float highest_of(const Eight& values) {
    Four low;
    Four high;
    std::memcpy(&low, &values, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&values) + sizeof low, sizeof high);
    const Four four = low > high ? low : high;
    return std::max(std::max(four[0], four[1]), std::max(four[2], four[3]));
  }

  std::vector<float> values_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> lines_;  // touched
  std::vector<float> highest_;        // beside lines_
  bool is_dense_ = false;
};

using LineSums = std::array<float, Accumulator::kLine>;

}  // namespace dalaup
