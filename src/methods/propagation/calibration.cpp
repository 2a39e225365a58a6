#include "methods/propagation/calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace dalaup {
namespace {

constexpr std::size_t kFewestAnchors = 12;  // below, hiding some leaves nothing to propagate from
// Where no label tells, by how much the untrained model's even chance of none is too cautious about
// a plan that attributes support: on three real pairs it then still claims less than is right
// (docs/measured/attributes.md).
constexpr double kOddsByAttributes = 4.0;
constexpr double kLeastLogOdds = -4.6;  // 1 %: the many hopeless pairs teach nothing

void add_examples(const Fold& fold, ChoiceExamples& examples) {
  std::vector<PairFeatures> pairs;
  for (const UserPair& anchor : fold.hidden) {
    ChoiceExamples::User user;
    fold.features->describe(anchor.a, pairs, user.none);
    const auto listed = fold.state.lists.pairs.of(anchor.a);
    user.pairs = static_cast<std::uint32_t>(listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (listed[i].partner == anchor.b) user.chosen = static_cast<std::int32_t>(i);
    examples.users.push_back(user);
    examples.pairs.insert(examples.pairs.end(), pairs.begin(), pairs.end());
  }
  for (const UserId alone : fold.hidden_without_partner[0]) {
    ChoiceExamples::User user;
    fold.features->describe(alone, pairs, user.none);
    user.pairs = static_cast<std::uint32_t>(pairs.size());
    examples.users.push_back(user);
    examples.pairs.insert(examples.pairs.end(), pairs.begin(), pairs.end());
  }
}

// How often best pairs of rows are right, by their odds. Rows of hidden users tell of users with a
// partner. Rows of others that want a hidden user of B tell of users who may have none: wrong pairs
// of two anchored users are counted twice this way and those of two users without partner never;
// the two about cancel out. A best pair that was answered "no" is a wrong one, seen in every run:
// without these, uncertain pairs that somebody asked about would count only when they were right.
struct BestPairs {
  std::vector<OddsExample> hidden;
  std::vector<OddsExample> foreign;
  std::vector<OddsExample> refused;
};

void add_best_pairs(const Fold& fold, std::span<const float> log_odds, const LabelSet& labels,
                    BestPairs& found) {
  const BoundedRows<ListedPair>& lists = fold.state.lists.pairs;
  std::vector<UserId> partner_of_a(fold.state.open_a.size(), kNoUser);
  std::vector<std::uint8_t> is_hidden_b(fold.state.open_b.size(), 0);
  for (const UserPair& anchor : fold.hidden) {
    partner_of_a[anchor.a] = anchor.b;
    is_hidden_b[anchor.b] = 1;
  }
  std::vector<std::uint8_t> is_alone(fold.state.open_a.size(), 0);
  for (const UserId alone : fold.hidden_without_partner[0]) is_alone[alone] = 1;
  for (const UserId alone : fold.hidden_without_partner[1]) is_hidden_b[alone] = 1;
  for (std::size_t user = 0; user < lists.size(); ++user) {
    const auto listed = lists.of(user);
    if (listed.empty()) continue;
    const auto odds = log_odds.subspan(lists.begin_of(user), listed.size());
    const auto best = static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin());
    const UserId partner = listed[best].partner;
    if (labels.is_negative({static_cast<UserId>(user), partner})) {
      found.refused.push_back({odds[best], false});
      continue;
    }
    const bool is_hidden_a = partner_of_a[user] != kNoUser || is_alone[user] != 0;
    if (odds[best] <= kLeastLogOdds) continue;
    if (is_hidden_a)
      found.hidden.push_back({odds[best], partner == partner_of_a[user]});
    else if (is_hidden_b[partner] != 0)
      found.foreign.push_back({odds[best], false});
  }
}

// Each refused pair balances an anchor that was found by asking, not drawn: only what is left of
// the anchors tells by its foreign pairs how many users want somebody though they have no partner.
std::vector<OddsExample> weighted(BestPairs found, std::size_t folds) {
  const double refused = static_cast<double>(found.refused.size()) / static_cast<double>(folds);
  const auto hidden = static_cast<double>(found.hidden.size());
  for (OddsExample& example : found.refused) example.weight = 1.0 / static_cast<double>(folds);
  for (OddsExample& example : found.foreign)
    example.weight = std::clamp(1.0 - refused / std::max(1.0, hidden), 0.0, 1.0);
  std::vector<OddsExample> all = std::move(found.hidden);
  all.insert(all.end(), found.foreign.begin(), found.foreign.end());
  all.insert(all.end(), found.refused.begin(), found.refused.end());
  return all;
}

}  // namespace

