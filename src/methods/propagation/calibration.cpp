#include "methods/propagation/calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace dalaup {
namespace {

constexpr std::size_t kFewestAnchors = 12;  // below, hiding some leaves nothing to propagate from
// Between these, a run without a third of the anchors hardly takes off and says little of the one
// with all of them, so fifths are hidden instead; a fifth of fewer teaches nothing. So are of
// chosen anchors: runs without a third of them claim far less than the one with all may.
constexpr std::size_t kFewAnchors = 40;
constexpr std::size_t kManyAnchors = 150;
// Where no label tells, by how much the untrained model's even chance of none is too cautious about
// a plan that attributes support: on three real pairs it then still claims less than is right
// (docs/measured/attributes.md).
constexpr double kOddsByAttributes = 4.0;
constexpr std::size_t kHiddenPerBereft = 3;  // every third hidden user loses its partner
constexpr double kLeastLogOdds = -4.6;       // 1 %: the many hopeless pairs teach nothing

// What the run says of the fold's hidden users, as far as they are this rank's, in order.
ChoiceExamples own_examples(const Fold& fold, std::span<const UserPair> hidden) {
  ChoiceExamples examples;
  std::vector<PairFeatures> pairs;
  for (const UserPair& one : hidden) {
    if (!fold.state.lists.pairs.rows().contains(one.a)) continue;
    ChoiceExamples::User user;
    fold.features->describe(one.a, pairs, user.none);
    const auto listed = fold.state.lists.pairs.of(one.a);
    user.pairs = static_cast<std::uint32_t>(listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (listed[i].partner == one.b) user.chosen = static_cast<std::int32_t>(i);
    examples.users.push_back(user);
    examples.pairs.insert(examples.pairs.end(), pairs.begin(), pairs.end());
  }
  return examples;
}

// The same of all hidden users, on every rank.
ChoiceExamples examples_in(const Fold& fold, const RowBlocks& blocks, Communicator& communicator) {
  std::vector<UserPair> hidden = fold.hidden;
  for (const auto& alone : {fold.hidden_without_partner[0], fold.bereft})
    for (const UserId a : alone) hidden.push_back({a, kNoUser});
  ChoiceExamples own = own_examples(fold, hidden);
  if (communicator.size() == 1) return own;
  const auto users = gather_parcels(communicator, std::move(own.users));
  const auto pairs = gather_parcels(communicator, std::move(own.pairs));
  ChoiceExamples all;
  std::vector<std::size_t> next_user = users.begins;
  std::vector<std::size_t> next_pair = pairs.begins;
  for (const UserPair& one : hidden) {
    const auto owner = static_cast<std::size_t>(blocks.owner(one.a));
    all.users.push_back(users.items[next_user[owner]++]);
    const auto first = pairs.items.begin() + static_cast<std::ptrdiff_t>(next_pair[owner]);
    all.pairs.insert(all.pairs.end(), first, first + all.users.back().pairs);
    next_pair[owner] += all.users.back().pairs;
  }
  return all;
}

PairModel trained_without(std::span<const ChoiceExamples> folds, std::size_t left_out,
                          const PropagationParams& params) {
  ChoiceExamples examples;
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    if (fold == left_out) continue;
    const auto& [users, pairs] = folds[fold];
    examples.users.insert(examples.users.end(), users.begin(), users.end());
    examples.pairs.insert(examples.pairs.end(), pairs.begin(), pairs.end());
  }
  PairModel model;
  model.train(examples, params.calibration_shrinkage);
  return model;
}

// Attributes pair users without partner with each other, which rows of hidden users never show. So
// some hidden users lose their partner for this run and stand for them.
void take_partners_out(Fold& fold, SideInformation& known) {
  std::vector<UserPair> kept;
  for (std::size_t i = 0; i < fold.hidden.size(); ++i) {
    const UserPair anchor = fold.hidden[i];
    if (i % kHiddenPerBereft != kHiddenPerBereft - 1) {
      kept.push_back(anchor);
      continue;
    }
    fold.bereft.push_back(anchor.a);
    known.without_partner[1].push_back(anchor.b);
  }
  fold.hidden = std::move(kept);
}

// How often best pairs of rows are right, by their odds. Rows of hidden users tell of users with a
// partner. Rows of others that want a hidden user of B tell of users who may have none: wrong pairs
// of two anchored users are counted twice this way and those of two users without partner never;
// the two about cancel out. With attributes they do not, and rows of bereft users tell instead. A
// best pair that was answered "no" is a wrong one, seen in every run: without these, uncertain
// pairs that somebody asked about would count only when they were right.
struct BestPairs {
  std::vector<OddsExample> hidden;
  std::vector<double> bereft;
  std::vector<double> foreign;
  std::vector<double> open;  // foreign ones included
  std::vector<OddsExample> refused;
};

// Of the rows of this rank.
BestPairs own_best_pairs(const Fold& fold, std::span<const float> log_odds,
                         const LabelSet& labels) {
  BestPairs found;
  const BoundedRows<ListedPair>& lists = fold.state.lists.pairs;
  std::vector<UserId> partner_of_a(fold.state.open_a.size(), kNoUser);
  std::vector<std::uint8_t> is_hidden_b(fold.state.open_b.size(), 0);
  for (const UserPair& anchor : fold.hidden) {
    partner_of_a[anchor.a] = anchor.b;
    is_hidden_b[anchor.b] = 1;
  }
  std::vector<std::uint8_t> is_alone(fold.state.open_a.size(), 0);
  std::vector<std::uint8_t> is_bereft(fold.state.open_a.size(), 0);
  for (const UserId a : fold.bereft) is_bereft[a] = 1;
  for (const UserId alone : fold.hidden_without_partner[0]) is_alone[alone] = 1;
  for (const UserId alone : fold.hidden_without_partner[1]) is_hidden_b[alone] = 1;
  for (std::size_t user = lists.rows().begin; user < lists.rows().end; ++user) {
    const auto listed = lists.of(user);
    if (listed.empty()) continue;
    const auto odds = log_odds.subspan(lists.begin_of(user), listed.size());
    const auto best = static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin());
    const UserId partner = listed[best].partner;
    if (labels.is_negative({static_cast<UserId>(user), partner})) {
      found.refused.push_back({odds[best], false});
      continue;
    }
    if (is_bereft[user] != 0) {
      found.bereft.push_back(odds[best]);
      continue;
    }
    const bool is_hidden_a = partner_of_a[user] != kNoUser || is_alone[user] != 0;
    if (!is_hidden_a) found.open.push_back(odds[best]);
    if (odds[best] <= kLeastLogOdds) continue;
    if (is_hidden_a)
      found.hidden.push_back({odds[best], partner == partner_of_a[user]});
    else if (is_hidden_b[partner] != 0)
      found.foreign.push_back(odds[best]);
  }
  return found;
}

