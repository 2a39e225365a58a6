#pragma once
// The prior: candidates of each user of A by anchor-relative context alone.
#include "propagation/anchor_context.h"

namespace dalaup {

struct PriorRow {
  float mean = 0.0F;  // of the prior over the open users of B that are not among the best
  float mean_square = 0.0F;
};

struct Prior {
  AnchorContext context;
  BoundedRows<WeightedUser> best;  // the strongest candidates of each open user of A
  std::vector<PriorRow> rows;      // what is known of the others
};

// `open_a` and `open_b` say which users may still find a partner; others get no candidates.
Prior prior_candidates(const NetworkPair& networks, std::span<const UserPair> anchors,
                       const std::vector<std::uint8_t>& open_a,
                       const std::vector<std::uint8_t>& open_b, const PropagationParams& params,
                       Run& run);

}  // namespace dalaup
