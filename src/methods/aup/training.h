#pragma once
// The training loop: epochs, early stopping, checkpoints, the loss curve.
#include <string>
#include <vector>

#include "embedding/embedding.h"
#include "methods/aup/aup_network.h"
#include "methods/aup/inputs.h"

namespace dalaup {

struct EpochRecord {
  std::int64_t epoch = 0;
  Losses losses = {};            // means over the batches
  double validation_mrr = -1.0;  // -1: not measured in this epoch
  double learning_rate = 0.0;
  double seconds = 0.0;  // since the start, with earlier runs when resumed
};

struct Training {
  std::vector<EpochRecord> curve;
  int kept_epochs = 0;  // after which the parameters are those that were kept
};

struct TrainingJob {
  const AupParams& params;
  const std::array<Matrix, 2>& inputs;
  const LabelSet& labels;
  std::vector<UserPair> anchors;     // trained on
  std::vector<UserPair> validation;  // held out
  int epochs;
  bool is_refit = false;  // of weights at hand
};

// Trains until validation mrr has not risen, or without validation pairs the training loss has not
// fallen by `tolerance`, for `patience` epochs, or until job.epochs; leaves the best parameters by
// validation, else the last. With params.checkpoint it resumes from that file when it belongs to
// the same job, to the same result as an uninterrupted run; InputError when it belongs to another.
// Throws StateError naming epoch and layer when numbers stop being finite.
Training train_network(AupNetwork& network, const TrainingJob& job, Run& run);

// Trains the classifier alone on finished representations.
void train_head(AupNetwork& network, const TrainingJob& job,
                const std::array<Matrix, 2>& representations, Run& run);

// Mean reciprocal rank of the pairs by cosine, among users of B without a known partner.
double mean_reciprocal_rank(const AupNetwork& network, const TrainingJob& job, Run& run);

void write_loss_curve(const std::string& path, std::span<const EpochRecord> curve);

// Parameters and running statistics by name.
void save_network_state(ArchiveWriter& archive, const std::string& prefix,
                        const AupNetwork& network);
// Throws InputError when names or sizes are not those of `network`.
void load_network_state(const ArchiveReader& archive, const std::string& prefix,
                        AupNetwork& network);

}  // namespace dalaup
