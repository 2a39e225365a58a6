#pragma once
// Candidate lists, their files, and the one-to-one matching made from them.
#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
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

// The `top` best candidates of each of `users` (rows of `from`) among the rows of `to`, by cosine:
// exact, one list per user in the given order, the same at any thread count. Swap the matrices for
// the other direction. A row of zeroes has cosine 0 with everyone; equal rows get equal scores.
// Throws StateError naming the row when an entry is not finite.
RankedLists best_by_cosine(const Matrix& from, const Matrix& to, std::span<const UserId> users,
                           std::size_t top, const CandidateFilter& filter, Run& run);

// Rank by cosine of row pair.b of `to` for row pair.a of `from`, among the allowed rows of `to`
// (docs/metrics.md): 1 + those scoring higher + half of the others scoring the same.
// Throws as above.
std::vector<double> ranks_by_cosine(const Matrix& from, const Matrix& to,
                                    std::span<const UserPair> pairs,
                                    const std::vector<bool>& is_allowed, Run& run);

// The highest cosines of one user: how far a pair stands above the others of either user tells
// more about it than the cosine itself, which crowded users share with many.
struct Peak {
  float best = -1.0F;  // -1, the least a cosine can be, where there is no candidate
  float next = -1.0F;
  UserId partner = kNoUser;  // with whom `best` is reached; the lowest id of several

  float besides(UserId user) const { return user == partner ? next : best; }
};
struct Peaks {
  std::vector<Peak> a;
  std::vector<Peak> b;
};
// Of all rows of both matrices, among the allowed rows of the other, in one pass over all pairs.
// Throws as above.
Peaks peaks_by_cosine(const Matrix& a, const Matrix& b, const std::vector<bool>& is_allowed_a,
                      const std::vector<bool>& is_allowed_b, Run& run);

// The same rank within one row of scores. Throws StateError when a score is not finite.
double rank_in_row(std::span<const float> scores, UserId candidate,
                   const std::vector<bool>& is_allowed = {});

// The ranked list file: a<TAB>rank<TAB>b<TAB>score. `from` names the listed users, `to` their
// candidates, whichever side they are of. src/evaluation reads it, by whomever it was written.
void write_ranked(const std::string& path, const RankedLists& lists, const UserNames& from,
                  const UserNames& to);

struct Match {
  UserPair pair;
  double probability = 0.0;
  bool operator==(const Match&) const = default;
};

struct MatchingParams {
  double least_probability = 0.5;  // pairs less likely than this are never matched
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, MatchingParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("least_probability", params.least_probability, 0.0, 1.0,
        "pairs less likely than this are left out of the matching");
}

// The one-to-one matching with the largest sum of (probability - least_probability) among the given
// candidates of users of A, whose scores are probabilities. With 0.5 that is the most right matches
// less wrong ones to be expected, with 0 the most right ones. Users without a candidate likely
// enough, or outbid on all of them, stay unmatched. Optimal to 1e-9 a pair; sorted by a. Throws
// ParameterError for a probability outside [0, 1] or a user listed twice.
std::vector<Match> one_to_one(const RankedLists& probabilities, const MatchingParams& params,
                              Run& run);

// The matching file: a<TAB>b<TAB>probability.
void write_matching(const std::string& path, std::span<const Match> matches,
                    const NetworkPair& networks);

}  // namespace dalaup
