#pragma once
// Users of two networks as vectors, compared by cosine. Every method that has vectors ranks with
// it.
#include <array>
#include <span>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "numeric/numeric.h"
#include "ranking/candidates.h"

namespace dalaup {

// Rows are users; both matrices have the same number of columns.
struct Embeddings {
  Matrix a;
  Matrix b;
  const Matrix& on(Side side) const { return side == Side::kA ? a : b; }
  Matrix& on(Side side) { return side == Side::kA ? a : b; }
};

// How close a user is to the users of the other network that it is closest to.
using NearestMeans = std::array<std::vector<float>, 2>;  // of A, of B

class CosineIndex {
 public:
  CosineIndex() = default;
  // Scales rows to length 1; rows of zeroes stay and have cosine 0 with everyone. Throws StateError
  // naming the side when an entry is not finite.
  explicit CosineIndex(Embeddings vectors);
  // Of vectors that another index gave.
  static CosineIndex of_unit_vectors(Embeddings vectors);

  const Embeddings& vectors() const { return vectors_; }  // rows of length 1 or 0
  float score(UserPair pair) const { return vectors_.a.row(pair.a).dot(vectors_.b.row(pair.b)); }
  void score_row(Side side, UserId user, std::span<float> scores) const;
  // See Aligner: never a user anchored elsewhere, never a pair answered "no".
  RankedLists best(Side side, std::span<const UserId> users, std::size_t top,
                   const LabelSet& labels, Run& run) const;
  std::vector<double> ranks(std::span<const UserPair> pairs, const LabelSet& labels,
                            Run& run) const;

  // Mean cosine of every user with the ten nearest users of the other side who have no known
  // partner.
  NearestMeans nearest_means(const LabelSet& labels, Run& run) const;
  // Cross-domain similarity local scaling (CSLS, Conneau 2018): cosines less half of either user's
  // mean, because some users are close to everyone and stand high in everybody's list. These are
  // again cosines, of vectors with four more numbers: (cosine - means / 2) / 2.25.
  CosineIndex with_csls(const NearestMeans& means) const;

 private:
  Embeddings vectors_;
};

// The exact searches behind it.
//
// The `top` best candidates of each of `users` (rows of `from`) among the rows of `to`, by cosine:
// one list per user in the given order, the same at any thread count. Swap the matrices for the
// other direction. A row of zeroes has cosine 0 with everyone; equal rows get equal scores. Throws
// StateError naming the row when an entry is not finite.
RankedLists best_by_cosine(const Matrix& from, const Matrix& to, std::span<const UserId> users,
                           std::size_t top, const CandidateFilter& filter, Run& run);

// Rank by cosine of row pair.b of `to` for row pair.a of `from`, among the allowed rows of `to`
// (docs/use/metrics.md): 1 + those scoring higher + half of the others scoring the same.
// Throws as above.
std::vector<double> ranks_by_cosine(const Matrix& from, const Matrix& to,
                                    std::span<const UserPair> pairs,
                                    const std::vector<bool>& is_allowed, Run& run);

// The highest cosines of one user: how far a pair stands above the others of either user tells
// more about it than the cosine itself, which users in dense regions share with many.
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

}  // namespace dalaup
