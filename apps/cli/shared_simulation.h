#pragma once
// The runs of a simulation on several ranks.
#include "active_learning/active_learning.h"

namespace dalaup {

// Ranks make the runs that are not in the folder yet, in turns; rank 0 then has the files of all of
// them in input.folder, where simulate() finds them. Only rank 0 needs to see that folder. On one
// rank it does nothing. Throws what simulate() does.
void share_runs(SimulationInput input, Run& run);

}  // namespace dalaup
