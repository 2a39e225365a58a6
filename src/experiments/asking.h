#pragma once
// Runs of Algorithm 1 and their reference, as job results.
#include <nlohmann/json.hpp>

#include "experiments/jobs.h"

namespace dalaup {

// {"rounds": [{"round", "labels", "positives", metrics.., "seconds", "strategy"}, ..],
//  "found": [[a, b], ..]}: the anchors that answers brought; with "matches" of the last model when
// asked for, except of random anchors.
nlohmann::json run_asking(const ExperimentData& data, const std::string& method,
                          const std::string& strategy, const ScaledPlan& plan, Run& run,
                          bool with_matches = false);

// The split of a job's seed; the same for every method and strategy of a repeat.
Split split_of(const ExperimentData& data, const ScaledPlan& plan, const Run& run);

}  // namespace dalaup
