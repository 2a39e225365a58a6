// What a model file keeps of a fitted propagation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/propagation/propagation_aligner.h"
#include "methods/propagation/row_answers.h"
#include "methods/propagation/stored_lists.h"

namespace dalaup {
namespace {

struct StoredOdds {
  UserPair pair;
  float log_odds;
};

}  // namespace

void PropagationAligner::save(ArchiveWriter& archive) const {
  const BoundedRows<ListedPair>& lists = state_.lists.pairs;
  const RowRange own = lists.rows();
  std::uint64_t pairs = 0;
  for (std::size_t user = own.begin; user < own.end; ++user) pairs += lists.of(user).size();
  Communicator& ranks = ranks_ != nullptr ? *ranks_ : communicator_of(Run());
  put_rows<std::uint32_t>(archive, "propagation.counts", own, own.size(), ranks,
                          [&](std::size_t user, std::vector<std::uint32_t>& counts) {
                            counts.push_back(static_cast<std::uint32_t>(lists.of(user).size()));
                          });
  put_rows<StoredPair>(archive, "propagation.pairs", own, pairs, ranks,
                       [&](std::size_t user, std::vector<StoredPair>& stored) {
                         for (const ListedPair& pair : lists.of(user))
                           stored.push_back({pair.partner, pair.prior, pair.evidence});
                       });
  if (state_.attributes != nullptr)
    put_rows<float>(archive, "propagation.attributes", own, pairs, ranks,
                    [&](std::size_t user, std::vector<float>& ratios) {
                      for (const ListedPair& pair : lists.of(user))
                        ratios.push_back(pair.attributes);
                    });
  put_rows<float>(archive, "propagation.log_odds", own, pairs, ranks,
                  [&](std::size_t user, std::vector<float>& log_odds) {
                    const auto of_user =
                        std::span(log_odds_).subspan(lists.begin_of(user), lists.of(user).size());
                    log_odds.insert(log_odds.end(), of_user.begin(), of_user.end());
                  });
  if (has_opinions_)
    put_rows<float>(archive, "propagation.opinions", own, pairs, ranks,
                    [&](std::size_t user, std::vector<float>& opinions) {
                      const auto of_user =
                          std::span(opinions_).subspan(lists.begin_of(user), lists.of(user).size());
                      opinions.insert(opinions.end(), of_user.begin(), of_user.end());
                    });
  save_columns(archive);
  save_trust(archive);
  archive.put("propagation.matched_begins", state_.matched.begins);
  archive.put("propagation.matched", state_.matched.items);
  archive.put("propagation.balance", state_.balance);
  archive.put("propagation.consensus", static_cast<std::int64_t>(is_consensus_ ? 1 : 0));
  archive.put("propagation.model", calibration_.model.to_values());
  const auto put_odds = [&](const std::string& prefix, const OddsCorrection& odds) {
    archive.put(prefix + "odds_slope", odds.slope);
    archive.put(prefix + "odds_offset", odds.offset);
    archive.put(prefix + "odds_most", odds.most);
  };
  put_odds("propagation.", calibration_.odds);
  archive.put("propagation.hidden_labels", static_cast<std::int64_t>(calibration_.hidden_labels));
  const auto put_for_refits = [&](const std::string& prefix, const FittedModel& calibration) {
    archive.put(prefix + "model", calibration.model.to_values());
    put_odds(prefix, calibration.odds);
    archive.put(prefix + "hidden_labels", static_cast<std::int64_t>(calibration.hidden_labels));
    put_odds(prefix + "choosing_", calibration.choosing_odds);
  };
  put_for_refits("propagation.first_", first_calibration_);
  if (second_calibration_) put_for_refits("propagation.second_", *second_calibration_);
  archive.put("propagation.calibrated_anchors", static_cast<std::int64_t>(calibrated_labels_));
}

// As finish() computes them, in the same order, from the rows of all ranks.
void PropagationAligner::save_columns(ArchiveWriter& archive) const {
  constexpr std::size_t kRowsAtOnce = 4096;
  Communicator& ranks = ranks_ != nullptr ? *ranks_ : communicator_of(Run());
  const BoundedRows<ListedPair>& lists = state_.lists.pairs;
  const auto for_pairs = [&](const auto& visit) {
    visit_rows<StoredOdds>(
        ranks, lists.rows(), kRowsAtOnce,
        [&](std::size_t row, std::vector<StoredOdds>& odds) {
          const auto user = static_cast<UserId>(row);
          for (std::size_t i = 0; i < lists.of(row).size(); ++i)
            odds.push_back({{user, lists.of(row)[i].partner}, log_odds_[lists.begin_of(row) + i]});
        },
        [&](std::span<const StoredOdds> part) {
          for (const StoredOdds& odds : part)
            if (!labels_.is_negative(odds.pair))
              visit(odds.pair, single_chance(calibration_.odds(odds.log_odds)));
        });
  };
  const UserId users_b = networks_->b.user_count();
  std::vector<double> expected_a(networks_->a.user_count(), 0.0);
  std::vector<double> expected_b(users_b, 0.0);
  std::vector<float> taken(users_b, 0.0F);
  for_pairs([&](UserPair pair, double chance) {
    expected_a[pair.a] += chance;
    expected_b[pair.b] += chance;
  });
  for_pairs([&](UserPair pair, double chance) {
    taken[pair.b] += settled_chance(chance, expected_a[pair.a], expected_b[pair.b]);
  });
  std::vector<float> unlisted(users_b);
  for (UserId user = 0; user < users_b; ++user)
    unlisted[user] = unlisted_score_of(taken[user], networks_->b.degree(user));
  archive.put(kExpectedEntry, expected_b);
  archive.put(kTakenEntry, taken);
  archive.put(kUnlistedEntry, unlisted);
}

void PropagationAligner::load(const ArchiveReader& archive, const NetworkPair& networks,
                              const LabelSet& labels) {
  const auto counts = archive.values<std::uint32_t>("propagation.counts");
  const auto stored = archive.values<StoredPair>("propagation.pairs");
  std::vector<float> ratios(stored.size(), 0.0F);
  if (archive.has("propagation.attributes"))
    ratios = archive.values<float>("propagation.attributes");
  const auto log_odds = archive.values<float>("propagation.log_odds");
  has_opinions_ = archive.has("propagation.opinions");
  std::vector<float> opinions(stored.size(), 0.0F);
  if (has_opinions_) opinions = archive.values<float>("propagation.opinions");
  const auto foreign = [&](const char* what) {
    return InputError(archive.path(), 0,
                      fmt::format("found {} that do not fit the networks", what));
  };
  const auto count_in = [&](const char* name) {
    const std::int64_t count = archive.whole_number(name);
    if (count < 0) throw foreign(name);
    return static_cast<std::size_t>(count);
  };
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (counts.size() != networks.a.user_count() || total != stored.size() ||
      total != ratios.size() || total != log_odds.size() || total != opinions.size())
    throw foreign("candidate lists");
  std::vector<ListedPair> pairs;
  for (std::size_t i = 0; i < stored.size(); ++i)
    pairs.push_back({stored[i].partner, stored[i].prior, stored[i].evidence, ratios[i]});
  state_ = {};
  ranks_ = nullptr;
  params_.checkpoint.clear();  // a model must not choose files that are written
  state_.matched.begins = archive.values<std::uint64_t>("propagation.matched_begins");
  state_.matched.items = archive.values<WeightedUser>("propagation.matched");
  if (state_.matched.size() != networks.a.user_count() ||
      !std::ranges::is_sorted(state_.matched.begins) || state_.matched.begins.front() != 0 ||
      state_.matched.begins.back() != state_.matched.items.size())
    throw foreign("matched users");
  const UserId users_b = networks.b.user_count();
  if (archive.has(kUnlistedEntry) &&  // of earlier versions: not there; made anew here
      (archive.values<double>(kExpectedEntry).size() != users_b ||
       archive.values<float>(kTakenEntry).size() != users_b ||
       archive.values<float>(kUnlistedEntry).size() != users_b))
    throw foreign("sums by user of B");
  const auto is_foreign = [&](UserId user) { return user >= networks.b.user_count(); };
  if (std::ranges::any_of(pairs, is_foreign, &ListedPair::partner) ||
      std::ranges::any_of(state_.matched.items, is_foreign, &WeightedUser::user))
    throw foreign("users");
  const auto is_finite = [](float value) { return std::isfinite(value); };
  const auto is_modest = [](float value) { return std::abs(value) <= 1000.0F; };  // false: NaN too
  if (!std::ranges::all_of(pairs, is_finite, &ListedPair::prior) ||
      !std::ranges::all_of(pairs, is_finite, &ListedPair::evidence) ||
      !std::ranges::all_of(pairs, is_finite, &ListedPair::attributes) ||
      !std::ranges::all_of(log_odds, is_finite) || !std::ranges::all_of(opinions, is_modest) ||
      !std::ranges::all_of(state_.matched.items, is_finite, &WeightedUser::weight))
    throw foreign("numbers");

  const std::uint32_t capacity = counts.empty() ? 0 : *std::ranges::max_element(counts);
  // Rows take the room of the longest: a crafted one must not take more than the others may.
  constexpr std::uint64_t kRoomPerItem = 128;
  if (counts.size() * std::uint64_t{capacity} > kRoomPerItem * (total + counts.size()))
    throw foreign("lengths of candidate lists");
  state_.lists.pairs = {counts.size(), capacity};
  state_.lists.prior_weight = static_cast<float>(params_.prior_weight);
  state_.lists.attribute_weight = static_cast<float>(params_.ranking_temperature);
  log_odds_.assign(counts.size() * capacity, 0.0F);
  opinions_.assign(has_opinions_ ? log_odds_.size() : 0, 0.0F);
  std::size_t first = 0;
  for (std::size_t user = 0; user < counts.size(); ++user) {
    state_.lists.pairs.assign(user, std::span(pairs).subspan(first, counts[user]));
    std::copy_n(log_odds.begin() + static_cast<std::ptrdiff_t>(first), counts[user],
                log_odds_.begin() + static_cast<std::ptrdiff_t>(user * capacity));
    if (has_opinions_)
      std::copy_n(opinions.begin() + static_cast<std::ptrdiff_t>(first), counts[user],
                  opinions_.begin() + static_cast<std::ptrdiff_t>(user * capacity));
    first += counts[user];
  }
  state_.balance = archive.number("propagation.balance");
  is_consensus_ = params_.consensus == "yes" ||
                  (archive.has("propagation.consensus") && count_in("propagation.consensus") == 1);
  const auto read_calibration = [&](const std::string& prefix, FittedModel& calibration) {
    calibration.model.from_values(archive.values<double>(prefix + "model"));
    const auto read_odds = [&](const std::string& of) {
      const OddsCorrection odds = stored_odds(archive, of);
      if (odds.slope <= 0.0) throw foreign("probabilities");
      return odds;
    };
    calibration.odds = read_odds(prefix);
    calibration.choosing_odds = archive.has(prefix + "choosing_odds_slope")
                                    ? read_odds(prefix + "choosing_")
                                    : calibration.odds;
    calibration.hidden_labels = count_in((prefix + "hidden_labels").c_str());
  };
  read_calibration("propagation.", calibration_);
  // Models from before there were two runs go on with one.
  first_calibration_ = calibration_;
  if (archive.has("propagation.first_model"))
    read_calibration("propagation.first_", first_calibration_);
  second_calibration_ = std::nullopt;
  if (archive.has("propagation.second_model"))
    read_calibration("propagation.second_", second_calibration_.emplace());
  calibrated_labels_ = count_in("propagation.calibrated_anchors");
  if (networks.attributes == nullptr && archive.has("propagation.field_trust"))
    throw foreign("attributes");
  load_trust(archive);
  gains_ = nullptr;
  compared_ = nullptr;
  labels_ = labels;
  weights_ = {neighbour_weights(networks.a), neighbour_weights(networks.b)};
  networks_ = &networks;
  finish();
}

}  // namespace dalaup
