#include "methods/propagation/consensus_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dalaup {
namespace {

constexpr std::size_t kFewestHidden = 60;
constexpr std::size_t kCheapAdditions = 4'000'000;

std::vector<std::size_t> falling_degrees(const Network& network) {
  std::vector<std::size_t> degrees(network.user_count());
  for (UserId user = 0; user < network.user_count(); ++user) degrees[user] = network.degree(user);
  std::ranges::sort(degrees, std::greater<>{});
  return degrees;
}

// The most additions of evidence that a round with everybody matched may take.
std::size_t most_additions(const NetworkPair& networks) {
  const auto degrees_a = falling_degrees(networks.a);
  const auto degrees_b = falling_degrees(networks.b);
  std::size_t additions = 0;
  for (std::size_t i = 0; i < std::min(degrees_a.size(), degrees_b.size()); ++i)
    additions += degrees_a[i] * degrees_b[i];
  return additions;
}

std::uint64_t rank_of_partner(const Propagated& state, const UserPair& anchor) {
  const auto row = state.lists.pairs.of(anchor.a);
  const auto listed = std::ranges::find(row, anchor.b, &ListedPair::partner);
  if (listed == row.end()) return row.size() + 1;
  const auto score = [&](const ListedPair& pair) {
    return state.lists.score(pair) +
           state.plan.temperature *
               std::log(std::max(state.plan.column_scale[pair.partner], 1e-30));
  };
  const double own = score(*listed);
  return 1 + static_cast<std::uint64_t>(std::ranges::count_if(
                 row, [&](const ListedPair& pair) { return score(pair) > own; }));
}

}  // namespace

bool is_consensus_cheap(const NetworkPair& networks, const PropagationParams& params) {
  return params.consensus == "auto" && consensus_members(params).size() > 1 &&
         most_additions(networks) <= kCheapAdditions;
}

bool can_judge_consensus(std::span<const std::vector<UserPair>> folds) {
  std::size_t hidden = 0;
  for (const auto& fold : folds) hidden += fold.size();
  return hidden >= kFewestHidden;
}

std::vector<double> log_ranks(const FoldRuns& runs, Communicator& communicator) {
  std::vector<std::uint64_t> ranks;  // of all hidden partners; 0 where another rank knows it
  for (const auto& fold : runs)
    for (const UserPair& anchor : fold->hidden)
      ranks.push_back(fold->state.lists.pairs.rows().contains(anchor.a)
                          ? rank_of_partner(fold->state, anchor)
                          : 0);
  communicator.allreduce(ranks);
  std::vector<double> logarithms;
  for (const std::uint64_t rank : ranks) logarithms.push_back(std::log(static_cast<double>(rank)));
  return logarithms;
}

bool is_one_better(std::span<const double> one, std::span<const double> consensus) {
  const auto count = static_cast<double>(one.size());
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double gain = consensus[i] - one[i];
    sum += gain;
    squares += gain * gain;
  }
  if (one.size() < 2 || sum <= 0.0) return false;
  const double variance = (squares - sum * sum / count) / (count - 1.0);
  return sum / count > std::sqrt(std::max(0.0, variance) / count);
}

}  // namespace dalaup
