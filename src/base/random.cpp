#include "base/random.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace dalaup {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// FNV-1a, so that a stream is named by words and not by a number somebody must keep unique.
std::uint64_t hash_of(std::string_view words) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::uint64_t mixed_seed(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
  std::uint64_t state = seed;
  state = splitmix(state) ^ hash_of(purpose);
  state = splitmix(state) ^ index;
  return splitmix(state);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix(seed);
}

Random::Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : Random(mixed_seed(seed, purpose, index)) {}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t biased = -bound % bound;  // the values that would favour small results
  while (true) {
    const std::uint64_t value = next();
    if (value >= biased) return value % bound;
  }
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * 3.14159265358979323846 * uniform());
}

// Marsaglia and Tsang 2000; shapes below 1 are lifted and scaled back.
double Random::gamma(double shape) {
  assert(shape > 0);
  if (shape < 1.0) return gamma(shape + 1.0) * std::pow(1.0 - uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double Random::beta(double a, double b) {
  const double x = gamma(a);
  const double y = gamma(b);
  return x + y > 0.0 ? x / (x + y) : (chance(a / (a + b)) ? 1.0 : 0.0);  // both underflowed
}

// The first `count` steps of a shuffle of 0..bound-1, storing only the places that moved.
std::vector<std::uint64_t> Random::sample(std::uint64_t bound, std::uint64_t count) {
  assert(count <= bound);
  std::unordered_map<std::uint64_t, std::uint64_t> moved;
  const auto at = [&](std::uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<std::uint64_t> chosen(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t j = i + below(bound - i);
    chosen[i] = at(j);
    moved[j] = at(i);
  }
  return chosen;
}

}  // namespace dalaup
