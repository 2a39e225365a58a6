#pragma once
// A run on disk, one file per strategy and split; private to active_learning.
#include <string>

#include "active_learning/active_learning.h"

namespace dalaup {

// Rounds, questions, answers and bandit; with `aligner` also the fitted model (warm refits need
// it).
void save_state(const KeptRun& kept, const LoopState& state, const Aligner* aligner);

// Brings a state from begin_loop to where the file stands: labels and pool follow from replaying
// the answers. Fits the aligner as it was. Throws InputError when the file was made with other
// settings or on other data.
void load_state(const KeptRun& kept, const NetworkPair& networks, const LoopParams& params,
                LoopState& state, Aligner& aligner, Run& run);

}  // namespace dalaup
