#pragma once
// PALE (Man et al. 2016): vectors that predict each network's edges, then a mapping from A's space
// to B's learned on the anchors.
// docs/method/baselines.md tells where it differs from the published program.
#include <concepts>
#include <string>
#include <type_traits>

#include "embedding/embedding.h"

namespace dalaup {

struct PaleParams {
  int embedding_dim = 128;
  int epochs = 100;
  int negatives = 5;
  double learning_rate = 0.025;
  bool extend = true;
  std::string mapping = "linear";
  int hidden_units = 256;
  int mapping_epochs = 200;
  double mapping_regularisation = 1.0;
  double calibration_share = 0.25;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PaleParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("embedding_dim|dim", params.embedding_dim, 1, 4096, "length of a user's vector");
  visit("epochs", params.epochs, 1, 100000, "passes over the edges");
  visit("negatives", params.negatives, 1, 100, "random users pushed away at each step");
  visit("learning_rate|rate", params.learning_rate, 1e-6, 1.0, "first step size; falls to 0");
  visit("extend", params.extend, "add an edge between two anchors in one network to the other");
  visit("mapping", params.mapping, Choices{"linear", "mlp"},
        "from A's space to B's: linear, or one hidden layer");
  visit("hidden_units|hidden", params.hidden_units, 1, 65536, "size of the mlp's hidden layer");
  visit("mapping_epochs", params.mapping_epochs, 1, 100000, "passes over the anchors (mlp)");
  visit("mapping_regularisation", params.mapping_regularisation, 0.0, 1e6,
        "weight decay of the mapping");
  visit("calibration_share", params.calibration_share, 0.0, 0.5,
        "share of the anchors hidden once to calibrate probabilities; 0 does not");
}

class PaleAligner final : public EmbeddingAligner {
 public:
  explicit PaleAligner(const PaleParams& params);
  std::string method() const override { return "pale"; }
  Settings settings() const override { return to_settings(params_); }

 protected:
  Embeddings train(const NetworkPair& networks, const LabelSet& labels, Run& run) override;

 private:
  PaleParams params_;
};

}  // namespace dalaup
