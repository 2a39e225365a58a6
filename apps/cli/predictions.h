#pragma once
// What predict, demo and export share: a matching made from an aligner.
#include <vector>

#include "aligner/aligner.h"
#include "ranking/ranking.h"

namespace dalaup {

// The one-to-one matching of all users of A without a known partner, from the `top` candidates of
// each and their probabilities.
std::vector<Match> match_networks(const Aligner& aligner, std::size_t top,
                                  const MatchingParams& params, Run& run);

}  // namespace dalaup
