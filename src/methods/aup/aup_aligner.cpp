#include "methods/aup/aup_aligner.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "methods/aup/inputs.h"
#include "methods/aup/matrix_rows.h"

namespace dalaup {
namespace {

constexpr std::size_t kFewestHeldOut = 5;  // anchors; fewer say nothing about when to stop
constexpr double kMostNewAnchors = 0.25;   // share of new anchors that a rehearsal still holds for

HeldOut hold_out(const LabelSet& labels, double share, const Run& run) {
  std::vector<UserPair> order(labels.anchors().begin(), labels.anchors().end());
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(order.size()) + 0.5);
  if (wanted < kFewestHeldOut || order.size() < 2 * kFewestHeldOut) return {order, {}};
  std::vector<UserPair> shuffled = order;
  std::ranges::sort(shuffled);  // what is held out must not depend on the order of the labels
  run.random("aup validation").shuffle(std::span(shuffled));
  const auto cut = shuffled.begin() + static_cast<std::ptrdiff_t>(wanted);
  HeldOut parts{.anchors = {}, .validation = {shuffled.begin(), cut}};
  std::ranges::sort(parts.validation);
  for (const UserPair& pair : order)
    if (!std::ranges::binary_search(parts.validation, pair)) parts.anchors.push_back(pair);
  return parts;
}

}  // namespace

void AupAligner::check(const NetworkPair& networks, const LabelSet& labels) const {
  if (labels.anchors().empty())
    throw InputError(
        labels.negatives().empty()
            ? std::string("aup: found no labels, expected at least 2 anchor pairs")
            : fmt::format("aup: found {} answers \"no\" and no anchor pair, expected at least 2 "
                          "anchor pairs",
                          labels.negatives().size()),
        "label some pairs that are one person first");
  if (labels.anchors().size() < 2)
    throw InputError("aup: found a single anchor pair, expected at least 2",
                     "one pair does not tell what matching users have in common");
  for (const Side side : {Side::kA, Side::kB})
    if (networks.on(side).user_count() < 2)
      throw InputError(fmt::format("aup: found {} user in network {}, expected at least 2",
                                   networks.on(side).user_count(), name_of(side)));
}

void AupAligner::fit(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  network_.reset();
  rehearsed_anchors_ = 0;
  train(networks, labels, std::nullopt, params_.epochs, run);
}

void AupAligner::refit(const LabelSet& labels, Run& run) {
  const auto is_still_known = [&](const UserPair& anchor) {
    return labels.partner(Side::kA, anchor.a) == anchor.b;
  };
  if (static_cast<double>(labels.anchors().size()) >
          (1.0 + kMostNewAnchors) * static_cast<double>(rehearsed_anchors_) ||
      !std::ranges::all_of(labels_.anchors(), is_still_known))
    rehearsed_anchors_ = 0;
  std::optional<AupNetwork> start;
  if (params_.coordinates == "users") start = std::move(network_);
  network_.reset();
  const int epochs = start ? std::max(1, params_.epochs / 5) : params_.epochs;
  train(*networks_, labels, std::move(start), epochs, run);
}

void AupAligner::train(const NetworkPair& networks, const LabelSet& labels,
                       std::optional<AupNetwork> start, int epochs, Run& run) {
  check(networks, labels);
  const auto users = std::min(networks.a.user_count(), networks.b.user_count());
  if (static_cast<UserId>(params_.embedding_dim) > users)
    run.warn(
        fmt::format("aup: representations of {} numbers are longer than the smaller network has "
                    "users ({}); they will say little that a shorter one would not",
                    params_.embedding_dim, users));
  AupParams params = params_;
  if (start) params.checkpoint.clear();  // a warm start has no second file to resume from
  HeldOut parts = hold_out(labels, params.validation_share, run);
  if (params.coordinates == "anchors" && !parts.validation.empty()) {
    if (rehearsed_anchors_ == 0) rehearse(params, networks, labels, parts, run);
    params.checkpoint.clear();  // both files are the rehearsal's
    params.loss_curve.clear();
    const std::span<const UserPair> all = labels.anchors();
    learn(params, networks, labels, {{all.begin(), all.end()}, {}}, std::nullopt, rehearsed_epochs_,
          run);
    return;
  }
  curve_ = learn(params, networks, labels, parts, std::move(start), epochs, run).curve;
  if (parts.validation.empty())
    run.warn(
        "aup: no labels were held out; probabilities are calibrated on the labels trained on "
        "and are too sure of themselves");
  calibrate_on(parts.validation.empty() ? parts.anchors : parts.validation, labels);
}

