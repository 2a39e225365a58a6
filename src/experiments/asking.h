#pragma once
// Runs of Algorithm 1 as jobs.
#include <nlohmann/json.hpp>

#include "experiments/jobs.h"

namespace dalaup {

// A run of one strategy with one method, as simulate makes it; random anchors are one of the
// strategies. Its result is
// {"rounds": [{"round", "labels", "positives", metrics.., "seconds", "strategy"}, ..],
//  "found": [[a, b], ..]}: the anchors that answers brought; with "matches" of the last model when
// asked for. A run that was stopped continues after its last round.
struct AskingRun {
  std::string name;  // of the job
  std::string method;
  std::string strategy;
  bool with_matches = false;
};
Job asking_job(const ExperimentData& data, const AskingRun& asking, const ScaledPlan& plan,
               const Repeat& repeat, const std::string& fingerprint);

}  // namespace dalaup
