#pragma once
// Candidates of a user, best first, and the same from one row of scores.
#include <functional>
#include <span>
#include <vector>

#include "networks/networks.h"

namespace dalaup {

struct Candidate {
  UserId user = kNoUser;
  float score = 0.0F;
  bool operator==(const Candidate&) const = default;
};
// Higher scores first; equal scores by id, so that lists are the same in every run.
constexpr bool ranks_before(const Candidate& left, const Candidate& right) {
  return left.score != right.score ? left.score > right.score : left.user < right.user;
}

// The candidates of one user, best first.
struct RankedList {
  UserId user = kNoUser;
  std::vector<Candidate> candidates;
  bool operator==(const RankedList&) const = default;
};
using RankedLists = std::vector<RankedList>;

// The `top` best of a whole row of scores, where is_allowed[candidate] (empty: all allowed).
// Throws StateError when a score is not finite.
std::vector<Candidate> best_of_row(std::span<const float> scores, std::size_t top,
                                   const std::vector<bool>& is_allowed = {});

// Who may be a candidate. Empty members allow everyone.
struct CandidateFilter {
  std::vector<bool> is_allowed;                                   // by candidate
  std::function<bool(UserId user, UserId candidate)> is_refused;  // asked of good candidates only
};

// The rank of a candidate within one row of scores: 1 + those scoring higher + half of the others
// scoring the same. Throws StateError when a score is not finite.
double rank_in_row(std::span<const float> scores, UserId candidate,
                   const std::vector<bool>& is_allowed = {});

}  // namespace dalaup
