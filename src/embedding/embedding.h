#pragma once
// What methods share that give every user a vector and compare users by cosine: scores, blocked
// candidate lists and ranks, calibrated probabilities, model files. Such a method derives from
// EmbeddingAligner and writes only its training (see baselines/ for three of them).
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

// What speaks for a pair: its score, and how far that stands above the best other score of either
// user.
struct PairEvidence {
  float score = 0.0F;
  float margin_a = 0.0F;
  float margin_b = 0.0F;
};

// Platt's curve (1999) over the three: probability = 1 / (1 + exp(-log odds)).
struct PairCurve {
  double score = 10.0;
  double margin_a = 0.0;
  double margin_b = 0.0;
  double offset = -12.0;
  double log_odds(const PairEvidence& pair) const;
  double probability(const PairEvidence& pair) const;  // in [1e-9, 1 - 1e-9]
};
// Maximum likelihood with a weak pull to slope 0, so that separable pairs stay finite.
PairCurve fit_pair_curve(std::span<const PairEvidence> anchors,
                         std::span<const PairEvidence> others);

// Probabilities of pairs from their scores. The curve is learned on held-out anchors; the peaks are
// those of the scores that are asked about. Without peaks the score alone decides.
class PairProbabilities {
 public:
  const PairCurve& curve() const { return curve_; }
  void forget() { *this = {}; }
  // For scores that are cosines of rows. It passes over all pairs, so it leaves networks alone that
  // have too many: their scores decide alone.
  void find_peaks(const Matrix& a, const Matrix& b, const LabelSet& labels, Run& run);
  // Whole rows and columns: each anchor against everyone unlabelled who could stand in the place of
  // either user, so that 0.5 means as many right pairs as wrong ones among all pairs like it.
  void learn(std::span<const UserPair> anchors, const LabelSet& labels,
             const std::function<void(Side, UserId, std::span<float> scores)>& score_row);

  double probability(UserPair pair, float score) const {
    return curve_.probability(evidence(pair, score));
  }
  double log_odds(UserPair pair, float score) const {
    return curve_.log_odds(evidence(pair, score));
  }
  void from_scores(Side side, UserId user, std::span<float> scores) const;  // in place
  // Aligner::negative_information where scores are products of two matrices' rows: whole blocks of
  // users at a time.
  std::vector<double> negative_information(const Matrix& own, const Matrix& others, Side side,
                                           const LabelSet& labels, Run& run) const;

  void save(ArchiveWriter& archive, const std::string& prefix) const;
  // Throws InputError when the peaks are of other networks.
  void load(const ArchiveReader& archive, const std::string& prefix, const NetworkPair& networks);

 private:
  PairEvidence evidence(UserPair pair, float score) const;

  PairCurve curve_;
  Peaks peaks_;
};

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
  void probability_row(Side side, UserId user, std::span<float> probabilities) const final;
  std::vector<double> negative_information(Side side, Run& run) const final;
  std::optional<Embeddings> embeddings() const final { return vectors_; }  // rows of length 1 or 0

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
  void learn_vectors(const LabelSet& labels, Run& run);
  void learn(Run& run);
  const Matrix& vectors(Side side) const { return side == Side::kA ? vectors_.a : vectors_.b; }

  double calibration_share_;
  const NetworkPair* networks_ = nullptr;
  bool is_prepared_ = false;
  LabelSet labels_;
  Embeddings vectors_;
  PairProbabilities probabilities_;
};

}  // namespace dalaup