// Held-out pairs that are coordinates, or that helped to find likely ones, are not unknown. So a
// first training knows nothing of them; it tells how long to train and how sure a score is.
void AupAligner::rehearse(const AupParams& params, const NetworkPair& networks,
                          const LabelSet& labels, const HeldOut& parts, Run& run) {
  LabelSet known = labels;
  for (const UserPair& pair : parts.validation) known.remove(pair);
  Training training = learn(params, networks, known, parts, std::nullopt, params.epochs, run);
  curve_ = std::move(training.curve);
  rehearsed_epochs_ = training.kept_epochs;
  rehearsed_anchors_ = labels.anchors().size();
  calibrate_on(parts.validation, known);
}

Training AupAligner::learn(const AupParams& params, const NetworkPair& networks,
                           const LabelSet& labels, const HeldOut& parts,
                           std::optional<AupNetwork> start, int epochs, Run& run) {
  representations_ = {};  // an interrupted refit leaves nothing half made
  unit_ = {};
  const AupInputs inputs = make_inputs(params, networks, labels, run);
  lengths_ = inputs.lengths();
  channels_ = inputs.channels;
  AupNetwork network = start ? std::move(*start) : make_network(params, lengths_, channels_, run);
  const TrainingJob job{.params = params,
                        .inputs = inputs,
                        .labels = labels,
                        .anchors = parts.anchors,
                        .validation = parts.validation,
                        .epochs = epochs};
  Training training = train_network(network, job, run);
  std::array<Matrix, 2> representations{encode_users(network, Side::kA, inputs.rows[0], run),
                                        encode_users(network, Side::kB, inputs.rows[1], run)};
  for (const Side side : {Side::kA, Side::kB})
    if (!representations[index_of(side)].allFinite())
      throw StateError(fmt::format("aup: found representations of network {} that are not finite",
                                   name_of(side)),
                       "lower learning_rate");
  if (!params.joint_head && params.score == "classifier")
    train_head(network, job, representations, run);
  networks_ = &networks;
  labels_ = labels;
  network_ = std::move(network);
  set_representations(std::move(representations));
  if (params.score == "uncrowded") {
    find_crowding(labels, run);
    discount_crowding();
  }
  if (params.score != "classifier") probabilities_.find_peaks(unit_[0], unit_[1], labels, run);
  return training;
}

void AupAligner::set_representations(std::array<Matrix, 2> representations) {
  representations_ = std::move(representations);
  for (std::size_t side = 0; side < 2; ++side) {
    Matrix unit = representations_[side];
    if (params_.centring) unit.rowwise() -= unit.colwise().mean().eval();
    for (Eigen::Index user = 0; user < unit.rows(); ++user) {
      const float length = unit.row(user).norm();
      if (length > 0.0F) unit.row(user) /= length;  // a zero row keeps cosine 0 with everyone
    }
    unit_[side] = std::move(unit);
  }
}

void AupAligner::find_crowding(const LabelSet& labels, Run& run) {
  constexpr std::size_t kNearest = 10;
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<UserId> everyone(labels.user_count(side));
    std::iota(everyone.begin(), everyone.end(), UserId{0});
    const RankedLists lists =
        best_by_cosine(unit_[index_of(side)], unit_[index_of(other(side))], everyone, kNearest,
                       {open_users(labels, other(side)), nullptr}, run);
    auto& crowding = crowding_[index_of(side)];
    crowding.assign(everyone.size(), 0.0F);
    for (const auto& list : lists) {
      double sum = 0.0;
      for (const Candidate& candidate : list.candidates)
        sum += static_cast<double>(candidate.score);
      if (!list.candidates.empty())
        crowding[list.user] = static_cast<float>(sum / static_cast<double>(list.candidates.size()));
    }
  }
}

