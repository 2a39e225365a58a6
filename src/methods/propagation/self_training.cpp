#include "methods/propagation/self_training.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace dalaup {
namespace {

constexpr double kSure = 0.8;  // probability of a pseudo-anchor

}  // namespace

std::vector<BestPair> best_pairs(const Propagated& state, std::span<const float> log_odds,
                                 const LabelSet& labels, Communicator& communicator) {
  const BoundedRows<ListedPair>& lists = state.lists.pairs;
  std::vector<BestPair> found;
  for (std::size_t row = lists.rows().begin; row < lists.rows().end; ++row) {
    const auto listed = lists.of(row);
    if (listed.empty()) continue;
    const auto odds = log_odds.subspan(lists.begin_of(row), listed.size());
    const auto best = static_cast<std::size_t>(std::ranges::max_element(odds) - odds.begin());
    const UserPair pair{static_cast<UserId>(row), listed[best].partner};
    if (!labels.is_negative(pair)) found.push_back({pair, odds[best]});
  }
  return gather_all(communicator, std::move(found));
}

std::vector<UserPair> sure_pairs(std::vector<BestPair> pairs, const OddsCorrection& odds) {
  const double least = std::log(kSure / (1.0 - kSure));
  std::erase_if(pairs, [&](const BestPair& best) { return !(odds(best.log_odds) >= least); });
  std::ranges::sort(pairs, [](const BestPair& left, const BestPair& right) {
    return left.log_odds != right.log_odds ? left.log_odds > right.log_odds
                                           : left.pair < right.pair;
  });
  std::vector<UserPair> sure;
  std::unordered_set<UserId> taken;
  for (const BestPair& best : pairs)
    if (taken.insert(best.pair.b).second) sure.push_back(best.pair);
  return sure;
}

}  // namespace dalaup
