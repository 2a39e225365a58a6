#include "embedding/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerBlock = 32;  // rows of one matrix product
constexpr std::size_t kFewestHidden = 4;    // anchors without which calibration is noise

void normalise_rows(Matrix& vectors, const std::string& method) {
  for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
    const float length = vectors.row(row).norm();
    if (!std::isfinite(length))
      throw StateError(
          fmt::format("{}: training diverged, found a vector that is not finite", method),
          "a lower learning rate keeps it stable");
    if (length > 0.0F) vectors.row(row) /= length;
  }
}

// log(1 + exp(x)); good to float precision, and a form the compiler can vectorise in part.
float softplus(float x) { return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x))); }

// Scores of a few users with all of the other side, row by row.
void score_block(const Matrix& own, const Matrix& others, std::span<const UserId> users,
                 std::vector<float>& scores) {
  Matrix rows(static_cast<Eigen::Index>(users.size()), own.cols());
  for (std::size_t i = 0; i < users.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = own.row(users[i]);
  scores.resize(users.size() * static_cast<std::size_t>(others.rows()));
  const auto dim = static_cast<int>(own.cols());
  multiply_transposed({.rows = static_cast<int>(users.size()),
                       .columns = static_cast<int>(others.rows()),
                       .inner = dim,
                       .left_stride = dim,
                       .right_stride = dim,
                       .out_stride = static_cast<int>(others.rows())},
                      rows.data(), others.data(), scores.data());
}

}  // namespace