// Of all rows, in their order.
void add_best_pairs(BestPairs own, Communicator& communicator, BestPairs& found) {
  const auto add = [&](auto part, auto& all) {
    part = gather_all(communicator, std::move(part));
    all.insert(all.end(), part.begin(), part.end());
  };
  add(std::move(own.hidden), found.hidden);
  add(std::move(own.bereft), found.bereft);
  add(std::move(own.foreign), found.foreign);
  add(std::move(own.open), found.open);
  add(std::move(own.refused), found.refused);
}

// Each refused pair balances an anchor that was found by asking, not drawn: the share of the
// others.
double drawn_share(const BestPairs& found, std::size_t folds) {
  const double refused = static_cast<double>(found.refused.size()) / static_cast<double>(folds);
  return std::clamp(1.0 - refused / std::max<double>(1.0, found.hidden.size()), 0.0, 1.0);
}

// Without attributes: only drawn anchors tell by their foreign pairs how many users want somebody
// though they have no partner.
void add_foreign(const BestPairs& found, double drawn, std::vector<OddsExample>& examples) {
  examples.insert(examples.end(), found.hidden.begin(), found.hidden.end());
  for (const double odds : found.foreign) examples.push_back({odds, false, drawn});
}

// Share of open users who have a partner: how much rarer odds are in open rows than in hidden ones,
// where few users without partner reach them. That is from the odds on that one in twenty bereft
// users reaches, and, as these may be unlike users who never had a partner, from the median of
// right pairs on.
double partnered_share(const BestPairs& found) {
  std::vector<double> right;
  for (const OddsExample& example : found.hidden)
    if (example.is_anchor) right.push_back(example.log_odds);
  if (right.empty() || found.open.empty()) return 1.0;
  const auto rarer_from = [&](double least) {
    const auto in_hidden = std::ranges::count_if(
        found.hidden, [&](const OddsExample& one) { return one.log_odds >= least; });
    const auto in_open =
        std::ranges::count_if(found.open, [&](double odds) { return odds >= least; });
    return static_cast<double>(std::max<std::ptrdiff_t>(in_open, 1)) /
           static_cast<double>(found.open.size()) * static_cast<double>(found.hidden.size()) /
           static_cast<double>(in_hidden);
  };
  std::ranges::sort(right);
  const double median = right[right.size() / 2];
  std::vector<double> bereft = found.bereft;
  std::ranges::sort(bereft);
  const double rarely_bereft =
      bereft.empty() ? median : std::min(bereft[bereft.size() * 19 / 20], median);
  return std::min(1.0, std::sqrt(rarer_from(rarely_bereft) * rarer_from(median)));
}

