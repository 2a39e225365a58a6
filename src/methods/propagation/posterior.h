#pragma once
// One-to-one posterior: the model's odds of each pair against "none", corrected for the competition
// between users of A for the same user of B (belief propagation on the listed pairs).
#include "methods/propagation/pair_model.h"

namespace dalaup {

// Log odds of every listed pair, beside state.lists.pairs (begin_of(user) + position).
std::vector<float> posterior_log_odds(const NetworkPair& networks, const Propagated& state,
                                      const FeatureMaker& features, const PairModel& model,
                                      Run& run);

}  // namespace dalaup
