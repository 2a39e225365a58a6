#pragma once
// Anchor contexts: users are compared by whom of the labelled pairs a short walk from them meets.
// Likely pairs of unlabelled users become further coordinates, and how much each coordinate counts
// is learned from the labels. docs/method/anchor-context.md says how.
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "aligner/aligner.h"

namespace dalaup {

struct AnchorContextParams {
  double restart_probability = 0.6;
  int walk_steps = 3;
  double log_unit = 0.001;
  int soft_rounds = 3;
  double soft_temperature = 0.02;
  double soft_least_weight = 0.3;
  double temperature = 0.1;
  int negatives_per_anchor = 3;
  double learning_rate = 0.02;
  int pairs_per_batch = 1024;
  int epochs = 100;
  double validation_share = 0.3;
  int validation_every = 1;
  int patience = 6;
  double tolerance = 0.001;
  std::string score = "csls";
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, AnchorContextParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("restart_probability|restart", params.restart_probability, 0.01, 0.99,
        "chance of the walk jumping home at each step");
  visit("walk_steps|steps", params.walk_steps, 1, 100, "steps of the walk that are added up");
  visit("log_unit", params.log_unit, 1e-9, 1.0, "visits at which the logarithmic scaling bends");
  visit("soft_rounds", params.soft_rounds, 0, 100,
        "rounds in which likely pairs of unlabelled users become coordinates too");
  visit("soft_temperature", params.soft_temperature, 0.001, 10.0,
        "temperature of the softmax that makes pairs likely");
  visit("soft_least_weight", params.soft_least_weight, 0.05, 1.0,
        "weight below which a likely pair is left out");
  visit("temperature", params.temperature, 0.001, 10.0,
        "temperature of the softmax over the users of a batch");
  visit("negatives_per_anchor", params.negatives_per_anchor, 0, 1000,
        "drawn pairs per anchor whose users an anchor is told from");
  visit("learning_rate", params.learning_rate, 1e-9, 100.0, "learning rate");
  visit("pairs_per_batch", params.pairs_per_batch, 1, 1000000, "pairs in a mini-batch");
  visit("epochs", params.epochs, 1, 1000000, "epochs at most");
  visit("validation_share", params.validation_share, 0.0, 0.9,
        "share of the anchors held out to stop early and to calibrate; 0: stop on training loss");
  visit("validation_every", params.validation_every, 1, 1000000, "epochs between validations");
  visit("patience", params.patience, 1, 1000000,
        "epochs without improvement after which training stops");
  visit("tolerance", params.tolerance, 0.0, 1.0,
        "relative fall of the training loss that counts as improvement");
  visit("score", params.score, Choices{"cosine", "csls", "uncrowded"},
        "what candidates are ranked by: the cosine, or CSLS, the cosine less how close either user "
        "is to its nearest (uncrowded is its earlier name)");
}

std::unique_ptr<Aligner> make_anchor_context(const AnchorContextParams& params = {});

}  // namespace dalaup
