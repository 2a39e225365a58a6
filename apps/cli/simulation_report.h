#pragma once
// What a simulation found, as a page.
#include <span>
#include <string>

#include "active_learning/active_learning.h"
#include "report/report.h"

namespace dalaup {

struct SimulationFacts {
  std::string method;
  std::string questions;
  std::string command_line;
  std::size_t truth = 0;
  SimulationParams params;
};

Report simulation_report(std::span<const SimulatedRun> runs, const NetworkPair& networks,
                         const SimulationFacts& facts);

}  // namespace dalaup
