#pragma once
// Whether a consensus of matchings (fit.h) ranks hidden partners better than one matching.
#include "methods/propagation/calibration.h"

namespace dalaup {

// The params leave it open, and a round is so short that four matchings take little time.
bool is_consensus_cheap(const NetworkPair& networks, const PropagationParams& params);

// The folds hide enough labels. With fewer, runs without them are often below the take-off.
bool can_judge_consensus(std::span<const std::vector<UserPair>> folds);

using FoldRuns = std::vector<std::unique_ptr<Fold>>;
// Mean logarithm of the places that hidden partners have in their users' lists. Lower is better.
double mean_log_rank(const FoldRuns& runs, Communicator& communicator);

}  // namespace dalaup
