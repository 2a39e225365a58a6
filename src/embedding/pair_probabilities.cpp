#include <algorithm>
#include <cmath>

#include "embedding/pair_probabilities.h"

namespace dalaup {
namespace {

constexpr double kSmallestProbability = 1e-9;
constexpr double kSlopePrior = 1e-3;    // of the log-likelihood's curvature; cosines are at most 1
constexpr std::size_t kMostRows = 128;  // anchors; each adds a whole row and column of other pairs
constexpr std::size_t kUsersPerBlock = 32;  // rows of one matrix product
constexpr double kMostPairs = 4e10;         // 200,000 users on either side: minutes

// log(1 + exp(x)); good to float precision, and a form the compiler can vectorise in part.
float float_softplus(float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x))); }

// Scores of a few users with all of the other side, row by row.
Matrix score_block(const Matrix& own, const Matrix& others, std::span<const UserId> users) {
  Matrix rows(static_cast<Eigen::Index>(users.size()), own.cols());
  for (std::size_t i = 0; i < users.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = own.row(users[i]);
  return rows * others.transpose();
}

}  // namespace

double PairCurve::log_odds(const PairEvidence& pair) const {
  return score * static_cast<double>(pair.score) + margin_a * static_cast<double>(pair.margin_a) +
         margin_b * static_cast<double>(pair.margin_b) + offset;
}

double PairCurve::probability(const PairEvidence& pair) const {
  return std::clamp(logistic(log_odds(pair)), kSmallestProbability, 1.0 - kSmallestProbability);
}

PairCurve fit_pair_curve(std::span<const PairEvidence> anchors,
                         std::span<const PairEvidence> others) {
  if (anchors.empty() || others.empty()) return {};
  const auto visit = [&](const std::function<void(const LogisticExample&)>& add) {
    for (const bool is_anchor : {true, false})
      for (const PairEvidence& pair : is_anchor ? anchors : others) {
        const double features[4] = {static_cast<double>(pair.score),
                                    static_cast<double>(pair.margin_a),
                                    static_cast<double>(pair.margin_b), 1.0};
        add({.features = features, .is_positive = is_anchor});
      }
  };
  const double ratio = static_cast<double>(anchors.size()) / static_cast<double>(others.size());
  const LogisticPrior prior{.centre = Eigen::Vector4d::Zero(),
                            .ridge = Eigen::Vector4d{kSlopePrior, kSlopePrior, kSlopePrior, 0.0}};
  const Eigen::VectorXd best =
      fit_logistic(visit, prior, Eigen::Vector4d{0.0, 0.0, 0.0, std::log(ratio)}).coefficients;
  return {.score = best[0], .margin_a = best[1], .margin_b = best[2], .offset = best[3]};
}

void PairProbabilities::find_peaks(const CosineIndex& index, const LabelSet& labels, Run& run) {
  const auto& [a, b] = index.vectors();
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

std::vector<double> PairProbabilities::negative_information(const CosineIndex& index, Side side,
                                                            const LabelSet& labels,
                                                            Run& run) const {
  const Matrix& own = index.vectors().on(side);
  const Matrix& others = index.vectors().on(other(side));
  const std::vector<UserId> users = unanchored_users(labels, side);
  const std::vector<bool> open = open_users(labels, other(side));
  std::vector<double> sums(labels.user_count(side), 0.0);
  const auto information = [&](UserId user, UserId partner, float score) {
    return float_softplus(static_cast<float>(log_odds(pair_of(side, user, partner), score)));
  };
  run.for_pieces(users.size(), kUsersPerBlock, [&](const Piece& piece) {
    const auto block = std::span(users).subspan(piece.begin, piece.end - piece.begin);
    const Matrix scores = score_block(own, others, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto row = scores.row(static_cast<Eigen::Index>(i));
      double sum = 0.0;
      for (UserId partner = 0; partner < open.size(); ++partner)
        if (open[partner]) sum += information(block[i], partner, row[partner]);
      sums[block[i]] = sum;
    }
  });
  for (const UserPair pair : labels.negatives()) {
    if (labels.is_anchored(Side::kA, pair.a) || labels.is_anchored(Side::kB, pair.b)) continue;
    const UserId user = pair.on(side);
    const UserId partner = pair.on(other(side));
    sums[user] -= information(user, partner, own.row(user).dot(others.row(partner)));
  }
  return sums;
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