// With attributes: right pairs of drawn anchors, scaled to all partnered users, are what the
// probabilities of open rows have to add up to at every odds (positive and unlabelled examples: a
// right pair has its weight on one side only, an open row on the other).
void add_open(const BestPairs& found, double drawn, std::vector<OddsExample>& examples) {
  for (const OddsExample& example : found.hidden) {
    if (example.is_anchor) examples.push_back(example);
    examples.push_back({example.log_odds, false, example.is_anchor ? -drawn : 1.0 - drawn});
  }
  const double each = drawn * static_cast<double>(found.hidden.size()) /
                      (partnered_share(found) * std::max<double>(1.0, found.open.size()));
  for (const double odds : found.open) examples.push_back({odds, false, each});
}

// Pairs that were asked about stood near even odds then. Of those whose odds rose since, more are
// wrong than of others at these odds, so a line through them is too flat; one through hidden rows
// alone, which all have a partner, may be too steep. The slope is the mean of the two.
void leave_slope_to(std::size_t hidden, std::size_t first, std::vector<OddsExample>& examples) {
  for (std::size_t i = 0; i < examples.size(); ++i)
    examples[i].tells_slope = i >= first && i < first + hidden;
}

std::vector<OddsExample> examples_of(const BestPairs& found, std::size_t folds,
                                     bool has_attributes) {
  std::vector<OddsExample> examples = found.refused;
  for (OddsExample& example : examples) example.weight = 1.0 / static_cast<double>(folds);
  (has_attributes ? add_open : add_foreign)(found, drawn_share(found, folds), examples);
  if (!has_attributes && !found.refused.empty())
    leave_slope_to(found.hidden.size(), found.refused.size(), examples);
  return examples;
}

}  // namespace

