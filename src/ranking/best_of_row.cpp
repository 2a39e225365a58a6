#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ranking/ranking.h"

namespace dalaup {

std::vector<Candidate> best_of_row(std::span<const float> scores, std::size_t top,
                                   const std::vector<bool>& is_allowed) {
  std::vector<Candidate> heap;  // its front is the worst candidate kept
  if (top == 0) return heap;
  heap.reserve(std::min(top, scores.size()));
  for (UserId user = 0; user < scores.size(); ++user) {
    if (!is_allowed.empty() && !is_allowed[user]) continue;
    const Candidate candidate{user, scores[user]};
    if (!std::isfinite(candidate.score))
      throw StateError(fmt::format("found a score that is not finite for candidate {}", user));
    if (heap.size() == top) {
      if (!ranks_before(candidate, heap.front())) continue;
      std::ranges::pop_heap(heap, ranks_before);
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::ranges::push_heap(heap, ranks_before);
  }
  std::ranges::sort_heap(heap, ranks_before);
  return heap;
}

double rank_in_row(std::span<const float> scores, UserId candidate,
                   const std::vector<bool>& is_allowed) {
  double rank = 1.0;
  for (UserId user = 0; user < scores.size(); ++user) {
    if (user != candidate && !is_allowed.empty() && !is_allowed[user]) continue;
    if (!std::isfinite(scores[user]))
      throw StateError(fmt::format("found a score that is not finite for candidate {}", user));
    if (user == candidate) continue;
    rank += scores[user] > scores[candidate] ? 1.0 : scores[user] == scores[candidate] ? 0.5 : 0.0;
  }
  return rank;
}

}  // namespace dalaup
