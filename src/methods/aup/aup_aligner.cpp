#include "methods/aup/aup_aligner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/aup/inputs.h"

namespace dalaup {
namespace {

constexpr std::size_t kFewestHeldOut = 5;  // anchors; fewer say nothing about when to stop

// Settings say how large the network is. Nothing of that size is made before the file is known to
// hold it.
void check_sizes(const ArchiveReader& archive, const AupParams& params,
                 std::array<std::size_t, 2> lengths) {
  const auto expect = [&](const std::string& name, std::size_t size) {
    if (archive.values<float>("aup." + name).size() != size)
      throw InputError(archive.path(), 0,
                       fmt::format("found \"{}\" of a size that does not fit the settings", name));
  };
  const auto width = static_cast<std::size_t>(params.kernel_width);
  const auto layers = static_cast<std::size_t>(params.convolution_layers);
  std::size_t channels = 1;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::size_t further = static_cast<std::size_t>(params.channels) << layer;
    expect(fmt::format("encoder.convolution{}.weight", layer + 1), channels * further * width);
    channels = further;
  }
  const auto dimension = static_cast<std::size_t>(params.embedding_dim);
  if (params.head == "mlp") expect("head.hidden.weight", 2 * dimension * dimension);
  for (const Side side : {Side::kA, Side::kB}) {
    const std::size_t length = lengths[index_of(side)];
    const std::size_t lost = std::min(length, layers * (width - 1));
    expect(side == Side::kA ? "encoder.dense_a.weight" : "encoder.dense_b.weight",
           channels * (length - lost) * dimension);
  }
}

float logistic(float logit) {
  constexpr double kLeast = 1e-9;  // probabilities stay inside (0, 1)
  return static_cast<float>(
      std::clamp(1.0 / (1.0 + std::exp(-static_cast<double>(logit))), kLeast, 1.0 - kLeast));
}

}  // namespace

bool AupAligner::reads_file_order() const {
  return params_.order == "file" && params_.convolution_layers > 0 && params_.kernel_width > 1;
}

void AupAligner::fit(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  network_.reset();
  train(networks, labels, std::nullopt, params_.epochs, run);
}

void AupAligner::refit(const LabelSet& labels, Run& run) {
  std::optional<AupNetwork> start = std::exchange(network_, std::nullopt);
  const int warm =
      params_.refit_epochs > 0 ? params_.refit_epochs : std::max(1, params_.epochs / 5);
  const int epochs = start ? warm : params_.epochs;
  train(networks(), labels, std::move(start), epochs, run);
}

// Weights have seen every anchor of the last fit but those held out, so more can only be held out
// of the new ones.
HeldOut AupAligner::hold_out_again(const LabelSet& labels, Run& run) const {
  HeldOut parts;
  std::vector<UserPair> fresh;
  for (const UserPair& anchor : labels.anchors()) {
    if (std::ranges::binary_search(held_out_, anchor))
      parts.hidden.push_back(anchor);
    else if (labels_.partner(Side::kA, anchor.a) == anchor.b)
      parts.anchors.push_back(anchor);
    else
      fresh.push_back(anchor);
  }
  std::ranges::sort(fresh);
  run.random("aup validation").shuffle(std::span(fresh));
  const auto more = static_cast<std::size_t>(
      std::lround(params_.validation_share * static_cast<double>(fresh.size())));
  const auto cut = fresh.begin() + static_cast<std::ptrdiff_t>(more);
  parts.hidden.insert(parts.hidden.end(), fresh.begin(), cut);
  parts.anchors.insert(parts.anchors.end(), cut, fresh.end());
  if (parts.hidden.size() < kFewestHeldOut) {
    parts.anchors.insert(parts.anchors.end(), parts.hidden.begin(), parts.hidden.end());
    parts.hidden.clear();
  }
  return parts;
}

