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

class AupAligner final : public VectorAligner {
 public:
  explicit AupAligner(AupParams params) : params_(std::move(params)) {}

  std::string method() const override { return "aup"; }
  Settings settings() const override { return to_settings(params_); }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override;
  // Goes on from the weights it has, for a fifth of the epochs.
  void refit(const LabelSet& labels, Run& run) override;
  void score_row(Side side, UserId user, std::span<float> scores) const override;
  float score(UserPair pair) const override;
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const override;
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const override;
  std::vector<float> pair_features(UserPair pair) const override { return product_features(pair); }
  std::vector<double> negative_information(Side side, Run& run) const override;
  Explanation explain(UserPair pair, std::size_t most_parts) const override;
  void save(ArchiveWriter& archive) const override;
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override;

 private:
  bool ranks_by_classifier() const { return params_.score == "classifier"; }
  void train(const NetworkPair& networks, const LabelSet& labels, std::optional<AupNetwork> start,
             int epochs, Run& run);

  AupParams params_;
  std::optional<AupNetwork> network_;
  std::array<std::size_t, 2> lengths_{};
  std::array<Matrix, 2> representations_;
  std::vector<EpochRecord> curve_;
};

}  // namespace dalaup
