#include "embedding/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kFewestHidden = 4;  // anchors without which calibration is noise

}  // namespace

HeldOut hold_out(const LabelSet& labels, double share, std::size_t fewest, Random random) {
  const std::span<const UserPair> all = labels.anchors();
  HeldOut parts{{all.begin(), all.end()}, {}};
  const auto count =
      static_cast<std::size_t>(std::llround(share * static_cast<double>(all.size())));
  if (count < fewest || count + fewest > all.size()) return parts;
  parts.hidden = parts.anchors;
  std::ranges::sort(parts.hidden);
  random.shuffle(std::span(parts.hidden));
  parts.hidden.resize(count);
  std::vector<UserPair> sorted = parts.hidden;
  std::ranges::sort(sorted);
  std::erase_if(parts.anchors,
                [&](const UserPair& pair) { return std::ranges::binary_search(sorted, pair); });
  return parts;
}

LabelSet without(const LabelSet& labels, std::span<const UserPair> hidden) {
  LabelSet fewer = labels;
  for (const UserPair& pair : hidden) fewer.remove(pair);
  return fewer;
}

void check_trainable(const std::string& method, const NetworkPair& networks,
                     const LabelSet& labels) {
  if (labels.anchors().empty())
    throw InputError(
        labels.negatives().empty()
            ? method + ": found no labels, expected at least 2 anchor pairs"
            : fmt::format("{}: found {} \"no\" and no anchor pair, expected at least 2 "
                          "anchor pairs",
                          method, counted(labels.negatives().size(), "answer")),
        "label some pairs that are one person first");
  if (labels.anchors().size() < 2)
    throw InputError(method + ": found a single anchor pair, expected at least 2",
                     "one pair does not tell what matching users have in common");
  for (const Side side : {Side::kA, Side::kB})
    if (networks.on(side).user_count() < 2)
      throw InputError(fmt::format("{}: found {} user in network {}, expected at least 2", method,
                                   networks.on(side).user_count(), name_of(side)));
}

const NetworkPair& VectorAligner::networks() const {
  if (networks_ == nullptr) throw StateError(method() + ": asked before it was fitted");
  return *networks_;
}

void VectorAligner::probability_row(Side side, UserId user, std::span<float> probabilities) const {
  score_row(side, user, probabilities);
  probabilities_.from_scores(side, user, probabilities);
}

std::vector<float> VectorAligner::product_features(UserPair pair) const {
  constexpr Eigen::Index kMostFeatures = 128;  // more than labels can weigh
  const auto& [a, b] = index_.vectors();
  if (a.cols() > kMostFeatures) return Aligner::pair_features(pair);
  std::vector<float> features(static_cast<std::size_t>(a.cols()) + 1);
  for (Eigen::Index i = 0; i < a.cols(); ++i)
    features[static_cast<std::size_t>(i)] = a(pair.a, i) * b(pair.b, i);
  features.back() = score(pair);
  return features;
}

void VectorAligner::calibrate_on(std::span<const UserPair> anchors, const LabelSet& labels) {
  probabilities_.learn(anchors, labels, [this](Side side, UserId user, std::span<float> scores) {
    score_row(side, user, scores);
  });
}

void VectorAligner::set_vectors(Embeddings vectors) {
  try {
    index_ = CosineIndex(std::move(vectors));
  } catch (const StateError& error) {
    throw StateError(fmt::format("{}: training diverged, {}", method(), error.what()),
                     "a lower learning rate keeps it stable");
  }
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
    set_vectors(train(*networks_, labels_, run));
    if (is_calibrated) probabilities_.find_peaks(index_, labels_, run);
  } catch (...) {
    networks_ = nullptr;
    throw;
  }
}

// Trains with some anchors hidden, then fits the probability on their rows: the hidden partner
// against every other open user. The share of users without a partner is not known, so the result
// reads "if this user has a partner at all".
bool EmbeddingAligner::calibrate(Run& run) {
  const HeldOut parts =
      hold_out(labels_, calibration_share_, kFewestHidden, run.random("calibration"));
  if (parts.hidden.empty()) return false;
  const LabelSet known = without(labels_, parts.hidden);
  set_vectors(train(*networks_, known, run));
  probabilities_.find_peaks(index_, known, run);
  calibrate_on(parts.hidden, known);
  return true;
}

void EmbeddingAligner::save(ArchiveWriter& archive) const {
  static_cast<void>(networks());
  put_matrix(archive, "embedding.a", index_.vectors().a);
  put_matrix(archive, "embedding.b", index_.vectors().b);
  probabilities_.save(archive, "calibration.");
}

void EmbeddingAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                            const LabelSet& labels) {
  Embeddings vectors{matrix_in(archive, "embedding.a"), matrix_in(archive, "embedding.b")};
  if (vectors.a.rows() != networks.a.user_count() || vectors.b.rows() != networks.b.user_count() ||
      vectors.a.cols() != vectors.b.cols())
    throw InputError(archive.path(), 0, "found vectors of other networks than the model's");
  index_ = CosineIndex::of_unit_vectors(std::move(vectors));
  probabilities_.load(archive, "calibration.", networks);
  networks_ = &networks;
  is_prepared_ = false;
  labels_ = labels;
}

}  // namespace dalaup
