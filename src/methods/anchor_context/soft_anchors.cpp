#include "methods/anchor_context/soft_anchors.h"

#include <algorithm>
#include <cmath>

namespace dalaup {

std::vector<ContextAnchor> soft_anchors(const RankedLists& lists, UserId users_of_b,
                                        const SoftAnchorOptions& options) {
  constexpr int kSweeps = 8;
  std::vector<std::vector<double>> shares(lists.size());
  for (std::size_t row = 0; row < lists.size(); ++row)
    for (const Candidate& candidate : lists[row].candidates)
      shares[row].push_back(
          std::exp(static_cast<double>(candidate.score - lists[row].candidates.front().score) /
                   options.temperature));
  std::vector<double> row_factors(lists.size(), 1.0);
  std::vector<double> column_factors(users_of_b, 1.0);
  std::vector<double> taken(users_of_b);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::ranges::fill(taken, 0.0);
    for (std::size_t row = 0; row < lists.size(); ++row) {
      const auto& candidates = lists[row].candidates;
      double sum = 0.0;
      for (std::size_t i = 0; i < candidates.size(); ++i)
        sum += shares[row][i] * column_factors[candidates[i].user];
      row_factors[row] = sum > 0.0 ? 1.0 / sum : 0.0;
      for (std::size_t i = 0; i < candidates.size(); ++i)
        taken[candidates[i].user] +=
            row_factors[row] * shares[row][i] * column_factors[candidates[i].user];
    }
    for (std::size_t user = 0; user < taken.size(); ++user)
      column_factors[user] /= std::max(1.0, taken[user]);
  }
  std::vector<ContextAnchor> found;
  for (std::size_t row = 0; row < lists.size(); ++row)
    for (std::size_t i = 0; i < lists[row].candidates.size(); ++i) {
      const UserId user = lists[row].candidates[i].user;
      const double weight = row_factors[row] * shares[row][i] * column_factors[user];
      if (weight >= options.least_weight)
        found.push_back({{lists[row].user, user}, static_cast<float>(std::min(1.0, weight))});
    }
  return found;
}

}  // namespace dalaup
