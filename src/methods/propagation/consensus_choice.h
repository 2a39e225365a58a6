#pragma once
// Whether a consensus of matchings (fit.h) ranks hidden partners better than one matching.
#include "methods/propagation/calibration.h"

namespace dalaup {

// The params leave it open, and a round is so short that four matchings take little time.
bool is_consensus_cheap(const NetworkPair& networks, const PropagationParams& params);

// The folds hide enough labels. With fewer, runs without them are often below the take-off.
bool can_judge_consensus(std::span<const std::vector<UserPair>> folds);

// Logarithms of the places that hidden partners have in their users' lists, fold by fold.
std::vector<double> log_ranks(const FoldRuns& runs, Communicator& communicator);

// Whether one matching places the same hidden partners better, by more than chance explains: the
// mean difference of log ranks and its standard error decide. A consensus is the better guess
// where labels do not tell.
bool is_one_better(std::span<const double> one, std::span<const double> consensus);

}  // namespace dalaup
