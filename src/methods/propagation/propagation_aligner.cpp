#include "methods/propagation/propagation_aligner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "methods/propagation/row_answers.h"

namespace dalaup {
namespace {

constexpr std::size_t kFewAnchors = 60;     // the propagation takes off at some 40 to 80
constexpr double kMostNewLabels = 0.25;     // share of new labels the probability model may carry
constexpr int kFoldCandidates = 50;         // hidden partners further down teach nothing
constexpr std::size_t kFewestOpinions = 2;  // a single fold hides few of many: it says the same
constexpr UserId kManyUsers = 100'000;      // of a network, for whom running twice takes minutes

void check_networks(const NetworkPair& networks) {
  for (const Side side : {Side::kA, Side::kB})
    if (networks.on(side).edge_count() == 0)
      throw InputError(fmt::format("network {}: found {} users and no edges, expected edges",
                                   name_of(side), networks.on(side).user_count()),
                       "propagation matches users by their neighbours");
}

void check_labels(const NetworkPair& networks, const LabelSet& labels, const Run& run) {
  const auto anchors = labels.anchors();
  if (anchors.empty() && networks.attributes != nullptr) return;
  if (anchors.empty())
    throw InputError(
        fmt::format("labels: found {} negative label{} and no anchor pair, expected at "
                    "least one anchor pair",
                    labels.negatives().size(), labels.negatives().size() == 1 ? "" : "s"),
        "give pairs known to be one person, one \"a<TAB>b\" a line");
  const bool has_edges = std::ranges::any_of(anchors, [&](const UserPair& anchor) {
    return networks.a.degree(anchor.a) > 0 && networks.b.degree(anchor.b) > 0;
  });
  if (!has_edges)
    throw InputError(fmt::format("labels: found {} anchor pairs, none of users with edges in both "
                                 "networks",
                                 anchors.size()),
                     "label users that have neighbours; evidence spreads along edges");
  if (anchors.size() < kFewAnchors)
    run.warn(
        fmt::format("only {} anchor pair{}: propagation usually takes off at 40 to 80, so "
                    "expect weak rankings and uncalibrated probabilities",
                    anchors.size(), anchors.size() == 1 ? "" : "s"));
}

std::uint64_t scrambled(std::uint64_t value) {  // the finaliser of splitmix64
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// Colours of users by degrees and neighbours' colours (Weisfeiler and Leman): equal only where the
// surroundings are, whatever users are called.
std::vector<std::uint64_t> colours_of(const Network& network) {
  std::vector<std::uint64_t> colours(network.user_count());
  for (UserId user = 0; user < network.user_count(); ++user) colours[user] = network.degree(user);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> next(colours.size());
    for (UserId user = 0; user < network.user_count(); ++user) {
      std::uint64_t sum = scrambled(colours[user]);
      for (const UserId neighbour : network.neighbours(user)) sum += scrambled(~colours[neighbour]);
      next[user] = scrambled(sum);
    }
    colours = std::move(next);
  }
  return colours;
}

// Anchors in an order that follows from their surroundings, so that neither the order of labels nor
// the numbering of users decides which of them are hidden together.
std::vector<UserPair> ordered_anchors(const NetworkPair& networks, const LabelSet& labels) {
  const std::vector<std::uint64_t> colours_a = colours_of(networks.a);
  const std::vector<std::uint64_t> colours_b = colours_of(networks.b);
  std::vector<UserPair> anchors(labels.anchors().begin(), labels.anchors().end());
  std::ranges::sort(anchors, {}, [&](const UserPair& anchor) {
    return std::tuple(colours_a[anchor.a], colours_b[anchor.b], anchor);
  });
  return anchors;
}

}  // namespace

std::unique_ptr<Aligner> make_propagation(const PropagationParams& params,
                                          EmbedderMaker make_embedder) {
  return std::make_unique<PropagationAligner>(params, std::move(make_embedder));
}

PropagationAligner::PropagationAligner(const PropagationParams& params, EmbedderMaker make_embedder)
    : params_(params), make_embedder_(std::move(make_embedder)) {
  check_fields(params_);
  if (params_.prior != "context" && !make_embedder_)
    throw ParameterError(
        fmt::format("prior: found \"{}\" without a method to learn vectors with", params_.prior),
        "make the method through all_methods(), or use \"context\"");
}

Settings PropagationAligner::settings() const {
  PropagationParams params = params_;
  params.checkpoint.clear();
  return to_settings(params);
}

void PropagationAligner::require_all_rows() const {
  if (ranks_ != nullptr)
    throw StateError("propagation: found rows on several ranks, expected all of them on this one",
                     "save the model and load it");
}

const NetworkPair& PropagationAligner::networks() const {
  if (networks_ == nullptr) throw StateError("propagation: used before it was fitted");
  return *networks_;
}

void PropagationAligner::fit(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  check_networks(networks);
  fit_propagation(networks, labels, Probabilities::kLearned, run);
}

void PropagationAligner::refit(const LabelSet& labels, Run& run) {
  const auto is_still_known = [&](const UserPair& anchor) {
    return labels.partner(Side::kA, anchor.a) == anchor.b;
  };
  const std::size_t given = labels.anchors().size() + labels.negatives().size();
  const bool keeps = first_calibration_.hidden_labels > 0 &&
                     std::ranges::all_of(labels_.anchors(), is_still_known) &&
                     static_cast<double>(given) <=
                         (1.0 + kMostNewLabels) * static_cast<double>(calibrated_labels_);
  fit_propagation(networks(), labels, keeps ? Probabilities::kKept : Probabilities::kLearned, run);
}

void PropagationAligner::fit_propagation(const NetworkPair& networks, const LabelSet& labels,
                                         Probabilities probabilities, Run& run) {
  networks_ = nullptr;  // unfitted if interrupted
  check_labels(networks, labels, run);
  labels_ = labels;
  // Of the first fit only: labels of a refit are others.
  std::unique_ptr<Checkpoint> checkpoint;
  if (const std::string path = std::exchange(params_.checkpoint, {}); !path.empty())
    checkpoint = std::make_unique<Checkpoint>(path, identity_of(networks, labels, params_, run),
                                              networks, params_, run);
  weights_ = {neighbour_weights(networks.a), neighbour_weights(networks.b)};
  const std::vector<UserPair> anchors = ordered_anchors(networks, labels_);
  compare_attributes(networks, run);
  std::vector<std::vector<UserPair>> folds;
  if (probabilities == Probabilities::kLearned)
    folds = calibration_folds(anchors, !labels_.negatives().empty(), params_, run);
  std::vector<Embeddings> learned = learned_vectors(networks, folds, run);
  std::vector<Prior> priors =
      make_priors(networks, anchors, folds,
                  may_train_itself(networks) ? learned : std::exchange(learned, {}), params_, run);
  std::vector<FieldTrust> trust;
  const auto attributes = learn_attributes(networks, gains_, anchors, folds, trust, run);
  SideInformation everything{attributes[0], {}};
  for (const Side side : {Side::kA, Side::kB}) {
    const auto alone = labels_.without_partner(side);
    everything.without_partner[side == Side::kA ? 0 : 1].assign(alone.begin(), alone.end());
  }
  const bool learns = probabilities == Probabilities::kLearned;
  if (learns)
    is_consensus_ = params_.consensus == "yes" ||
                    (!can_judge_consensus(folds) && is_consensus_cheap(networks, params_));
  BoundedRows<ListedPair> earlier;
  if (!learns && has_opinions_) earlier = std::move(state_.lists.pairs);
  FoldRuns runs = propagate_all(networks, anchors, std::move(folds), std::move(priors), attributes,
                                everything, checkpoint.get(), run);
  std::vector<std::vector<float>> log_odds_of_folds;
  const auto learn = [&](std::vector<std::vector<UserPair>>* sure) {
    return calibrate(networks, labels_, runs, attributes[0] != nullptr, params_, run,
                     log_odds_of_folds, sure);
  };
  std::vector<std::vector<UserPair>> sure;  // pseudo-anchors of each fold
  if (learns) {
    first_calibration_ = learn(&sure);
    second_calibration_ = std::nullopt;
    calibrated_labels_ = anchors.size() + labels_.negatives().size();
  }
  const bool is_repeated =
      may_train_itself(networks) && first_calibration_.hidden_labels > 0 &&
      (learns || second_calibration_) &&
      propagate_again(networks, anchors, runs, sure, learned, everything, checkpoint.get(), run);
  learned.clear();
  if (is_repeated && learns) second_calibration_ = learn(nullptr);
  calibration_ = is_repeated ? *second_calibration_ : first_calibration_;
  if (learns) has_opinions_ = runs.size() >= kFewestOpinions;
  if (!has_opinions_) runs.clear();  // before more is made
  log_odds_ = raw_log_odds(networks, calibration_.model, run);
  if (has_opinions_) {
    opinions_ = learns ? fold_opinions(state_, log_odds_, runs, log_odds_of_folds, run)
                       : moved_opinions(earlier, opinions_, state_.lists.pairs);
    const std::vector<float> own = std::exchange(log_odds_, together(log_odds_, opinions_));
    calibration_.odds = as_sure(state_.lists.pairs, own, log_odds_, calibration_.odds, run);
  } else {
    opinions_.clear();
  }
  runs.clear();
  trust_ = std::move(trust);
  loaded_ = nullptr;
  networks_ = &networks;
  Communicator& communicator = communicator_of(run);
  ranks_ = communicator.size() > 1 ? &communicator : nullptr;
  if (ranks_ == nullptr) finish();
}

FoldRuns PropagationAligner::propagate_all(
    const NetworkPair& networks, std::span<const UserPair> anchors,
    std::vector<std::vector<UserPair>> folds, std::vector<Prior> priors,
    std::span<const std::shared_ptr<const AttributeEvidence>> attributes,
    const SideInformation& everything, Checkpoint* checkpoint, Run& run) {
  const bool chooses = can_judge_consensus(folds) && is_consensus_cheap(networks, params_);
  const std::size_t members = chooses || is_consensus_ ? consensus_members(params_).size() : 1;
  const std::size_t most_runs = folds.size() * (members + (chooses ? 1 : 0)) + members;
  Task task(run, "propagating", static_cast<std::uint64_t>(params_.iterations) * most_runs);
  // Large networks have one use for a prior only.
  const auto prior_of = [&](std::size_t place) {
    return chooses ? Prior(priors[place]) : std::move(priors[place]);
  };
  const auto progression_of = [&](const std::string& name) {
    return checkpoint == nullptr ? Progression() : Progression(*checkpoint, name);
  };
  // A single fold hides few of many anchors: the fit goes on from its matching.
  const bool begins_near = folds.size() == 1 && !chooses && !is_consensus_;
  const auto fit = [&](const Rows<WeightedUser>* near) {
    state_ = propagate(networks, weights_, anchors, std::move(priors[0]), barred(),
                       run_params(false), task, run, everything, progression_of("fit"), {}, near);
  };
  const auto run_folds = [&] {
    FoldRuns runs(folds.size());
    const char* const names = is_consensus_ ? "consensus of fold" : "fold";
    const PropagationParams fold_params = run_params(true);
    const auto run_job = [&](std::size_t job) {
      if (job == folds.size()) return fit(begins_near ? &runs[0]->state.matched : nullptr);
      runs[job] =
          run_fold(networks, weights_, anchors, folds[job], prior_of(job + 1),
                   fold_information(labels_, job, folds.size(), attributes[job + 1]), fold_params,
                   task, run, progression_of(fmt::format("{} {}", names, job)));
    };
    const std::size_t jobs = folds.size() + (chooses ? 0 : 1);
    if (communicator_of(run).size() == 1 && !begins_near)
      run.for_jobs(jobs, run_job);
    else  // one needs the other, or ranks meet in each of them
      for (std::size_t job = 0; job < jobs; ++job) run_job(job);
    return runs;
  };
  FoldRuns runs = run_folds();
  if (chooses) {
    is_consensus_ = true;
    FoldRuns together = run_folds();
    Communicator& communicator = communicator_of(run);
    is_consensus_ =
        !is_one_better(log_ranks(runs, communicator), log_ranks(together, communicator));
    if (is_consensus_) runs = std::move(together);
    fit(nullptr);
  }
  return runs;
}

PropagationParams PropagationAligner::run_params(bool of_folds) const {
  PropagationParams params = params_;
  params.consensus = is_consensus_ ? "yes" : "no";
  if (of_folds) params.listed_candidates = std::min(params_.listed_candidates, kFoldCandidates);
  return params;
}

bool PropagationAligner::may_train_itself(const NetworkPair& networks) const {
  if (params_.self_training != "auto") return params_.self_training == "yes";
  return std::max(networks.a.user_count(), networks.b.user_count()) <= kManyUsers;
}

bool PropagationAligner::propagate_again(const NetworkPair& networks,
                                         std::span<const UserPair> anchors, FoldRuns& runs,
                                         std::span<const std::vector<UserPair>> sure,
                                         std::span<const Embeddings> learned,
                                         const SideInformation& everything, Checkpoint* checkpoint,
                                         Run& run) {
  const std::vector<UserPair> pseudo_anchors = [&] {
    const auto log_odds = raw_log_odds(networks, first_calibration_.model, run);
    return sure_pairs(best_pairs(state_, log_odds, labels_, communicator_of(run)),
                      first_calibration_.choosing_odds);
  }();
  const auto repeated =
      std::ranges::count_if(sure, [](const auto& pairs) { return !pairs.empty(); });
  // Most of the folds have to show what a second run is worth.
  if (pseudo_anchors.empty() || 2 * repeated < std::ssize(sure)) return false;
  // Of each fold that has pseudo-anchors, and of all labels.
  std::vector<Prior> priors(runs.size() + 1);
  const auto make_prior = [&](std::size_t job, std::size_t vectors_of,
                              std::span<const UserPair> known, std::span<const UserPair> pseudo) {
    std::vector<Embeddings> vectors;
    if (!learned.empty()) vectors.push_back(learned[vectors_of]);
    priors[job] = std::move(
        make_priors(networks, known, {}, std::move(vectors), params_, run, pseudo).front());
  };
  for (std::size_t job = 0; job < runs.size(); ++job)
    if (!sure[job].empty()) make_prior(job, job + 1, runs[job]->state.anchors, sure[job]);
  make_prior(runs.size(), 0, anchors, pseudo_anchors);
  const std::size_t members = is_consensus_ ? consensus_members(params_).size() : 1;
  Task task(run, "propagating again",
            static_cast<std::uint64_t>(params_.iterations) *
                (static_cast<std::uint64_t>(repeated) + 1) * members);
  const auto progression_of = [&](const std::string& name) {
    return checkpoint == nullptr ? Progression() : Progression(*checkpoint, name);
  };
  const auto run_job = [&](std::size_t job) {
    if (job == runs.size())
      state_ = propagate(networks, weights_, anchors, std::move(priors[job]), barred(),
                         run_params(false), task, run, everything, progression_of("second fit"),
                         pseudo_anchors);
    else if (!sure[job].empty())
      run_again(networks, weights_, *runs[job], std::move(priors[job]), sure[job], run_params(true),
                task, run, progression_of(fmt::format("second fold {}", job)));
  };
  if (communicator_of(run).size() == 1)
    run.for_jobs(runs.size() + 1, run_job);
  else  // ranks meet in each of them
    for (std::size_t job = 0; job <= runs.size(); ++job) run_job(job);
  return true;
}

// Gains do not depend on labels: a refit keeps them.
void PropagationAligner::compare_attributes(const NetworkPair& networks, Run& run) {
  if (networks.attributes == nullptr) {
    gains_ = nullptr;
    compared_ = nullptr;
    return;
  }
  if (networks.attributes.get() == compared_) return;
  gains_ = attribute_gains(networks, run);
  compared_ = networks.attributes.get();
}

// One set of vectors for all labels, then one without those that each fold hides.
std::vector<Embeddings> PropagationAligner::learned_vectors(
    const NetworkPair& networks, std::span<const std::vector<UserPair>> folds, Run& run) const {
  std::vector<Embeddings> learned;
  if (params_.prior == "context") return learned;
  for (std::size_t hidden = 0; hidden <= folds.size(); ++hidden) {
    LabelSet known = labels_;
    if (hidden > 0)
      for (const UserPair& anchor : folds[hidden - 1]) known.remove(anchor);
    const auto embedder = make_embedder_();
    embedder->fit(networks, known, run);
    learned.push_back(embedder->embeddings().value());
  }
  return learned;
}

std::vector<float> PropagationAligner::raw_log_odds(const NetworkPair& networks,
                                                    const PairModel& model, Run& run) const {
  const FeatureMaker features(networks, weights_, state_, run);
  return posterior_log_odds(networks, state_, features, model, run);
}

void PropagationAligner::finish() {
  const BoundedRows<ListedPair>& lists = state_.lists.pairs;
  const UserId users_a = networks_->a.user_count();
  const UserId users_b = networks_->b.user_count();
  probability_.assign(log_odds_.size(), 0.0F);
  std::vector<double> expected_a(users_a, 0.0);
  std::vector<double> expected_b(users_b, 0.0);
  columns_ = {};
  columns_.begins.assign(users_b + std::size_t{1}, 0);
  const auto for_pairs = [&](const auto& visit) {
    for (UserId user = 0; user < users_a; ++user)
      for (std::size_t i = 0; i < lists.of(user).size(); ++i)
        visit(user, lists.of(user)[i].partner, lists.begin_of(user) + i);
  };
  for_pairs([&](UserId user, UserId partner, std::uint64_t position) {
    ++columns_.begins[partner + std::size_t{1}];
    if (labels_.is_negative({user, partner})) return;
    const double chance = single_chance(calibration_.odds(log_odds_[position]));
    probability_[position] = static_cast<float>(chance);
    expected_a[user] += chance;
    expected_b[partner] += chance;
  });
  std::partial_sum(columns_.begins.begin(), columns_.begins.end(), columns_.begins.begin());
  columns_.items.resize(columns_.begins.back());
  taken_[0].assign(users_a, 0.0F);
  taken_[1].assign(users_b, 0.0F);
  std::vector<std::uint64_t> next(columns_.begins.begin(), columns_.begins.end() - 1);
  for_pairs([&](UserId user, UserId partner, std::uint64_t position) {
    columns_.items[next[partner]++] = {user, position};
    probability_[position] =
        settled_chance(probability_[position], expected_a[user], expected_b[partner]);
    taken_[0][user] += probability_[position];
    taken_[1][partner] += probability_[position];
  });
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<UserId>& order = by_fallback_[side == Side::kA ? 0 : 1];
    order = unanchored_users(labels_, side);
    std::vector<float> scores(networks_->on(side).user_count());
    for (const UserId user : order) scores[user] = unlisted_score(other(side), user);
    std::ranges::stable_sort(order, std::greater<>{}, [&](UserId user) { return scores[user]; });
  }
}

}  // namespace dalaup