void AupAligner::train(const NetworkPair& networks, const LabelSet& labels,
                       std::optional<AupNetwork> start, int epochs, Run& run) {
  check_trainable(method(), networks, labels);
  const auto users = std::min(networks.a.user_count(), networks.b.user_count());
  if (static_cast<UserId>(params_.embedding_dim) > users)
    run.warn(
        fmt::format("aup: representations of {} numbers are longer than the smaller network has "
                    "users ({}); they will say little that a shorter one would not",
                    params_.embedding_dim, users));
  AupParams params = params_;
  if (start) params.checkpoint.clear();  // a warm start has no second file to resume from
  HeldOut parts = start ? hold_out_again(labels, run)
                        : hold_out(labels, params.validation_share, kFewestHeldOut,
                                   run.random("aup validation"));
  std::ranges::sort(parts.hidden);
  if (!start) orders_ = draw_orders(params, networks, run);
  networks_ = nullptr;  // an interrupted refit leaves nothing half made
  representations_ = {};
  hidden_parts_ = {};
  index_ = {};
  const std::array<Matrix, 2> inputs = make_inputs(params, networks, orders_, run);
  lengths_ = {networks.a.user_count(), networks.b.user_count()};
  const bool is_refit = start.has_value();
  AupNetwork network = is_refit ? std::move(*start) : make_network(params, lengths_, 1, run);
  const TrainingJob job{.params = params,
                        .inputs = inputs,
                        .labels = labels,
                        .anchors = parts.anchors,
                        .validation = parts.hidden,
                        .epochs = epochs,
                        .is_refit = is_refit};
  curve_ = train_network(network, job, run).curve;
  representations_ = {encode_users(network, Side::kA, inputs[0], run),
                      encode_users(network, Side::kB, inputs[1], run)};
  set_vectors({representations_[0], representations_[1]});
  if (!params.joint_head && (ranks_by_classifier() || !is_calibrated()))
    train_head(network, job, representations_, run);
  networks_ = &networks;
  labels_ = labels;
  network_ = std::move(network);
  prepare_classifier();
  held_out_ = parts.hidden;
  if (!is_calibrated()) return;
  if (!ranks_by_classifier()) probabilities_.find_peaks(index_, labels, run);
  if (parts.hidden.empty())
    run.warn(
        "aup: no labels were held out; probabilities are calibrated on the labels trained on "
        "and are too sure of themselves");
  calibrate_on(parts.hidden.empty() ? parts.anchors : parts.hidden, labels);
}

RankedLists AupAligner::best_candidates(Side side, std::span<const UserId> users, std::size_t top,
                                        Run& run) const {
  return ranks_by_classifier() ? Aligner::best_candidates(side, users, top, run)
                               : VectorAligner::best_candidates(side, users, top, run);
}

std::vector<double> AupAligner::ranks(std::span<const UserPair> pairs, Run& run) const {
  return ranks_by_classifier() ? Aligner::ranks(pairs, run) : VectorAligner::ranks(pairs, run);
}

void AupAligner::score_row(Side side, UserId user, std::span<float> scores) const {
  if (!ranks_by_classifier()) return VectorAligner::score_row(side, user, scores);
  classifier_row(side, user, scores);
}

void AupAligner::prepare_classifier() {
  hidden_parts_ = {};
  if (network_->head.kind != HeadKind::kMlp || (is_calibrated() && !ranks_by_classifier())) return;
  for (const Side side : {Side::kA, Side::kB})
    hidden_parts_[index_of(side)] = hidden_parts(
        network_->head, network_->tensors, side == Side::kA, representations_[index_of(side)]);
}

void AupAligner::classifier_row(Side side, UserId user, std::span<float> scores) const {
  const std::size_t own = index_of(side);
  if (hidden_parts_[own].rows() > 0)
    return scores_from_parts(network_->head, network_->tensors, hidden_parts_[own].row(user).data(),
                             hidden_parts_[1 - own], scores);
  head_scores(network_->head, network_->tensors, side == Side::kA,
              representations_[own].row(user).data(), representations_[1 - own], scores);
}

float AupAligner::score(UserPair pair) const {
  return ranks_by_classifier() ? classifier_score(pair) : VectorAligner::score(pair);
}

float AupAligner::classifier_score(UserPair pair) const {
  float score = 0.0F;
  const bool has_parts = hidden_parts_[0].rows() > 0;
  const Matrix other = (has_parts ? hidden_parts_[1] : representations_[1]).row(pair.b);
  if (has_parts)
    scores_from_parts(network_->head, network_->tensors, hidden_parts_[0].row(pair.a).data(), other,
                      {&score, 1});
  else
    head_scores(network_->head, network_->tensors, true, representations_[0].row(pair.a).data(),
                other, {&score, 1});
  return score;
}

double AupAligner::probability(UserPair pair) const {
  return is_calibrated() ? VectorAligner::probability(pair)
                         : static_cast<double>(logistic(classifier_score(pair)));
}

void AupAligner::probability_row(Side side, UserId user, std::span<float> probabilities) const {
  if (is_calibrated()) return VectorAligner::probability_row(side, user, probabilities);
  classifier_row(side, user, probabilities);
  for (float& value : probabilities) value = logistic(value);
}

