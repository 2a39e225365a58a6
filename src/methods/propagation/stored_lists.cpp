#include "methods/propagation/stored_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "methods/propagation/propagation.h"
#include "methods/propagation/row_answers.h"

namespace dalaup {
namespace {

struct Columns {
  std::vector<double> expected;
  std::vector<float> taken;
  std::vector<float> unlisted;
};

// One row, settled as finish() would.
struct Row {
  std::vector<UserId> partners;
  std::vector<float> log_odds;
  std::vector<float> probabilities;
  float taken = 0.0F;
};

bool is_sound(const Columns& columns, UserId users_b) {
  const auto is_finite = [](auto value) { return std::isfinite(value); };
  return columns.expected.size() == users_b && columns.taken.size() == users_b &&
         columns.unlisted.size() == users_b && std::ranges::all_of(columns.expected, is_finite) &&
         std::ranges::all_of(columns.taken, is_finite) &&
         std::ranges::all_of(columns.unlisted, is_finite);
}

class RowsInFile {
 public:
  RowsInFile(StoredModel& model, const Columns& columns)
      : model_(model),
        columns_(columns),
        counts_(model.file().values<std::uint32_t>("propagation.counts")),
        begins_{0},
        odds_(stored_odds(model.file(), "propagation.")) {
    for (const std::uint32_t count : counts_) begins_.push_back(begins_.back() + count);
  }
  bool is_sound() const {
    const ArchiveFile& file = model_.file();
    return odds_.slope > 0.0 && counts_.size() == model_.user_count(Side::kA) &&
           file.count<StoredPair>("propagation.pairs") == begins_.back() &&
           file.count<float>("propagation.log_odds") == begins_.back();
  }
  // Nothing where load() would refuse the row.
  std::optional<Row> of(UserId user) const {
    ArchiveFile& file = model_.file();
    Row row;
    for (const StoredPair& pair :
         file.values<StoredPair>("propagation.pairs", begins_[user], counts_[user])) {
      if (pair.partner >= columns_.taken.size()) return std::nullopt;
      row.partners.push_back(pair.partner);
    }
    row.log_odds = file.values<float>("propagation.log_odds", begins_[user], counts_[user]);
    std::vector<double> chances;
    double expected = 0.0;
    for (std::size_t i = 0; i < row.partners.size(); ++i) {
      if (!std::isfinite(row.log_odds[i])) return std::nullopt;
      const bool is_negative = model_.labels().is_negative({user, row.partners[i]});
      chances.push_back(is_negative ? 0.0 : single_chance(odds_(row.log_odds[i])));
      expected += chances.back();
    }
    for (std::size_t i = 0; i < row.partners.size(); ++i) {
      row.probabilities.push_back(
          settled_chance(chances[i], expected, columns_.expected[row.partners[i]]));
      row.taken += row.probabilities.back();
    }
    return row;
  }

 private:
  StoredModel& model_;
  const Columns& columns_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> begins_;
  OddsCorrection odds_;
};

// As many of the open users of B, by their score beyond the floor, as a list may need.
std::vector<UserId> best_fallbacks(const LabelSet& labels, const std::vector<float>& unlisted,
                                   std::size_t wanted, std::size_t& open_count) {
  std::vector<UserId> order = unanchored_users(labels, Side::kB);
  open_count = order.size();
  wanted = std::min(wanted, order.size());
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::ranges::partial_sort(order, end, [&](UserId left, UserId right) {
    return unlisted[left] != unlisted[right] ? unlisted[left] > unlisted[right] : left < right;
  });
  order.resize(wanted);
  return order;
}

}  // namespace

std::optional<StoredLists> propagation_lists_in(StoredModel& model, std::span<const UserId> users,
                                                std::size_t top) {
  ArchiveFile& file = model.file();
  for (const char* const name : {kExpectedEntry, kTakenEntry, kUnlistedEntry})
    if (!file.has(name)) return std::nullopt;  // of an earlier version
  const Columns columns{file.values<double>(kExpectedEntry), file.values<float>(kTakenEntry),
                        file.values<float>(kUnlistedEntry)};
  if (!is_sound(columns, model.user_count(Side::kB))) return std::nullopt;
  const RowsInFile rows(model, columns);
  if (!rows.is_sound()) return std::nullopt;

  const LabelSet& labels = model.labels();
  std::size_t most_listed = 0;
  std::vector<std::size_t> places(users.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [&](std::size_t place) { return users[place]; });
  std::vector<Row> asked(users.size());
  for (const std::size_t place : places) {  // in the order of the file
    std::optional<Row> row = rows.of(users[place]);
    if (!row) return std::nullopt;
    most_listed = std::max(most_listed, row->partners.size());
    asked[place] = std::move(*row);
  }
  std::size_t open_count = 0;
  const std::vector<UserId> by_fallback = best_fallbacks(
      labels, columns.unlisted, top + most_listed + labels.negatives().size(), open_count);

  StoredLists lists;
  for (std::size_t place = 0; place < users.size(); ++place) {
    const UserId user = users[place];
    const Row& row = asked[place];
    std::vector<Candidate> listed;
    for (std::size_t i = 0; i < row.partners.size(); ++i)
      if (!labels.is_negative({user, row.partners[i]}))
        listed.push_back({row.partners[i], row.log_odds[i]});
    std::ranges::sort(listed, ranks_before);
    const RankedList& ranked = lists.candidates.emplace_back(
        RankedList{user, best_of_listed(
                             std::move(listed), top, by_fallback,
                             [&](UserId candidate) { return labels.is_open(Side::kB, candidate); },
                             [&](UserId candidate) {
                               return labels.is_negative({user, candidate});
                             },
                             [&](UserId candidate) { return columns.unlisted[candidate]; })});
    RankedList& probable = lists.probabilities.emplace_back(ranked);
    for (Candidate& candidate : probable.candidates) {
      double chance = 0.0;
      const auto found = std::ranges::find(row.partners, candidate.user);
      if (const auto answer = labels.answer({user, candidate.user}))
        chance = *answer == Label::kAnchor ? 1.0 : 0.0;
      else if (found != row.partners.end())
        chance = row.probabilities[static_cast<std::size_t>(found - row.partners.begin())];
      else
        chance = unlisted_chance(row.taken, columns.taken[candidate.user], open_count);
      candidate.score = static_cast<float>(clamped_probability(chance));
    }
  }
  return lists;
}

}  // namespace dalaup
