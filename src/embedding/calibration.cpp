#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "embedding/embedding.h"

namespace dalaup {
namespace {

constexpr double kSmallestProbability = 1e-9;
constexpr double kSlopePrior = 1e-3;  // of the log-likelihood's curvature; cosines are at most 1
constexpr int kMostSteps = 100;
constexpr std::size_t kMostRows = 128;  // anchors; each adds a whole row and column of other pairs
constexpr double kMostPairs = 4e10;     // 200,000 users on either side: minutes

double logistic(double x) {
  return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
}
// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

using Weights = Eigen::Vector4d;  // of score, margin_a, margin_b and 1

Weights vector_of(const PairEvidence& pair) {
  return {static_cast<double>(pair.score), static_cast<double>(pair.margin_a),
          static_cast<double>(pair.margin_b), 1.0};
}

struct Likelihood {
  double loss = 0.0;
  Weights gradient = Weights::Zero();
  Eigen::Matrix4d curvature = Eigen::Matrix4d::Zero();

  void add(const PairEvidence& pair, bool is_anchor, const Weights& at) {
    const Weights features = vector_of(pair);
    const double x = at.dot(features);
    const double p = logistic(x);
    loss += softplus(is_anchor ? -x : x);
    gradient += (is_anchor ? p - 1.0 : p) * features;
    curvature.selfadjointView<Eigen::Lower>().rankUpdate(features, p * (1.0 - p));
  }
};

}  // namespace

double PairCurve::log_odds(const PairEvidence& pair) const {
  return score * static_cast<double>(pair.score) + margin_a * static_cast<double>(pair.margin_a) +
         margin_b * static_cast<double>(pair.margin_b) + offset;
}

double PairCurve::probability(const PairEvidence& pair) const {
  return std::clamp(logistic(log_odds(pair)), kSmallestProbability, 1.0 - kSmallestProbability);
}

// Newton's method, halving a step that does not lower the loss.
PairCurve fit_pair_curve(std::span<const PairEvidence> anchors,
                         std::span<const PairEvidence> others) {
  if (anchors.empty() || others.empty()) return {};
  const auto likelihood = [&](const Weights& at) {
    Likelihood sum;
    for (const PairEvidence& pair : anchors) sum.add(pair, true, at);
    for (const PairEvidence& pair : others) sum.add(pair, false, at);
    const Weights slopes{at[0], at[1], at[2], 0.0};
    sum.loss += 0.5 * kSlopePrior * slopes.squaredNorm();
    sum.gradient += kSlopePrior * slopes;
    for (int slope = 0; slope < 3; ++slope) sum.curvature(slope, slope) += kSlopePrior;
    return sum;
  };
  Weights best{0.0, 0.0, 0.0,
               std::log(static_cast<double>(anchors.size()) / static_cast<double>(others.size()))};
  Likelihood here = likelihood(best);
  for (int step = 0; step < kMostSteps; ++step) {
    const Eigen::LDLT<Eigen::Matrix4d, Eigen::Lower> curvature(here.curvature);
    if (curvature.info() != Eigen::Success || !curvature.isPositive()) break;
    const Weights move = curvature.solve(here.gradient);
    if (!move.allFinite()) break;
    double share = 1.0;
    Likelihood there;
    Weights next;
    do {
      next = best - share * move;
      there = likelihood(next);
      share *= 0.5;
    } while (!(there.loss <= here.loss) && share > 1e-6);
    if (!(there.loss < here.loss)) break;
    const bool is_settled = here.loss - there.loss < 1e-9 * (1.0 + here.loss);
    best = next;
    here = there;
    if (is_settled) break;
  }
  return {.score = best[0], .margin_a = best[1], .margin_b = best[2], .offset = best[3]};
}

void PairProbabilities::find_peaks(const Matrix& a, const Matrix& b, const LabelSet& labels,
                                   Run& run) {
  peaks_ = {};
  if (static_cast<double>(a.rows()) * static_cast<double>(b.rows()) > kMostPairs) return;
  peaks_ = peaks_by_cosine(a, b, open_users(labels, Side::kA), open_users(labels, Side::kB), run);
}

PairEvidence PairProbabilities::evidence(UserPair pair, float score) const {
  if (peaks_.a.empty()) return {.score = score};
  return {.score = score,
          .margin_a = score - peaks_.a[pair.a].besides(pair.b),
          .margin_b = score - peaks_.b[pair.b].besides(pair.a)};
}

void PairProbabilities::learn(
    std::span<const UserPair> anchors, const LabelSet& labels,
    const std::function<void(Side, UserId, std::span<float> scores)>& score_row) {
  std::vector<PairEvidence> right;
  std::vector<PairEvidence> wrong;
  for (const Side side : {Side::kA, Side::kB}) {
    const std::vector<bool> is_open = open_users(labels, other(side));
    std::vector<float> scores(is_open.size());
    for (const UserPair& anchor : anchors.first(std::min(anchors.size(), kMostRows))) {
      const UserId user = anchor.on(side);
      const UserId own = anchor.on(other(side));
      score_row(side, user, scores);
      right.push_back(evidence(anchor, scores[own]));
      for (UserId partner = 0; partner < scores.size(); ++partner)
        if (is_open[partner] && partner != own)
          wrong.push_back(evidence(pair_of(side, user, partner), scores[partner]));
    }
  }
  curve_ = fit_pair_curve(right, wrong);
}

void PairProbabilities::from_scores(Side side, UserId user, std::span<float> scores) const {
  for (UserId partner = 0; partner < scores.size(); ++partner)
    scores[partner] =
        static_cast<float>(probability(pair_of(side, user, partner), scores[partner]));
}

void PairProbabilities::save(ArchiveWriter& archive, const std::string& prefix) const {
  archive.put(prefix + "score", curve_.score);
  archive.put(prefix + "margin_a", curve_.margin_a);
  archive.put(prefix + "margin_b", curve_.margin_b);
  archive.put(prefix + "offset", curve_.offset);
  archive.put(prefix + "peaks_a", peaks_.a);
  archive.put(prefix + "peaks_b", peaks_.b);
}

void PairProbabilities::load(const ArchiveReader& archive, const std::string& prefix,
                             const NetworkPair& networks) {
  if (archive.has(prefix + "slope")) {  // models of earlier versions knew the score alone
    curve_ = {.score = archive.number(prefix + "slope"),
              .margin_a = 0.0,
              .margin_b = 0.0,
              .offset = archive.number(prefix + "offset")};
    peaks_ = {};
    return;
  }
  curve_ = {.score = archive.number(prefix + "score"),
            .margin_a = archive.number(prefix + "margin_a"),
            .margin_b = archive.number(prefix + "margin_b"),
            .offset = archive.number(prefix + "offset")};
  peaks_ = {archive.values<Peak>(prefix + "peaks_a"), archive.values<Peak>(prefix + "peaks_b")};
  const auto fits = [](const std::vector<Peak>& peaks, const Network& network) {
    return peaks.size() == network.user_count() && std::ranges::all_of(peaks, [](const Peak& peak) {
             return std::isfinite(peak.best) && std::isfinite(peak.next);
           });
  };
  if (!(peaks_.a.empty() && peaks_.b.empty()) &&
      !(fits(peaks_.a, networks.a) && fits(peaks_.b, networks.b)))
    throw InputError(archive.path(), 0, "found highest scores that do not fit the networks");
}

}  // namespace dalaup