std::vector<float> AupAligner::pair_features(UserPair pair) const {
  constexpr Eigen::Index kMostFeatures = 256;  // more than labels can weigh
  const Eigen::Index numbers = representations_[0].cols();
  if (is_calibrated()) return product_features(pair);
  if (2 * numbers > kMostFeatures) return Aligner::pair_features(pair);
  std::vector<float> features(2 * static_cast<std::size_t>(numbers));
  for (Eigen::Index i = 0; i < numbers; ++i) {
    features[static_cast<std::size_t>(i)] = representations_[0](pair.a, i);
    features[static_cast<std::size_t>(numbers + i)] = representations_[1](pair.b, i);
  }
  return features;
}

std::vector<double> AupAligner::negative_information(Side side, Run& run) const {
  return ranks_by_classifier() || !is_calibrated() ? Aligner::negative_information(side, run)
                                                   : VectorAligner::negative_information(side, run);
}

Explanation AupAligner::explain(UserPair pair, std::size_t) const {
  return {
      .score = static_cast<double>(score(pair)),
      .probability = probability(pair),
      .parts = {},
      .words = fmt::format(
          "aup compares learned representations: the cosine of these two is {:.3f}. Their {} "
          "numbers are mixtures of the whole structural context, so no neighbours can be named.{}",
          index_.score(pair), params_.embedding_dim,
          reads_file_order() ? " It read users in the order of the files." : "")};
}

void AupAligner::save(ArchiveWriter& archive) const {
  static_cast<void>(networks());
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = side == 0 ? "a" : "b";
    archive.put("aup.length_" + suffix, static_cast<std::int64_t>(lengths_[side]));
    put_matrix(archive, "aup.representations_" + suffix, representations_[side]);
  }
  probabilities_.save(archive, "aup.calibration.");
  std::vector<EpochRecord> curve = curve_;
  for (EpochRecord& record : curve) record.seconds = 0.0;  // the same run gives the same file
  archive.put("aup.curve", curve);
  archive.put("aup.held_out", held_out_);
  archive.put("aup.order_a", orders_[0]);
  archive.put("aup.order_b", orders_[1]);
  save_network_state(archive, "aup.", *network_);
}

void AupAligner::load_order(const ArchiveReader& archive, const NetworkPair& networks) {
  if (!archive.has("aup.order_a")) {  // older models: settings that did not exist are as it was
    params_.order = "file";
    params_.centred_sigmoid = false;
    params_.probability = "calibrated";
    orders_ = {};
    held_out_.clear();
    return;
  }
  held_out_ = archive.values<UserPair>("aup.held_out");
  for (const UserPair& pair : held_out_)
    if (pair.a >= networks.a.user_count() || pair.b >= networks.b.user_count())
      throw InputError(archive.path(), 0, "found a held-out pair that does not fit the networks");
  orders_ = {archive.values<UserId>("aup.order_a"), archive.values<UserId>("aup.order_b")};
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<UserId> sorted = orders_[index_of(side)];
    std::ranges::sort(sorted);
    if (!sorted.empty() &&
        (sorted.size() != networks.on(side).user_count() ||
         std::ranges::adjacent_find(sorted) != sorted.end() || sorted.back() + 1 != sorted.size()))
      throw InputError(archive.path(), 0, "found an order of users that does not fit the networks");
    if (sorted.empty() != (params_.order == "file"))
      throw InputError(archive.path(), 0, "found an order of users that does not fit the settings");
  }
}

void AupAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                      const LabelSet& labels) {
  params_.checkpoint.clear();  // a model must not choose files that are written
  params_.loss_curve.clear();
  for (const Side side : {Side::kA, Side::kB}) {
    const std::string suffix = side == Side::kA ? "a" : "b";
    const std::int64_t users = networks.on(side).user_count();
    if (archive.whole_number("aup.length_" + suffix) != users)
      throw InputError(archive.path(), 0, "found coordinates that do not fit the networks");
    lengths_[index_of(side)] = static_cast<std::size_t>(users);
    Matrix& rows = representations_[index_of(side)];
    rows = matrix_in(archive, "aup.representations_" + suffix);
    if (rows.rows() != users)
      throw InputError(archive.path(), 0, "found representations that do not fit the networks");
    if (rows.cols() != params_.embedding_dim)
      throw InputError(archive.path(), 0, "found representations that do not fit the settings");
  }
  probabilities_.load(archive, "aup.calibration.", networks);
  curve_ = archive.values<EpochRecord>("aup.curve");
  check_sizes(archive, params_, lengths_);
  load_order(archive, networks);
  AupNetwork network = empty_network(params_, lengths_, 1);
  load_network_state(archive, "aup.", network);
  network_ = std::move(network);
  prepare_classifier();
  networks_ = &networks;
  labels_ = labels;
  set_vectors({representations_[0], representations_[1]});
}

}  // namespace dalaup
