// Expected error reduction (eq. 13): how certain the other pairs would become once this one is
// answered, in expectation over the answer. Refitting the aligner for every pair and answer is out
// of reach, so (docs/method/active-learning.md):
//  - only a logistic head on the aligner's pair features is refitted, by one Newton step
//  (logistic_head.h);
//  - candidates are the likeliest pairs, and the certainty is summed over a seeded sample of pairs.
#include <algorithm>
#include <cmath>

#include "query/logistic_head.h"
#include "query/strategy.h"

namespace dalaup {
namespace {

constexpr std::size_t kMostLabelled = 4000;
constexpr std::size_t kCandidatesPerPiece = 16;

// Features brought to a common scale, with a constant in front.
class Scale {
 public:
  explicit Scale(const Eigen::MatrixXd& features)
      : mean_(features.colwise().mean()),
        deviation_((features.rowwise() - mean_).colwise().norm() /
                   std::sqrt(std::max<double>(1.0, static_cast<double>(features.rows())))) {
    for (double& deviation : deviation_) deviation = std::max(deviation, 1e-9);
  }
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& features) const {
    Eigen::MatrixXd scaled(features.rows(), features.cols() + 1);
    scaled.col(0).setOnes();
    scaled.rightCols(features.cols()) =
        (features.rowwise() - mean_).array().rowwise() / deviation_.array();
    return scaled;
  }

 private:
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd deviation_;
};

HeadSample sample_of(const Scene& scene, std::span<const UserPair> pairs) {
  const Aligner& aligner = scene.situation.aligner;
  HeadSample sample;
  const std::size_t width = pairs.empty() ? 0 : aligner.pair_features(pairs[0]).size();
  sample.features.resize(static_cast<Eigen::Index>(pairs.size()), static_cast<Eigen::Index>(width));
  sample.offsets.resize(static_cast<Eigen::Index>(pairs.size()));
  scene.run.for_pieces(pairs.size(), 256, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const std::vector<float> features = aligner.pair_features(pairs[i]);
      for (std::size_t k = 0; k < width; ++k)
        sample.features(row, static_cast<Eigen::Index>(k)) = features[k];
      sample.offsets[row] = log_odds(clamp_probability(aligner.probability(pairs[i])));
    }
  });
  return sample;
}

// Answered pairs, and for each anchor two pairs it rules out.
struct Labelled {
  std::vector<UserPair> pairs;
  std::vector<double> targets;
};
Labelled labelled_pairs(const Scene& scene) {
  const LabelSet& labels = scene.situation.labels;
  Random random = scene.run.random("query eer labelled", scene.situation.round);
  Labelled labelled;
  const auto add = [&](UserPair pair, double target) {
    labelled.pairs.push_back(pair);
    labelled.targets.push_back(target);
  };
  const auto anchors = labels.anchors();
  for (const std::uint64_t i :
       random.sample(anchors.size(), std::min(anchors.size(), kMostLabelled / 4))) {
    add(anchors[i], 1.0);
    const UserPair off_a{anchors[i].a,
                         static_cast<UserId>(random.below(labels.user_count(Side::kB)))};
    const UserPair off_b{static_cast<UserId>(random.below(labels.user_count(Side::kA))),
                         anchors[i].b};
    if (off_a != anchors[i]) add(off_a, 0.0);
    if (off_b != anchors[i]) add(off_b, 0.0);
  }
  const auto negatives = labels.negatives();
  for (const std::uint64_t i :
       random.sample(negatives.size(), std::min(negatives.size(), kMostLabelled / 4)))
    add(negatives[i], 0.0);
  return labelled;
}

}  // namespace

Strategy eer_strategy() {
  return {
      "eer", "expected error reduction: what makes the other pairs most certain",
      [](const Scene& scene) {
        std::vector<std::size_t> order(scene.pairs.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const std::size_t count =
            std::min(order.size(), static_cast<std::size_t>(scene.params.eer_candidates));
        std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                                  [&](std::size_t left, std::size_t right) {
                                    const double p = scene.pairs[left].probability;
                                    const double q = scene.pairs[right].probability;
                                    return p != q ? p > q : left < right;
                                  });
        Proposal proposal;
        proposal.pick = Proposal::Pick::kHighest;
        if (count == 0) return proposal;

        std::vector<UserPair> candidates(count);
        for (std::size_t i = 0; i < count; ++i) candidates[i] = scene.pairs[order[i]].pair;
        // The certainty is summed over all candidates and a sample of the other pairs, so that each
        // candidate is left out of its own sum alike, whatever the sample.
        std::vector<UserPair> others = candidates;
        std::ranges::sort(order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
        const std::size_t unlikely = order.size() - count;
        const std::size_t drawn =
            std::min(unlikely, static_cast<std::size_t>(scene.params.eer_sample));
        Random random = scene.run.random("query eer sample", scene.situation.round);
        for (const std::uint64_t i : random.sample(unlikely, drawn))
          others.push_back(scene.pairs[order[count + i]].pair);
        Eigen::VectorXd weights = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(others.size()));
        if (drawn > 0)
          weights.tail(static_cast<Eigen::Index>(drawn))
              .setConstant(static_cast<double>(unlikely) / static_cast<double>(drawn));

        HeadSample asked = sample_of(scene, candidates);
        HeadSample rest = sample_of(scene, others);
        const Labelled known = labelled_pairs(scene);
        HeadSample labelled = sample_of(scene, known.pairs);
        const Scale scale(asked.features);  // not of the sample: steps must not depend on its size
        asked.features = scale(asked.features);
        rest.features = scale(rest.features);
        labelled.features = known.pairs.empty() ? Eigen::MatrixXd(0, asked.features.cols())
                                                : scale(labelled.features);
        const LogisticHead head(
            labelled,
            Eigen::Map<const Eigen::VectorXd>(known.targets.data(),
                                              static_cast<Eigen::Index>(known.targets.size())),
            scene.params.eer_ridge);
        const auto certainty = [](double margin) { return 2.0 * std::abs(logistic(margin) - 0.5); };
        const Eigen::VectorXd margins = rest.offsets + rest.features * head.weights();
        const Eigen::VectorXd certainties = margins.unaryExpr(certainty);
        const double all_before = weights.dot(certainties);

        proposal.pairs.resize(count);
        scene.run.for_pieces(count, kCandidatesPerPiece, [&](const Piece& piece) {
          for (std::size_t i = piece.begin; i < piece.end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Eigen::VectorXd features = asked.features.row(row);
            const CandidatePair& candidate = scene.pairs[order[i]];
            // Both steps point the same way; only their length and sign differ.
            const Eigen::VectorXd up = head.step(features, asked.offsets[row], 1.0);
            const Eigen::VectorXd down = head.step(features, asked.offsets[row], 0.0);
            const Eigen::VectorXd rise = rest.features * up;
            const Eigen::VectorXd fall = rest.features * down;
            const double yes = candidate.probability;
            double change = -certainties[row];  // eq. 13 leaves the candidate itself out
            for (Eigen::Index other = 0; other < margins.size(); ++other)
              if (other != row)
                change += weights[other] * (yes * certainty(margins[other] + rise[other]) +
                                            (1.0 - yes) * certainty(margins[other] + fall[other]) -
                                            certainties[other]);
            proposal.pairs[i] = {candidate, all_before + change};
          }
        });
        return proposal;
      }};
}

}  // namespace dalaup
