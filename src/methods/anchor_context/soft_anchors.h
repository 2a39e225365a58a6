#pragma once
// Pairs of unlabelled users that comparing contexts already makes likely. Taken as coordinates
// besides the labelled pairs they let contexts say more.
#include <vector>

#include "context/context.h"
#include "labels/labels.h"
#include "ranking/ranking.h"

namespace dalaup {

struct SoftAnchorOptions {
  double temperature = 0.02;  // of the softmax over a user's candidates
  double least_weight = 0.3;
};

// From the best candidates of users of A: each user shares itself among its candidates, and nobody
// of B is taken more than once in all (Sinkhorn balancing with columns of at most 1).
std::vector<ContextAnchor> soft_anchors(const RankedLists& lists, UserId users_of_b,
                                        const SoftAnchorOptions& options);

}  // namespace dalaup
