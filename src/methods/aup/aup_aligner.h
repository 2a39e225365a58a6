#pragma once
// The aligner of the method `aup`.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "embedding/embedding.h"
#include "methods/aup/aup.h"
#include "methods/aup/inputs.h"
#include "methods/aup/training.h"

namespace dalaup {

class AupAligner final : public VectorAligner {
 public:
  explicit AupAligner(AupParams params) : params_(std::move(params)) {}

  std::string method() const override { return "aup"; }
  Settings settings() const override { return to_settings(params_); }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override;
  // Goes on from the weights it has, for refit_epochs. What was held out stays held out.
  void refit(const LabelSet& labels, Run& run) override;
  void score_row(Side side, UserId user, std::span<float> scores) const override;
  float score(UserPair pair) const override;
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const override;
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const override;
  bool scores_are_cosines() const override { return !ranks_by_classifier(); }
  bool probabilities_follow_scores() const override {
    return is_calibrated() || ranks_by_classifier();
  }
  bool reads_file_order() const override;
  double probability(UserPair pair) const override;
  void probability_row(Side side, UserId user, std::span<float> probabilities) const override;
  // What eq. 6 sees where it gives the probabilities: both representations.
  std::vector<float> pair_features(UserPair pair) const override;
  std::vector<double> negative_information(Side side, Run& run) const override;
  Explanation explain(UserPair pair, std::size_t most_parts) const override;
  void save(ArchiveWriter& archive) const override;
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override;

 private:
  bool ranks_by_classifier() const { return params_.score == "classifier"; }
  bool is_calibrated() const { return params_.probability == "calibrated"; }
  float classifier_score(UserPair pair) const;  // logit
  void classifier_row(Side side, UserId user, std::span<float> scores) const;
  void prepare_classifier();
  void load_order(const ArchiveReader& archive, const NetworkPair& networks);
  HeldOut hold_out_again(const LabelSet& labels, Run& run) const;
  void train(const NetworkPair& networks, const LabelSet& labels, std::optional<AupNetwork> start,
             int epochs, Run& run);

  AupParams params_;
  std::optional<AupNetwork> network_;
  std::array<std::size_t, 2> lengths_{};
  std::array<Matrix, 2> representations_;
  std::array<Matrix, 2> hidden_parts_;  // of all users, where the classifier is an mlp that is used
  std::vector<EpochRecord> curve_;
  UserOrders orders_;               // of the coordinates; empty: that of the networks
  std::vector<UserPair> held_out_;  // sorted; never trained on, in refits neither
};

}  // namespace dalaup
