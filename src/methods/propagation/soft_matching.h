#pragma once
// Soft one-to-one matching of listed pairs: entropic optimal transport with balanced rows and
// columns (Sinkhorn), where every pair that is not listed keeps the mean weight of its row.
#include "communicator/communicator.h"
#include "methods/propagation/propagation.h"
#include "methods/propagation/sparse.h"

namespace dalaup {

// Candidates of every open user of A that is this rank's own, and what stands for the pairs that
// were not kept.
struct PairLists {
  BoundedRows<ListedPair> pairs;
  float prior_weight = 1.0F;      // score = prior_weight * prior + evidence + ...
  float attribute_weight = 0.0F;  // ... this * attributes; the temperature, for exp(score / it)
  std::vector<float> cut_mass;  // sum of exp((score - best) / temperature) over reached, cut pairs
  std::vector<float> rest_log;  // log of the mean of exp(score / temperature) over the other pairs
  std::vector<float> weakest;   // evidence below which pairs were cut in the last update
  // Pairs a row may have; rows have room for fewer while they need no more. 0: as many as there is
  // room for.
  std::size_t most_pairs = 0;

  std::size_t limit() const { return most_pairs == 0 ? pairs.capacity() : most_pairs; }
  float score(const ListedPair& pair) const {
    return prior_weight * pair.prior + pair.evidence + attribute_weight * pair.attributes;
  }
  float best_score(std::size_t user) const;
};

// weight of (a, b) = row_scale[a] * exp((score - best score of a) / temperature) * column_scale[b]
struct TransportPlan {
  double temperature = 1.0;
  std::vector<double> row_scale;     // 0 for users of A that are not open, or of other ranks
  std::vector<double> column_scale;  // 0 for users of B that are not open; low: wanted by many
};

// `blocks`: how the users of A are dealt out to ranks.
TransportPlan balanced_plan(const PairLists& lists, const RowBlocks& blocks,
                            const std::vector<std::uint8_t>& open_a,
                            const std::vector<std::uint8_t>& open_b, double temperature, int sweeps,
                            Run& run);

// The plan's entries of at least `least_match`, and 1 for each anchor: who counts as matched, of
// all users of A.
Rows<WeightedUser> matched_users(const PairLists& lists, const RowBlocks& blocks,
                                 const TransportPlan& plan, std::span<const UserPair> anchors,
                                 double least_match, Run& run);

}  // namespace dalaup
