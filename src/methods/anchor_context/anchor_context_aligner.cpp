#include "methods/anchor_context/anchor_context_aligner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/anchor_context/coordinate_weights.h"
#include "methods/anchor_context/coordinates.h"

namespace dalaup {
namespace {

constexpr std::size_t kFewestHeldOut = 5;  // anchors; fewer say nothing about when to stop
constexpr double kMostNewAnchors = 0.25;   // share of new anchors that a rehearsal still holds for

}  // namespace

std::unique_ptr<Aligner> make_anchor_context(const AnchorContextParams& params) {
  return std::make_unique<AnchorContextAligner>(params);
}

AnchorContextAligner::AnchorContextAligner(AnchorContextParams params)
    : params_(std::move(params)) {
  check_fields(params_);
  if (params_.score == "uncrowded") params_.score = "csls";
}

void AnchorContextAligner::fit(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  rehearsed_anchors_ = 0;
  train(networks, labels, run);
}

void AnchorContextAligner::refit(const LabelSet& labels, Run& run) {
  const auto is_still_known = [&](const UserPair& anchor) {
    return labels.partner(Side::kA, anchor.a) == anchor.b;
  };
  if (static_cast<double>(labels.anchors().size()) >
          (1.0 + kMostNewAnchors) * static_cast<double>(rehearsed_anchors_) ||
      !std::ranges::all_of(labels_.anchors(), is_still_known))
    rehearsed_anchors_ = 0;
  train(networks(), labels, run);
}

void AnchorContextAligner::train(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  check_trainable(method(), networks, labels);
  HeldOut parts =
      hold_out(labels, params_.validation_share, kFewestHeldOut, run.random("aup validation"));
  std::ranges::sort(parts.hidden);
  if (!parts.hidden.empty()) {
    if (rehearsed_anchors_ == 0) rehearse(networks, labels, parts, run);
    const std::span<const UserPair> all = labels.anchors();
    learn(networks, labels, {{all.begin(), all.end()}, {}}, rehearsed_epochs_, run);
    return;
  }
  learn(networks, labels, parts, params_.epochs, run);
  run.warn(
      "anchor_context: no labels were held out; probabilities are calibrated on the labels trained "
      "on and are too sure of themselves");
  calibrate_on(parts.anchors, labels);
}

// A held-out pair used as a coordinate leaks, and so does one that helped to find likely pairs. The
// first training knows nothing of them; it tells how long to train and how sure a score is.
void AnchorContextAligner::rehearse(const NetworkPair& networks, const LabelSet& labels,
                                    const HeldOut& parts, Run& run) {
  const LabelSet known = without(labels, parts.hidden);
  rehearsed_epochs_ = learn(networks, known, parts, params_.epochs, run);
  rehearsed_anchors_ = labels.anchors().size();
  calibrate_on(parts.hidden, known);
}

// Gives the number of epochs after which the weights were best.
int AnchorContextAligner::learn(const NetworkPair& networks, const LabelSet& labels,
                                const HeldOut& parts, int epochs, Run& run) {
  networks_ = nullptr;  // an interrupted refit leaves nothing half made
  index_ = {};
  vectors_ = {};
  const std::array<Matrix, 2> coordinates = make_coordinates(params_, networks, labels, run);
  const WeightTraining training = learn_weights(params_, coordinates, labels, parts, epochs, run);
  networks_ = &networks;
  labels_ = labels;
  set_index({weighed(coordinates[0], training.weights), weighed(coordinates[1], training.weights)});
  if (params_.score == "csls") {
    nearest_means_ = index_.nearest_means(labels, run);
    index_ = index_.with_csls(nearest_means_);
  }
  probabilities_.find_peaks(index_, labels, run);
  return training.epochs;
}

void AnchorContextAligner::set_index(Embeddings vectors) {
  vectors_ = vectors;
  for (const Side side : {Side::kA, Side::kB})
    vectors.on(side).rowwise() -= vectors.on(side).colwise().mean().eval();
  set_vectors(std::move(vectors));
}

Explanation AnchorContextAligner::explain(UserPair pair, std::size_t) const {
  return {.score = static_cast<double>(score(pair)),
          .probability = probability(pair),
          .parts = {},
          .words = fmt::format(
              "anchor_context compares which of {} known and likely pairs short walks from both "
              "users meet: the cosine of these two{} is {:.3f}.",
              vectors_.a.cols(),
              params_.score == "csls" ? ", less how close either is to its nearest (CSLS)," : "",
              score(pair))};
}

void AnchorContextAligner::save(ArchiveWriter& archive) const {
  static_cast<void>(networks());
  put_matrix(archive, "anchor_context.representations_a", vectors_.a);
  put_matrix(archive, "anchor_context.representations_b", vectors_.b);
  archive.put("anchor_context.crowding_a", nearest_means_[0]);
  archive.put("anchor_context.crowding_b", nearest_means_[1]);
  probabilities_.save(archive, "anchor_context.calibration.");
  archive.put("anchor_context.rehearsed_anchors", static_cast<std::int64_t>(rehearsed_anchors_));
  archive.put("anchor_context.rehearsed_epochs", std::int64_t{rehearsed_epochs_});
}

void AnchorContextAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                                const LabelSet& labels) {
  const std::string prefix = archive.has("aup.representations_a") ? "aup." : "anchor_context.";
  Embeddings vectors{matrix_in(archive, prefix + "representations_a"),
                     matrix_in(archive, prefix + "representations_b")};
  nearest_means_ = {archive.values<float>(prefix + "crowding_a"),
                    archive.values<float>(prefix + "crowding_b")};
  const bool has_csls = params_.score == "csls";
  for (const Side side : {Side::kA, Side::kB}) {
    const std::vector<float>& means = nearest_means_[index_of(side)];
    if (vectors.on(side).rows() != static_cast<Eigen::Index>(networks.on(side).user_count()) ||
        vectors.on(side).cols() != vectors.a.cols() || !vectors.on(side).allFinite() ||
        (has_csls && means.size() != networks.on(side).user_count()) ||
        !std::ranges::all_of(means, [](float value) { return std::isfinite(value); }))
      throw InputError(archive.path(), 0, "found vectors that do not fit the networks");
  }
  probabilities_.load(archive, prefix + "calibration.", networks);
  if (archive.has(prefix + "rehearsed_anchors")) {
    const std::int64_t anchors = archive.whole_number(prefix + "rehearsed_anchors");
    const std::int64_t epochs = archive.whole_number(prefix + "rehearsed_epochs");
    if (anchors < 0 || epochs < 0 || epochs > params_.epochs)
      throw InputError(archive.path(), 0, "found epochs that do not fit the settings");
    rehearsed_anchors_ = static_cast<std::size_t>(anchors);
    rehearsed_epochs_ = static_cast<int>(epochs);
  }
  networks_ = &networks;
  labels_ = labels;
  set_index(std::move(vectors));
  if (has_csls) index_ = index_.with_csls(nearest_means_);
}

}  // namespace dalaup
