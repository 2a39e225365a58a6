#pragma once
// The aligner of the method `aup`.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "embedding/embedding.h"
#include "methods/aup/aup.h"
#include "methods/aup/training.h"

namespace dalaup {

struct HeldOut {
  std::vector<UserPair> anchors;
  std::vector<UserPair> validation;
};

class AupAligner final : public Aligner {
 public:
  explicit AupAligner(AupParams params) : params_(std::move(params)) {}

  std::string method() const override { return "aup"; }
  Settings settings() const override { return to_settings(params_); }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override;
  // Goes on from the weights it has, for a fifth of the epochs. When the coordinates are anchors
  // new labels are new coordinates: it learns from scratch, but keeps probabilities and the number
  // of epochs while at most a quarter of the anchors is new.
  void refit(const LabelSet& labels, Run& run) override;
  const NetworkPair& networks() const override { return *networks_; }
  const LabelSet& labels() const override { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override;
  float score(UserPair pair) const override;
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const override;
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const override;
  double probability(UserPair pair) const override;
  void probability_row(Side side, UserId user, std::span<float> probabilities) const override;
  std::vector<float> pair_features(UserPair pair) const override;
  std::vector<double> negative_information(Side side, Run& run) const override;
  // Centred if so set, rows of length 1 or 0: their products are the score.
  std::optional<Embeddings> embeddings() const override;
  Explanation explain(UserPair pair, std::size_t most_parts) const override;
  void save(ArchiveWriter& archive) const override;
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override;

 private:
  void check(const NetworkPair& networks, const LabelSet& labels) const;
  void train(const NetworkPair& networks, const LabelSet& labels, std::optional<AupNetwork> start,
             int epochs, Run& run);
  void rehearse(const AupParams& params, const NetworkPair& networks, const LabelSet& labels,
                const HeldOut& parts, Run& run);
  Training learn(const AupParams& params, const NetworkPair& networks, const LabelSet& labels,
                 const HeldOut& parts, std::optional<AupNetwork> start, int epochs, Run& run);
  void set_representations(std::array<Matrix, 2> representations);
  void find_crowding(const LabelSet& labels, Run& run);
  void discount_crowding();
  void calibrate_on(std::span<const UserPair> anchors, const LabelSet& labels);

  AupParams params_;
  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
  std::optional<AupNetwork> network_;
  std::array<std::size_t, 2> lengths_{};
  int channels_ = 1;
  std::array<Matrix, 2> representations_;
  std::array<Matrix, 2> unit_;                  // of length 1 or 0: their products are the scores
  std::array<std::vector<float>, 2> crowding_;  // mean cosine with a user's nearest; for uncrowded
  PairProbabilities probabilities_;
  std::vector<EpochRecord> curve_;
  std::size_t rehearsed_anchors_ = 0;  // known when probabilities were learned; 0: never
  int rehearsed_epochs_ = 0;
};

}  // namespace dalaup
