#pragma once
// Small aligners for testing what stands on the Aligner interface.
#include <cmath>
#include <vector>

#include "aligner/aligner.h"

namespace dalaup {

// Scores and probabilities from tables that the test writes; fitting only takes the labels.
class TableAligner : public Aligner {
 public:
  TableAligner(const NetworkPair& networks, const LabelSet& labels)
      : networks_(&networks),
        labels_(labels),
        probabilities_(
            Eigen::MatrixXd::Constant(networks.a.user_count(), networks.b.user_count(), 0.01)) {}

  std::string method() const override { return "table"; }
  Settings settings() const override { return {}; }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run&) override {
    networks_ = &networks;
    labels_ = labels;
  }
  const NetworkPair& networks() const override { return *networks_; }
  const LabelSet& labels() const override { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    for (UserId partner = 0; partner < scores.size(); ++partner)
      scores[partner] = score(pair_of(side, user, partner));
  }
  float score(UserPair pair) const override {
    return static_cast<float>(std::log(probability(pair)) - std::log1p(-probability(pair)));
  }
  double probability(UserPair pair) const override { return probabilities_(pair.a, pair.b); }
  double& table(UserId a, UserId b) { return probabilities_(a, b); }
  void randomise(Random random) {
    for (double& value : probabilities_.reshaped()) value = 0.001 + 0.99 * random.uniform();
  }
  void save(ArchiveWriter&) const override {}
  void load(const ArchiveReader&, const NetworkPair&, const LabelSet&) override {}

 private:
  const NetworkPair* networks_;
  LabelSet labels_;
  Eigen::MatrixXd probabilities_;
};

// Counts common anchored neighbours, so that labels help. A warm refit remembers half of the last
// scores, so that a run depends on how it came to where it stands.
class NeighbourAligner : public Aligner {
 public:
  std::string method() const override { return "neighbours"; }
  Settings settings() const override { return {}; }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    networks_ = &networks;
    scores_ = Matrix::Zero(networks.a.user_count(), networks.b.user_count());
    refit(labels, run);
  }
  void refit(const LabelSet& labels, Run&) override {
    ++fits_;
    labels_ = labels;
    scores_ *= 0.5F;
    for (const UserPair anchor : labels.anchors())
      for (const UserId a : networks_->a.neighbours(anchor.a))
        for (const UserId b : networks_->b.neighbours(anchor.b))
          scores_(a, b) += 1.0F / std::sqrt(static_cast<float>(networks_->a.degree(a)) *
                                            static_cast<float>(networks_->b.degree(b)));
  }
  const NetworkPair& networks() const override { return *networks_; }
  const LabelSet& labels() const override { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    for (UserId partner = 0; partner < scores.size(); ++partner)
      scores[partner] = score(pair_of(side, user, partner));
  }
  float score(UserPair pair) const override { return scores_(pair.a, pair.b); }
  double probability(UserPair pair) const override {
    return 1.0 / (1.0 + std::exp(4.0 - 8.0 * static_cast<double>(score(pair))));
  }
  void save(ArchiveWriter& archive) const override { put_matrix(archive, "scores", scores_); }
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) override {
    networks_ = &networks;
    labels_ = labels;
    scores_ = matrix_in(archive, "scores");
  }
  int fits() const { return fits_; }

 private:
  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
  Matrix scores_;
  int fits_ = 0;
};

}  // namespace dalaup