// Some users are close to everyone and stand high in everybody's list. Cosines less half of either
// user's crowding (Conneau 2018) are again cosines, of vectors with four more numbers: two carry
// the discounts, two bring all vectors to one length.
void AupAligner::discount_crowding() {
  constexpr float kSquare = 2.25F;  // of that length: 1 of the user, 1, at most 1/4 of the discount
  for (std::size_t side = 0; side < 2; ++side) {
    const Matrix& unit = unit_[side];
    Matrix longer = large_matrix(static_cast<std::size_t>(unit.rows()),
                                 static_cast<std::size_t>(unit.cols()) + 4);
    for (Eigen::Index user = 0; user < unit.rows(); ++user) {
      auto row = longer.row(user);
      row.head(unit.cols()) = unit.row(user);
      auto added = row.tail(4);
      added.setZero();
      const float discount = -0.5F * crowding_[side][static_cast<std::size_t>(user)];
      added[side == 0 ? 0 : 1] = discount;
      added[side == 0 ? 1 : 0] = 1.0F;
      const float square = unit.row(user).squaredNorm() + 1.0F + discount * discount;
      added[side == 0 ? 2 : 3] = std::sqrt(std::max(0.0F, kSquare - square));
      row /= std::sqrt(kSquare);
    }
    unit_[side] = std::move(longer);
  }
}

void AupAligner::calibrate_on(std::span<const UserPair> anchors, const LabelSet& labels) {
  probabilities_.learn(anchors, labels, [this](Side side, UserId user, std::span<float> scores) {
    score_row(side, user, scores);
  });
}

RankedLists AupAligner::best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                                        Run& run) const {
  if (params_.score == "classifier") return Aligner::best_candidates(side, users, top, run);
  CandidateFilter filter{open_users(labels_, other(side)), nullptr};
  if (!labels_.negatives().empty())
    filter.is_refused = [this, side](UserId user, UserId candidate) {
      return labels_.is_negative(pair_of(side, user, candidate));
    };
  return best_by_cosine(unit_[index_of(side)], unit_[index_of(other(side))], users, top, filter,
                        run);
}

std::vector<double> AupAligner::ranks(std::span<const UserPair> pairs, Run& run) const {
  if (params_.score == "classifier") return Aligner::ranks(pairs, run);
  return ranks_by_cosine(unit_[0], unit_[1], pairs, open_users(labels_, Side::kB), run);
}

void AupAligner::score_row(Side side, UserId user, std::span<float> scores) const {
  const std::size_t own = index_of(side);
  if (params_.score == "classifier")
    return head_scores(network_->head, network_->tensors, side == Side::kA,
                       representations_[own].row(user).data(), representations_[1 - own], scores);
  Eigen::Map<Eigen::VectorXf>(scores.data(), index(scores.size())).noalias() =
      unit_[1 - own] * unit_[own].row(user).transpose();
}

float AupAligner::score(UserPair pair) const {
  if (params_.score != "classifier") return unit_[0].row(pair.a).dot(unit_[1].row(pair.b));
  float score = 0.0F;
  const Matrix other = representations_[1].row(pair.b);
  head_scores(network_->head, network_->tensors, true, representations_[0].row(pair.a).data(),
              other, {&score, 1});
  return score;
}

double AupAligner::probability(UserPair pair) const {
  return probabilities_.probability(pair, score(pair));
}

void AupAligner::probability_row(Side side, UserId user, std::span<float> probabilities) const {
  score_row(side, user, probabilities);
  probabilities_.from_scores(side, user, probabilities);
}

// The products that the cosine adds up: a logistic head on them can weigh the dimensions anew.
std::vector<float> AupAligner::pair_features(UserPair pair) const {
  constexpr Eigen::Index kMostFeatures = 128;  // more than labels can weigh
  if (unit_[0].cols() > kMostFeatures) return Aligner::pair_features(pair);
  std::vector<float> features(static_cast<std::size_t>(unit_[0].cols()) + 1);
  for (Eigen::Index i = 0; i < unit_[0].cols(); ++i)
    features[static_cast<std::size_t>(i)] = unit_[0](pair.a, i) * unit_[1](pair.b, i);
  features.back() = score(pair);
  return features;
}