std::vector<std::vector<UserPair>> calibration_folds(std::span<const UserPair> anchors,
                                                     bool were_chosen,
                                                     const PropagationParams& params, Run& run) {
  const bool take_fifths =
      anchors.size() >= kFewAnchors && (were_chosen || anchors.size() < kManyAnchors);
  const int usual = take_fifths ? 5 : 3;
  const auto count =
      static_cast<std::size_t>(params.calibration_folds < 0 ? usual : params.calibration_folds);
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
    const std::size_t of = index_of(side);
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
                               Task& task, Run& run, Progression progression) {
  auto fold = std::make_unique<Fold>();
  fold->hidden = std::move(hidden);
  for (const std::size_t of : {0U, 1U})
    fold->hidden_without_partner[of] = std::move(side.hidden_without_partner[of]);
  std::vector<std::uint8_t> is_hidden(networks.a.user_count(), 0);
  for (const UserPair& anchor : fold->hidden) is_hidden[anchor.a] = 1;
  if (side.known.attributes != nullptr && side.known.attributes->is_open())
    take_partners_out(*fold, side.known);
  std::vector<UserPair> known;
  std::ranges::copy_if(anchors, std::back_inserter(known),
                       [&](const UserPair& anchor) { return !is_hidden[anchor.a]; });
  fold->known = std::move(side.known);
  fold->state = propagate(networks, weights, known, std::move(prior), nullptr, params, task, run,
                          fold->known, progression);
  fold->features = std::make_unique<FeatureMaker>(networks, weights, fold->state, run);
  return fold;
}

void run_again(const NetworkPair& networks, const NetworkWeights& weights, Fold& fold, Prior prior,
               std::span<const UserPair> pseudo_anchors, const PropagationParams& params,
               Task& task, Run& run, Progression progression) {
  fold.features = nullptr;
  const std::vector<UserPair> anchors = fold.state.anchors;
  fold.state = propagate(networks, weights, anchors, std::move(prior), nullptr, params, task, run,
                         fold.known, progression, pseudo_anchors);
  fold.features = std::make_unique<FeatureMaker>(networks, weights, fold.state, run);
}

FittedModel calibrate(const NetworkPair& networks, const LabelSet& labels,
                      std::span<const std::unique_ptr<Fold>> folds, bool has_attributes,
                      const PropagationParams& params, Run& run,
                      std::vector<std::vector<float>>& log_odds_of_folds,
                      std::vector<std::vector<UserPair>>* sure) {
  FittedModel calibration;
  log_odds_of_folds.clear();
  if (folds.empty()) {
    if (has_attributes) calibration.odds.offset = std::log(kOddsByAttributes);
    return calibration;
  }
  Communicator& communicator = communicator_of(run);
  const RowBlocks blocks(networks.a.both().begins, communicator);
  std::vector<ChoiceExamples> examples;
  for (const auto& fold : folds) examples.push_back(examples_in(*fold, blocks, communicator));
  calibration.model = trained_without(examples, folds.size(), params);
  for (const auto& fold : folds)
    calibration.hidden_labels +=
        fold->hidden.size() + fold->bereft.size() + fold->hidden_without_partner[0].size();

  // Each fold is judged by a model that has not seen its labels: with few of them the model fits
  // what it was shown far better than what it will be asked.
  BestPairs found;
  std::vector<std::vector<BestPair>> best(folds.size());
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const PairModel model =
        folds.size() > 1 ? trained_without(examples, fold, params) : calibration.model;
    const std::vector<float>& log_odds = log_odds_of_folds.emplace_back(
        posterior_log_odds(networks, folds[fold]->state, *folds[fold]->features, model, run));
    add_best_pairs(own_best_pairs(*folds[fold], log_odds, labels), communicator, found);
    if (sure != nullptr)
      best[fold] = best_pairs(folds[fold]->state, log_odds, labels, communicator);
  }
  std::vector<OddsExample> all = examples_of(found, folds.size(), has_attributes);
  calibration.odds = fit_odds(all);
  // By the flatter line and without its bound: wrong pseudo-anchors cost more than missing ones,
  // but few hidden labels are no reason to have none.
  for (OddsExample& example : all) example.tells_slope = true;
  calibration.choosing_odds = fit_odds(all);
  calibration.choosing_odds.most = OddsCorrection::kNoBound;
  if (sure != nullptr)
    for (const auto& pairs : best) sure->push_back(sure_pairs(pairs, calibration.choosing_odds));
  return calibration;
}

}  // namespace dalaup
