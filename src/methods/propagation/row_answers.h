#pragma once
// What is answered of one user, by a fitted propagation and from its file alike.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "ranking/ranking.h"

namespace dalaup {

constexpr double kLeastProbability = 1e-7;
constexpr double kUnlistedShare = 0.1;  // of the chance left over: the partner was not listed

inline double clamped_probability(double chance) {
  return std::clamp(chance, kLeastProbability, 1.0 - kLeastProbability);
}

// Of a pair, before crowds are settled.
inline double single_chance(double calibrated_log_odds) {
  return 1.0 / (1.0 + std::exp(-calibrated_log_odds));
}

// Nobody is matched more than once: what the pairs of a user expect together is at most 1.
inline float settled_chance(double chance, double expected_a, double expected_b) {
  const auto single = static_cast<float>(chance);
  return static_cast<float>(single / std::max({1.0, expected_a, expected_b}));
}

// Of an open pair that is not listed, from what the other pairs of its two users claim.
inline double unlisted_chance(float taken_a, float taken_b, std::size_t open_b) {
  return kUnlistedShare * (1.0 - taken_a) / static_cast<double>(std::max<std::size_t>(1, open_b)) *
         (1.0 - taken_b);
}

// Added to the floor of a user who does not list the candidate: users nobody else wants first, then
// those of high degree.
inline float unlisted_score_of(float taken, double degree) {
  return -taken - static_cast<float>(0.1 / (1.0 + std::log1p(degree)));
}

// Where the scores of candidates that are not listed begin.
inline float floor_below(std::span<const Candidate> listed) {
  float floor = -10.0F;
  for (const Candidate& candidate : listed) floor = std::min(floor, candidate.score);
  return floor - 1.0F;
}

// The best `top`: of the listed ones, in their order, those that are open, then others in the order
// of `by_fallback` unless is_refused(candidate).
template <class IsOpen, class IsRefused, class UnlistedScore>
std::vector<Candidate> best_of_listed(std::vector<Candidate> listed, std::size_t top,
                                      std::span<const UserId> by_fallback, IsOpen&& is_open,
                                      IsRefused&& is_refused, UnlistedScore&& unlisted_score) {
  const float floor = floor_below(listed);
  std::erase_if(listed, [&](const Candidate& candidate) { return !is_open(candidate.user); });
  const std::size_t known = listed.size();
  for (const UserId candidate : by_fallback) {
    if (listed.size() >= top) break;
    const auto before = std::span(listed).first(known);
    if (std::ranges::find(before, candidate, &Candidate::user) != before.end() ||
        is_refused(candidate))
      continue;
    listed.push_back({candidate, floor + unlisted_score(candidate)});
  }
  if (listed.size() > top) listed.resize(top);
  return listed;
}

}  // namespace dalaup
