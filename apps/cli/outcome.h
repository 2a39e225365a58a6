#pragma once
// How a command ended, as an exit code and words for the user.
#include <functional>

#include "communicator/communicator.h"

namespace dalaup {

// Runs what gives an exit code; whatever it throws becomes one too.
RankOutcome outcome_of(const std::function<int()>& command);

}  // namespace dalaup
