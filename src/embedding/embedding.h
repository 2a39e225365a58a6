#pragma once
// What methods share that give every user a vector and compare users by cosine: scores, blocked
// candidate lists and ranks, calibrated probabilities, model files. Such a method derives from
// EmbeddingAligner and writes only its training (see baselines/ for three of them).
#include <span>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

// probability = 1 / (1 + exp(-(slope * score + offset))), after Platt 1999.
struct PlattCurve {
  double slope = 10.0;
  double offset = -12.0;
  double probability(double score) const;  // in [1e-9, 1 - 1e-9]
};
// Maximum likelihood with a weak pull to slope 0, so that separable scores stay finite.
// `negative_weight` is how many unseen pairs each negative score stands for.
PlattCurve fit_calibration(std::span<const float> anchor_scores,
                           std::span<const float> other_scores, double negative_weight = 1.0);

// Aligner::negative_information of a method whose probabilities are a curve on the products of two
// matrices' rows: whole blocks of users at a time.
std::vector<double> negative_information(const Matrix& own, const Matrix& others, Side side,
                                         const LabelSet& labels, const PlattCurve& curve, Run& run);

class EmbeddingAligner : public Aligner {
 public:
  // `calibration_share` of the anchors is hidden in a first training, so that probabilities come
  // from anchors the vectors have not seen; 0 skips it and leaves a rough guess.
  explicit EmbeddingAligner(double calibration_share) : calibration_share_(calibration_share) {}

  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) final;
  // Keeps what prepare() made; everything that depends on labels is learned again.
  void refit(const LabelSet& labels, Run& run) final;

  const NetworkPair& networks() const final;  // StateError before fit
  const LabelSet& labels() const final { return labels_; }

  void score_row(Side side, UserId user, std::span<float> scores) const final;
  float score(UserPair pair) const final;
  RankedLists best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                              Run& run) const final;
  std::vector<double> ranks(std::span<const UserPair> pairs, Run& run) const final;
  double probability(UserPair pair) const final;
  std::vector<double> negative_information(Side side, Run& run) const final;
  std::optional<Embeddings> embeddings() const final { return vectors_; }  // rows of length 1 or 0
  const PlattCurve& calibration() const { return calibration_; }

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
  void calibrate(Run& run);
  void learn(Run& run);
  const Matrix& vectors(Side side) const { return side == Side::kA ? vectors_.a : vectors_.b; }

  double calibration_share_;
  const NetworkPair* networks_ = nullptr;
  bool is_prepared_ = false;
  LabelSet labels_;
  Embeddings vectors_;
  PlattCurve calibration_;
};

}  // namespace dalaup
