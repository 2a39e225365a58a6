#pragma once
// The tables a simulation writes. Private to active_learning.
#include <span>
#include <string>

#include "active_learning/active_learning.h"

namespace dalaup {

// One line for every round of every run.
void write_curves(const std::string& path, std::span<const SimulatedRun> runs);
// One line for every candidate that was asked about.
void write_questions(const std::string& path, std::span<const SimulatedRun> runs,
                     const NetworkPair& networks);

}  // namespace dalaup