std::vector<std::vector<UserPair>> calibration_folds(std::span<const UserPair> anchors,
                                                     const PropagationParams& params, Run& run) {
  const auto count = static_cast<std::size_t>(params.calibration_folds);
  if (count < 2 || anchors.size() < std::max(kFewestAnchors, 2 * count)) return {};
  std::vector<UserPair> shuffled(anchors.begin(), anchors.end());
  Random random = run.random("propagation folds");
  random.shuffle(std::span(shuffled));
  const auto enough = static_cast<std::size_t>(params.calibration_labels);
  const std::size_t hidden_each = std::min(enough, shuffled.size() / count);
  std::vector<std::vector<UserPair>> folds;
  for (std::size_t fold = 0; fold < count && fold * hidden_each < enough; ++fold) {
    const auto first = shuffled.begin() + static_cast<std::ptrdiff_t>(fold * hidden_each);
    folds.emplace_back(first, first + static_cast<std::ptrdiff_t>(hidden_each));
  }
  return folds;
}

FoldInformation fold_information(const LabelSet& labels, std::size_t fold, std::size_t folds,
                                 std::shared_ptr<const AttributeEvidence> attributes) {
  FoldInformation information;
  information.known.attributes = std::move(attributes);
  for (const Side side : {Side::kA, Side::kB}) {
    const std::size_t of = side == Side::kA ? 0 : 1;
    const auto alone = labels.without_partner(side);
    for (std::size_t i = 0; i < alone.size(); ++i)
      (i % folds == fold ? information.hidden_without_partner[of]
                         : information.known.without_partner[of])
          .push_back(alone[i]);
  }
  return information;
}

std::unique_ptr<Fold> run_fold(const NetworkPair& networks, const NetworkWeights& weights,
                               std::span<const UserPair> anchors, std::vector<UserPair> hidden,
                               Prior prior, FoldInformation side, const PropagationParams& params,
                               Task& task, Run& run) {
  auto fold = std::make_unique<Fold>();
  fold->hidden = std::move(hidden);
  for (const std::size_t of : {0U, 1U})
    fold->hidden_without_partner[of] = std::move(side.hidden_without_partner[of]);
  std::vector<std::uint8_t> is_hidden(networks.a.user_count(), 0);
  for (const UserPair& anchor : fold->hidden) is_hidden[anchor.a] = 1;
  std::vector<UserPair> known;
  std::ranges::copy_if(anchors, std::back_inserter(known),
                       [&](const UserPair& anchor) { return !is_hidden[anchor.a]; });
  fold->state =
      propagate(networks, weights, known, std::move(prior), nullptr, params, task, run, side.known);
  fold->features = std::make_unique<FeatureMaker>(networks, weights, fold->state, run);
  return fold;
}

FittedModel calibrate(const NetworkPair& networks, const LabelSet& labels,
                      std::span<const std::unique_ptr<Fold>> folds, bool has_attributes,
                      const PropagationParams& params, Run& run) {
  FittedModel calibration;
  if (folds.empty()) {
    if (has_attributes) calibration.odds.offset = std::log(kOddsByAttributes);
    return calibration;
  }
  ChoiceExamples examples;
  for (const auto& fold : folds) add_examples(*fold, examples);
  calibration.hidden_labels = examples.users.size();
  calibration.model.train(examples, params.calibration_shrinkage);

  BestPairs found;
  for (const auto& fold : folds)
    add_best_pairs(
        *fold, posterior_log_odds(networks, fold->state, *fold->features, calibration.model, run),
        labels, found);
  calibration.odds = fit_odds(weighted(std::move(found), folds.size()));
  return calibration;
}

}  // namespace dalaup
