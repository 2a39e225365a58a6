#include "methods/propagation/settings_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dalaup {
namespace {

constexpr ChosenSettings kOther{.least_match = 0.01, .evidence_damping = 1.2};
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

double rank_of_partner(const Propagated& state, const UserPair& anchor) {
  const auto row = state.lists.pairs.of(anchor.a);
  const auto listed = std::ranges::find(row, anchor.b, &ListedPair::partner);
  if (listed == row.end()) return static_cast<double>(row.size()) + 1.0;
  const auto score = [&](const ListedPair& pair) {
    return state.lists.score(pair) +
           state.plan.temperature *
               std::log(std::max(state.plan.column_scale[pair.partner], 1e-30));
  };
  const double own = score(*listed);
  return 1.0 + static_cast<double>(std::ranges::count_if(
                   row, [&](const ListedPair& pair) { return score(pair) > own; }));
}

}  // namespace

ChosenSettings usual_settings(const PropagationParams& params) {
  ChosenSettings usual;
  if (params.least_match >= 0.0) usual.least_match = params.least_match;
  if (params.evidence_damping >= 0.0) usual.evidence_damping = params.evidence_damping;
  return usual;
}

PropagationParams with(const ChosenSettings& chosen, PropagationParams params) {
  params.least_match = chosen.least_match;
  params.evidence_damping = chosen.evidence_damping;
  return params;
}

bool is_worth_choosing(const NetworkPair& networks, std::span<const std::vector<UserPair>> folds,
                       const PropagationParams& params) {
  if (params.least_match >= 0.0 && params.evidence_damping >= 0.0) return false;
  std::size_t hidden = 0;
  for (const auto& fold : folds) hidden += fold.size();
  return hidden >= kFewestHidden && most_additions(networks) <= kCheapAdditions;
}

ChosenSettings choose_settings(const PropagationParams& params, FoldRuns& runs,
                               const std::function<FoldRuns(const ChosenSettings&)>& run_folds) {
  const ChosenSettings usual = usual_settings(params);
  ChosenSettings chosen = usual;
  double rank = mean_log_rank(runs);
  for (const bool weaker : {false, true})
    for (const bool damped : {false, true}) {
      const bool is_open =
          (!weaker || params.least_match < 0.0) && (!damped || params.evidence_damping < 0.0);
      if (!is_open || !(weaker || damped)) continue;
      const ChosenSettings other{
          .least_match = weaker ? kOther.least_match : usual.least_match,
          .evidence_damping = damped ? kOther.evidence_damping : usual.evidence_damping};
      FoldRuns others = run_folds(other);
      const double others_rank = mean_log_rank(others);
      if (others_rank >= rank) continue;
      rank = others_rank;
      chosen = other;
      runs = std::move(others);
    }
  return chosen;
}

double mean_log_rank(const FoldRuns& runs) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const auto& fold : runs)
    for (const UserPair& anchor : fold->hidden) {
      sum += std::log(rank_of_partner(fold->state, anchor));
      ++count;
    }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

}  // namespace dalaup
