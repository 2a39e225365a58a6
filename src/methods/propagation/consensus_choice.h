#pragma once
// Whether a consensus of matchings (fit.h) ranks hidden partners better than one matching.
#include "methods/propagation/calibration.h"

namespace dalaup {

// It is tried where the params leave it open, the folds hide enough labels to tell, and a round is
// so short that trying is cheap.
bool is_consensus_open(const NetworkPair& networks, std::span<const std::vector<UserPair>> folds,
                       const PropagationParams& params);

using FoldRuns = std::vector<std::unique_ptr<Fold>>;
// Mean logarithm of the places that hidden partners have in their users' lists. Lower is better.
double mean_log_rank(const FoldRuns& runs);

}  // namespace dalaup
