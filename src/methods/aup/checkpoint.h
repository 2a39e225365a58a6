#pragma once
// The state of an unfinished training, as one file.
#include <string>
#include <vector>

#include "methods/aup/training.h"

namespace dalaup {

struct TrainingState {
  std::int64_t next_epoch = 0;
  double best = -1.0;            // validation mrr, or the training loss to beat; nothing so far
  std::int64_t best_epoch = -1;  // -1: before the first
  std::vector<EpochRecord> curve;
  bool finished = false;
};

void save_checkpoint(const std::string& path, const TrainingJob& job, const Run& run,
                     const TrainingState& state, const AupNetwork& network, const AupNetwork* best,
                     Optimiser& optimiser);
// Throws InputError for a damaged file and for one of another job (settings, labels, sizes or
// seed).
TrainingState load_checkpoint(const std::string& path, const TrainingJob& job, const Run& run,
                              AupNetwork& network, AupNetwork* best, Optimiser& optimiser);

}  // namespace dalaup
