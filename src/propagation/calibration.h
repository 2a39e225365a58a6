#pragma once
// Probabilities by cross-fitting: parts of the labels are hidden, the propagation runs without
// them, and what it says of the hidden users teaches the model how far to trust it.
#include "propagation/posterior.h"

namespace dalaup {

struct Calibration {
  PairModel model;
  OddsCorrection odds;
  std::size_t hidden_labels = 0;  // that it was learned from; 0: the untrained model
};

// The anchors each run of the cross-fitting hides; none when there are too few to hide any.
std::vector<std::vector<UserPair>> calibration_folds(std::span<const UserPair> anchors,
                                                     const PropagationParams& params, Run& run);

// `priors` are those without each fold; they are used up.
Calibration calibrate(const NetworkPair& networks, const NetworkWeights& weights,
                      std::span<const UserPair> anchors,
                      std::span<const std::vector<UserPair>> folds, std::span<Prior> priors,
                      const LabelSet* barred, const PropagationParams& params, Run& run);

}  // namespace dalaup
