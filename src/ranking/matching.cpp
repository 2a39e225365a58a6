#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ranking/assignment.h"
#include "ranking/ranking.h"

namespace dalaup {
namespace {

// Probabilities above the least one as whole-number gains.
SparseGains gains_of(const RankedLists& lists, double least_probability) {
  constexpr double kUnit = 1 << 30;
  SparseGains gains;
  UserId largest_user = 0;
  for (const RankedList& list : lists) {
    largest_user = std::max(largest_user, list.user);
    for (const auto& [candidate, score] : list.candidates) {
      const auto probability = static_cast<double>(score);
      if (!(probability >= 0.0 && probability <= 1.0))
        throw ParameterError(
            fmt::format("matching: found {} for pair ({}, {}), expected a probability from 0 to 1",
                        probability, list.user, candidate));
      // A pair exactly as likely as demanded still counts, if only by one unit.
      const std::int64_t gain =
          probability < least_probability || probability == 0.0
              ? 0
              : std::max<std::int64_t>(1, std::llround((probability - least_probability) * kUnit));
      if (gain == 0) continue;
      gains.rows.items.push_back({candidate, gain});
      gains.column_count = std::max(gains.column_count, candidate + 1);
    }
    gains.rows.end_row();
  }
  std::vector<bool> is_listed(lists.empty() ? 0 : std::size_t{largest_user} + 1, false);
  for (const RankedList& list : lists) {
    if (is_listed[list.user])
      throw ParameterError(fmt::format("matching: found two lists for user {}", list.user));
    is_listed[list.user] = true;
  }
  return gains;
}

}  // namespace

std::vector<Match> one_to_one(const RankedLists& probabilities, const MatchingParams& params,
                              Run& run) {
  check_fields(params);
  const Assignment assignment =
      best_assignment(gains_of(probabilities, params.least_probability), run);
  std::vector<Match> matches;
  for (std::size_t row = 0; row < probabilities.size(); ++row) {
    const UserId partner = assignment.column_of_row[row];
    if (partner == Assignment::kNone) continue;
    const auto& candidates = probabilities[row].candidates;
    const auto found = std::ranges::find(candidates, partner, &Candidate::user);
    matches.push_back({{probabilities[row].user, partner}, static_cast<double>(found->score)});
  }
  std::ranges::sort(matches, {}, &Match::pair);
  return matches;
}

}  // namespace dalaup
