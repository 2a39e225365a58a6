#pragma once
// Candidate lists, their files, and the one-to-one matching made from them.
#include <span>
#include <string>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
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
};
using RankedLists = std::vector<RankedList>;

// The `top` best of a whole row of scores, where is_allowed[candidate] (empty: all allowed).
// Throws StateError when a score is not finite.
std::vector<Candidate> best_of_row(std::span<const float> scores, std::size_t top,
                                   const std::vector<bool>& is_allowed = {});

}  // namespace dalaup
