#pragma once
// DeepWalk (Perozzi et al. 2014): skip-gram on random walks over each network by itself.
// docs/method/baselines.md tells where it differs from the published program.
#include <concepts>
#include <string>
#include <type_traits>

#include "embedding/embedding.h"

namespace dalaup {

struct DeepWalkParams {
  int embedding_dim = 128;
  int walks_per_user = 80;
  int walk_length = 40;
  int window = 5;
  int negatives = 5;
  double learning_rate = 0.025;
  std::string align = "none";  // "procrustes": turn A's vectors onto B's by the labelled anchors
  double calibration_share = 0.25;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, DeepWalkParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("embedding_dim|dim", params.embedding_dim, 1, 4096, "length of a user's vector");
  visit("walks_per_user|walks", params.walks_per_user, 1, 10000, "random walks from each user");
  visit("walk_length", params.walk_length, 2, 1000, "users on a walk");
  visit("window", params.window, 1, 100, "how far apart on a walk two users still go together");
  visit("negatives", params.negatives, 1, 100, "random users pushed away at each step");
  visit("learning_rate|rate", params.learning_rate, 1e-6, 1.0, "first step size; falls to 0");
  visit("align", params.align, Choices{"none", "procrustes"},
        "none compares two unrelated spaces as in the paper, procrustes turns one onto the other");
  visit("calibration_share", params.calibration_share, 0.0, 0.5,
        "share of the anchors hidden once to calibrate probabilities; 0 does not");
}

class DeepWalkAligner final : public EmbeddingAligner {
 public:
  explicit DeepWalkAligner(const DeepWalkParams& params);
  std::string method() const override { return "deepwalk"; }
  Settings settings() const override { return to_settings(params_); }
  bool serves_many_label_sets() const override { return true; }

 protected:
  // The walks know nothing of labels: new labels cost only a new rotation.
  void prepare(const NetworkPair& networks, Run& run) override;
  Embeddings train(const NetworkPair& networks, const LabelSet& labels, Run& run) override;

 private:
  DeepWalkParams params_;
  Embeddings separate_;
};

}  // namespace dalaup
