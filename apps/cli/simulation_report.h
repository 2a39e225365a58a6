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
  std::size_t truth = 0;
  SimulationParams params;
  std::uint64_t seed = 1;
  Facts facts = {};  // what the front end knows: files, command line, version
};

// `matches` are those of the first run's last model.
Report simulation_report(std::span<const SimulatedRun> runs, const NetworkPair& networks,
                         const SimulationFacts& facts, const TestMatches& matches);

}  // namespace dalaup
