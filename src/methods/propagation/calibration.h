#pragma once
// Probabilities by cross-fitting: parts of the labels are hidden, the propagation runs without
// them, and what it says of the hidden users teaches the model how far to trust it.
#include <memory>

#include "methods/propagation/self_training.h"

namespace dalaup {

struct FittedModel {
  PairModel model;
  OddsCorrection odds;
  OddsCorrection choosing_odds;   // by which pseudo-anchors are chosen
  std::size_t hidden_labels = 0;  // that it was learned from; 0: the untrained model
};

// The anchors each run of the cross-fitting hides; none when there are too few to hide any. Anchors
// were chosen, not drawn, where pairs were answered "no".
std::vector<std::vector<UserPair>> calibration_folds(std::span<const UserPair> anchors,
                                                     bool were_chosen,
                                                     const PropagationParams& params, Run& run);

// What else a fold knows, and which answers "has no partner" it hides.
struct FoldInformation {
  SideInformation known;
  std::vector<UserId> hidden_without_partner[2];
};
FoldInformation fold_information(const LabelSet& labels, std::size_t fold, std::size_t folds,
                                 std::shared_ptr<const AttributeEvidence> attributes);

// A run without the anchors of one fold, and what the model sees of it.
struct Fold {
  std::vector<UserPair> hidden;
  std::vector<UserId> bereft;  // users of A whose partner was taken out of the run, with it
  std::vector<UserId> hidden_without_partner[2];
  SideInformation known;
  Propagated state;
  std::unique_ptr<FeatureMaker> features;  // points to state
};
using FoldRuns = std::vector<std::unique_ptr<Fold>>;

// `prior` is the one without the hidden anchors. Pairs answered "no" stay listed, even when they
// are barred elsewhere: they are what shows how often the run is wrong.
std::unique_ptr<Fold> run_fold(const NetworkPair& networks, const NetworkWeights& weights,
                               std::span<const UserPair> anchors, std::vector<UserPair> hidden,
                               Prior prior, FoldInformation side, const PropagationParams& params,
                               Task& task, Run& run, Progression progression = {});
// The same run once more, with pseudo-anchors and the prior that knows them.
void run_again(const NetworkPair& networks, const NetworkWeights& weights, Fold& fold, Prior prior,
               std::span<const UserPair> pseudo_anchors, const PropagationParams& params,
               Task& task, Run& run, Progression progression = {});

// The untrained model when there are no folds; it trusts a plan that attributes support. Negative
// labels teach how often best pairs are wrong.
// `sure` receives each fold's pseudo-anchors, by a model that has not seen its labels where there
// are several.
FittedModel calibrate(const NetworkPair& networks, const LabelSet& labels,
                      std::span<const std::unique_ptr<Fold>> folds, bool has_attributes,
                      const PropagationParams& params, Run& run,
                      std::vector<std::vector<float>>& log_odds_of_folds,
                      std::vector<std::vector<UserPair>>* sure = nullptr);

}  // namespace dalaup
