#pragma once
// What methods share that give every user a vector and compare users by cosine: answers from a
// cosine index, calibrated probabilities, batches of pairs to train on, skip-gram with negative
// sampling, mappings between spaces, model files. Such a method
// derives from VectorAligner, or from EmbeddingAligner where training is all there is to it (see
// methods/deepwalk, pale and ione).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "embedding/mapping.h"
#include "embedding/negative_sampling.h"
#include "embedding/pair_batches.h"
#include "embedding/pair_probabilities.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

// Anchors that a first training does not see, so that it can be judged by them.
struct HeldOut {
  std::vector<UserPair> anchors;  // the others, in the order of the labels
  std::vector<UserPair> hidden;   // drawn; none when either part would have fewer than `fewest`
};
// The choice does not depend on the order in which labels arrived.
HeldOut hold_out(const LabelSet& labels, double share, std::size_t fewest, Random random);
LabelSet without(const LabelSet& labels, std::span<const UserPair> hidden);

// Throws InputError unless there are two anchors and two users on either side.
void check_trainable(const std::string& method, const NetworkPair& networks,
                     const LabelSet& labels);

// Every answer comes from an index of vectors and from probabilities learned on its scores.
class VectorAligner : public Aligner {
 public:
  const NetworkPair& networks() const final;  // StateError before fit
  const LabelSet& labels() const final { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    index_.score_row(side, user, scores);
  }
  float score(UserPair pair) const override { return index_.score(pair); }
  bool scores_are_cosines() const override { return true; }
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const override {
    return index_.best(side, users, top, labels_, run);
  }
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const override {
    return index_.ranks(pairs, labels_, run);
  }
  double probability(UserPair pair) const override {
    return probabilities_.probability(pair, score(pair));
  }
  void probability_row(Side side, UserId user, std::span<float> probabilities) const override;
  std::vector<double> negative_information(Side side, Run& run) const override {
    return probabilities_.negative_information(index_, side, labels_, run);
  }
  std::optional<Embeddings> embeddings() const override { return index_.vectors(); }

 protected:
  // Learns probabilities from the scores it gives now to anchors that training did not see.
  void calibrate_on(std::span<const UserPair> anchors, const LabelSet& labels);
  // For pair_features: the products that the cosine adds up, and the score. A logistic model on
  // them can weigh the dimensions anew. With too many dimensions Aligner's own.
  std::vector<float> product_features(UserPair pair) const;
  // Throws StateError with a hint when numbers are not finite.
  void set_vectors(Embeddings vectors);

  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
  CosineIndex index_;
  PairProbabilities probabilities_;
};

class EmbeddingAligner : public VectorAligner {
 public:
  // `calibration_share` of the anchors is hidden in a first training, so that probabilities come
  // from anchors the vectors have not seen; 0 skips it and leaves a rough guess.
  explicit EmbeddingAligner(double calibration_share) : calibration_share_(calibration_share) {}

  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) final;
  // Keeps what prepare() made; everything that depends on labels is learned again.
  void refit(const LabelSet& labels, Run& run) final;

  void save(ArchiveWriter& archive) const final;
  void load(const ArchiveReader& archive, const NetworkPair& networks,
            const LabelSet& labels) final;

 protected:
  // What depends on the networks alone; called before train() unless it was done already.
  virtual void prepare(const NetworkPair&, Run&) {}
  // Vectors comparable by cosine, from these labels only. Called twice a fit when calibrating,
  // first with some anchors hidden. Must be the same at any thread count.
  virtual Embeddings train(const NetworkPair& networks, const LabelSet& labels, Run& run) = 0;

 private:
  bool calibrate(Run& run);  // false: too few anchors, or not asked to
  void learn(Run& run);

  double calibration_share_;
  bool is_prepared_ = false;
};

}  // namespace dalaup
