#pragma once
// Self-training: what a run is sure of becomes pseudo-anchors, and the run is repeated with them.
#include "methods/propagation/posterior.h"

namespace dalaup {

// A user of A with its likeliest partner.
struct BestPair {
  UserPair pair;
  float log_odds = 0.0F;  // before the correction
};

// Of all open rows, on every rank; `log_odds` beside state.lists.pairs. Without pairs answered
// "no".
std::vector<BestPair> best_pairs(const Propagated& state, std::span<const float> log_odds,
                                 const LabelSet& labels, Communicator& communicator);

// Those that are probably right, one to one, surest first.
std::vector<UserPair> sure_pairs(std::vector<BestPair> pairs, const OddsCorrection& odds);

}  // namespace dalaup
