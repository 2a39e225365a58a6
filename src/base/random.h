#pragma once
// Seeded random streams whose values are the same on every platform and at any thread count:
// the standard library fixes engines but not distributions, so the distributions are ours.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dalaup {

// xoshiro256++ (Blackman, Vigna 2019), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  // An independent stream for one purpose; parallel loops take one stream per index.
  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  std::uint64_t next();
  double uniform();                          // [0, 1)
  std::uint64_t below(std::uint64_t bound);  // unbiased in [0, bound); bound > 0
  bool chance(double probability) { return uniform() < probability; }
  double normal();
  double gamma(double shape);
  double beta(double a, double b);

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[below(left)]);
  }

  // `count` distinct numbers below `bound`, in random order.
  std::vector<std::uint64_t> sample(std::uint64_t bound, std::uint64_t count);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace dalaup
