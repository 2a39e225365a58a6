#pragma once
// The three methods the paper compares with, for the same commands as every other method. Each is
// a class with its settings; docs/baselines.md tells what they reach and where they differ from the
// published programs. All are the same at any thread count.
#include <concepts>
#include <string>
#include <type_traits>

#include "aligner/aligner.h"
#include "base/base.h"
#include "embedding/embedding.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

// DeepWalk (Perozzi et al. 2014): skip-gram on random walks over each network by itself.
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

// PALE (Man et al. 2016): vectors that predict each network's edges, then a mapping from A's space
// to B's learned on the anchors.
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

// IONE (Liu et al. 2016): each user has a vector and two context vectors, one as follower and one
// as followed; the two accounts of an anchor share all three, which ties the networks together.
struct IoneParams {
  int embedding_dim = 100;
  int epochs = 50;  // chosen on hidden labels: 80 is worse (docs/baselines.md)
  int negatives = 5;
  double learning_rate = 0.025;
  double calibration_share = 0.25;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, IoneParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("embedding_dim|dim", params.embedding_dim, 1, 4096, "length of a user's vector");
  visit("epochs", params.epochs, 1, 100000, "passes over the edges of both networks");
  visit("negatives", params.negatives, 1, 100, "random users pushed away at each step");
  visit("learning_rate|rate", params.learning_rate, 1e-6, 1.0, "first step size; falls to 0");
  visit("calibration_share", params.calibration_share, 0.0, 0.5,
        "share of the anchors hidden once to calibrate probabilities; 0 does not");
}

class IoneAligner final : public EmbeddingAligner {
 public:
  explicit IoneAligner(const IoneParams& params);
  std::string method() const override { return "ione"; }
  Settings settings() const override { return to_settings(params_); }

 protected:
  Embeddings train(const NetworkPair& networks, const LabelSet& labels, Run& run) override;

 private:
  IoneParams params_;
};

}  // namespace dalaup