std::vector<double> PairProbabilities::negative_information(const Matrix& own, const Matrix& others,
                                                            Side side, const LabelSet& labels,
                                                            Run& run) const {
  const std::vector<UserId> users = unanchored_users(labels, side);
  const std::vector<bool> open = open_users(labels, other(side));
  const std::size_t width = open.size();
  std::vector<double> sums(labels.user_count(side), 0.0);
  const auto information = [&](UserId user, UserId partner, float score) {
    return softplus(static_cast<float>(log_odds(pair_of(side, user, partner), score)));
  };
  run.for_pieces(users.size(), kUsersPerBlock, [&](const Piece& piece) {
    const auto block = std::span(users).subspan(piece.begin, piece.end - piece.begin);
    std::vector<float> scores;
    score_block(own, others, block, scores);
    for (std::size_t i = 0; i < block.size(); ++i) {
      double sum = 0.0;
      for (UserId partner = 0; partner < width; ++partner)
        if (open[partner]) sum += information(block[i], partner, scores[i * width + partner]);
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

const NetworkPair& EmbeddingAligner::networks() const {
  if (networks_ == nullptr) throw StateError(method() + ": asked before it was fitted");
  return *networks_;
}

void EmbeddingAligner::fit(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  networks_ = &networks;
  is_prepared_ = false;
  labels_ = labels;
  learn(run);
}

void EmbeddingAligner::refit(const LabelSet& labels, Run& run) {
  static_cast<void>(networks());
  labels_ = labels;
  learn(run);
}

void EmbeddingAligner::learn(Run& run) {
  try {
    if (!is_prepared_) prepare(*networks_, run);
    is_prepared_ = true;
    probabilities_.forget();
    const bool is_calibrated = calibrate(run);
    learn_vectors(labels_, run);
    if (is_calibrated) probabilities_.find_peaks(vectors_.a, vectors_.b, labels_, run);
  } catch (...) {
    networks_ = nullptr;
    throw;
  }
}

// Trains with some anchors hidden, then fits the probability on their rows: the hidden partner
// against every other open user. The share of users without a partner is not known, so the result
// reads "if this user has a partner at all".
bool EmbeddingAligner::calibrate(Run& run) {
  std::vector<UserPair> anchors(labels_.anchors().begin(), labels_.anchors().end());
  // By id, so that the order in which labels arrived does not matter.
  std::ranges::sort(anchors);
  const auto hidden_count = static_cast<std::size_t>(
      std::llround(calibration_share_ * static_cast<double>(anchors.size())));
  if (hidden_count < kFewestHidden || hidden_count + kFewestHidden > anchors.size()) return false;
  Random random = run.random("calibration");
  random.shuffle(std::span(anchors));
  LabelSet fewer(labels_.user_count(Side::kA), labels_.user_count(Side::kB));
  for (std::size_t i = hidden_count; i < anchors.size(); ++i) fewer.add(anchors[i], Label::kAnchor);
  for (const UserPair pair : labels_.negatives()) fewer.add(pair, Label::kNotAnchor);
  anchors.resize(hidden_count);

  learn_vectors(fewer, run);
  probabilities_.find_peaks(vectors_.a, vectors_.b, fewer, run);
  probabilities_.learn(anchors, fewer, [this](Side side, UserId user, std::span<float> scores) {
    score_row(side, user, scores);
  });
  return true;
}

void EmbeddingAligner::learn_vectors(const LabelSet& labels, Run& run) {
  vectors_ = train(*networks_, labels, run);
  normalise_rows(vectors_.a, method());
  normalise_rows(vectors_.b, method());
}

void EmbeddingAligner::score_row(Side side, UserId user, std::span<float> scores) const {
  const Matrix& others = vectors(other(side));
  Eigen::Map<Eigen::VectorXf>(scores.data(), static_cast<Eigen::Index>(scores.size())).noalias() =
      others * vectors(side).row(user).transpose();
}

float EmbeddingAligner::score(UserPair pair) const {
  return vectors_.a.row(pair.a).dot(vectors_.b.row(pair.b));
}

RankedLists EmbeddingAligner::best_candidates(Side side, std::span<const UserId> users,
                                              std::size_t top, Run& run) const {
  const std::vector<bool> open = open_users(labels(), other(side));
  const std::size_t width = networks().on(other(side)).user_count();
  const bool has_negatives = !labels().negatives().empty();
  Task task(run, "ranking", users.size());
  RankedLists lists(users.size());
  run.for_pieces(users.size(), kUsersPerBlock, [&](const Piece& piece) {
    std::vector<float> scores;
    score_block(vectors(side), vectors(other(side)),
                users.subspan(piece.begin, piece.end - piece.begin), scores);
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const auto row = std::span(scores).subspan((i - piece.begin) * width, width);
      if (!has_negatives) {
        lists[i] = {users[i], best_of_row(row, top, open)};
        continue;
      }
      std::vector<bool> allowed = open;
      for (UserId candidate = 0; candidate < width; ++candidate)
        if (labels().is_negative(pair_of(side, users[i], candidate))) allowed[candidate] = false;
      lists[i] = {users[i], best_of_row(row, top, allowed)};
    }
    task.advance(piece.end - piece.begin);
  });
  return lists;
}

std::vector<double> EmbeddingAligner::ranks(std::span<const UserPair> pairs, Run& run) const {
  const std::vector<bool> open = open_users(labels(), Side::kB);
  const std::size_t width = networks().b.user_count();
  std::vector<double> ranks(pairs.size());
  run.for_pieces(pairs.size(), kUsersPerBlock, [&](const Piece& piece) {
    std::vector<UserId> users;
    for (std::size_t i = piece.begin; i < piece.end; ++i) users.push_back(pairs[i].a);
    std::vector<float> scores;
    score_block(vectors_.a, vectors_.b, users, scores);
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const auto row = std::span(scores).subspan((i - piece.begin) * width, width);
      const float own = row[pairs[i].b];
      double rank = 1.0;
      for (UserId user = 0; user < width; ++user)
        if (open[user] && user != pairs[i].b)
          rank += row[user] > own ? 1.0 : row[user] == own ? 0.5 : 0.0;
      ranks[i] = rank;
    }
  });
  return ranks;
}

double EmbeddingAligner::probability(UserPair pair) const {
  return probabilities_.probability(pair, score(pair));
}

void EmbeddingAligner::probability_row(Side side, UserId user,
                                       std::span<float> probabilities) const {
  score_row(side, user, probabilities);
  probabilities_.from_scores(side, user, probabilities);
}

std::vector<double> EmbeddingAligner::negative_information(Side side, Run& run) const {
  return probabilities_.negative_information(vectors(side), vectors(other(side)), side, labels(),
                                             run);
}

void EmbeddingAligner::save(ArchiveWriter& archive) const {
  static_cast<void>(networks());
  archive.put("embedding.a", vectors_.a);
  archive.put("embedding.b", vectors_.b);
  probabilities_.save(archive, "calibration.");
}

void EmbeddingAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                            const LabelSet& labels) {
  vectors_ = {archive.matrix("embedding.a"), archive.matrix("embedding.b")};
  if (vectors_.a.rows() != networks.a.user_count() ||
      vectors_.b.rows() != networks.b.user_count() || vectors_.a.cols() != vectors_.b.cols())
    throw InputError(archive.path(), 0, "found vectors of other networks than the model's");
  probabilities_.load(archive, "calibration.", networks);
  networks_ = &networks;
  is_prepared_ = false;
  labels_ = labels;
}

}  // namespace dalaup
