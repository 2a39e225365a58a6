#pragma once
// Calibrated probabilities of pairs from their scores.
#include <functional>
#include <span>
#include <string>
#include <vector>

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
  // For the scores of an index. It passes over all pairs, so it leaves networks alone that have too
  // many: their scores decide alone.
  void find_peaks(const CosineIndex& index, const LabelSet& labels, Run& run);
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
  // Aligner::negative_information for the scores of an index: whole blocks of users at a time.
  std::vector<double> negative_information(const CosineIndex& index, Side side,
                                           const LabelSet& labels, Run& run) const;

  void save(ArchiveWriter& archive, const std::string& prefix) const;
  // Throws InputError when the peaks are of other networks.
  void load(const ArchiveReader& archive, const std::string& prefix, const NetworkPair& networks);

 private:
  PairEvidence evidence(UserPair pair, float score) const;

  PairCurve curve_;
  Peaks peaks_;
};

}  // namespace dalaup
