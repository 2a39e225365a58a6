#pragma once
// IONE (Liu et al. 2016): each user has a vector and two context vectors, one as follower and one
// as followed; the two accounts of an anchor share all three, which ties the networks together.
// docs/method/baselines.md tells where it differs from the published program.
#include <concepts>
#include <string>
#include <type_traits>

#include "embedding/embedding.h"

namespace dalaup {

struct IoneParams {
  int embedding_dim = 100;
  int epochs = 50;  // chosen on hidden labels: 80 is worse (docs/measured/baselines.md)
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