std::vector<double> AupAligner::negative_information(Side side, Run& run) const {
  if (params_.score == "classifier") return Aligner::negative_information(side, run);
  return probabilities_.negative_information(unit_[index_of(side)], unit_[index_of(other(side))],
                                             side, labels_, run);
}

std::optional<Embeddings> AupAligner::embeddings() const {
  return Embeddings{.a = unit_[0], .b = unit_[1]};
}

Explanation AupAligner::explain(UserPair pair, std::size_t) const {
  const auto first = unit_[0].row(pair.a);
  const auto second = unit_[1].row(pair.b);
  return {
      .score = static_cast<double>(score(pair)),
      .probability = probability(pair),
      .parts = {},
      .words = fmt::format(
          "aup compares learned representations: the cosine of these two{} is {:.3f}. Their {} "
          "numbers are mixtures of the whole structural context, so no neighbours can be named.",
          params_.score == "uncrowded" ? ", less how close either is to its nearest," : "",
          first.dot(second), first.size())};
}

void AupAligner::save(ArchiveWriter& archive) const {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = side == 0 ? "a" : "b";
    archive.put("aup.length_" + suffix, static_cast<std::int64_t>(lengths_[side]));
    archive.put("aup.representations_" + suffix, representations_[side]);
  }
  archive.put("aup.crowding_a", crowding_[0]);
  archive.put("aup.crowding_b", crowding_[1]);
  archive.put("aup.channels", std::int64_t{channels_});
  probabilities_.save(archive, "aup.calibration.");
  archive.put("aup.rehearsed_anchors", static_cast<std::int64_t>(rehearsed_anchors_));
  archive.put("aup.rehearsed_epochs", std::int64_t{rehearsed_epochs_});
  archive.put("aup.curve", curve_);
  save_network_state(archive, "aup.", *network_);
}

void AupAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                      const LabelSet& labels) {
  std::array<Matrix, 2> representations;
  for (const Side side : {Side::kA, Side::kB}) {
    const std::string suffix = side == Side::kA ? "a" : "b";
    lengths_[index_of(side)] =
        static_cast<std::size_t>(archive.whole_number("aup.length_" + suffix));
    Matrix& rows = representations[index_of(side)];
    rows = archive.matrix("aup.representations_" + suffix);
    if (rows.rows() != static_cast<Eigen::Index>(networks.on(side).user_count()) ||
        !rows.allFinite())
      throw InputError(archive.path(), 0, "found representations that do not fit the networks");
  }
  channels_ = static_cast<int>(archive.whole_number("aup.channels"));
  probabilities_.load(archive, "aup.calibration.", networks);
  if (archive.has("aup.rehearsed_anchors")) {  // earlier versions held out nothing that counted
    rehearsed_anchors_ = static_cast<std::size_t>(archive.whole_number("aup.rehearsed_anchors"));
    rehearsed_epochs_ = static_cast<int>(archive.whole_number("aup.rehearsed_epochs"));
  }
  curve_ = archive.values<EpochRecord>("aup.curve");
  AupNetwork network = empty_network(params_, lengths_, channels_);
  for (const Matrix& rows : representations)
    if (rows.cols() != index(network.embedding_dim))
      throw InputError(archive.path(), 0, "found representations that do not fit the settings");
  load_network_state(archive, "aup.", network);
  network_ = std::move(network);
  networks_ = &networks;
  labels_ = labels;
  set_representations(std::move(representations));
  if (params_.score != "uncrowded") return;
  crowding_ = {archive.values<float>("aup.crowding_a"), archive.values<float>("aup.crowding_b")};
  for (const Side side : {Side::kA, Side::kB})
    if (crowding_[index_of(side)].size() != networks.on(side).user_count() ||
        !std::ranges::all_of(crowding_[index_of(side)],
                             [](float value) { return std::isfinite(value); }))
      throw InputError(archive.path(), 0, "found crowding that does not fit the networks");
  discount_crowding();
}

}  // namespace dalaup
