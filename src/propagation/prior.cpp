#include "propagation/prior.h"

#include <algorithm>
#include <numeric>

#include "propagation/accumulator.h"

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerPiece = 32;

// For each anchor the open users of B that meet it.
Rows<WeightedUser> inverted(const Rows<ContextEntry>& contexts, std::size_t vocabulary,
                            const std::vector<std::uint8_t>& is_open) {
  Rows<WeightedUser> users_of;
  users_of.begins.assign(vocabulary + 1, 0);
  for (std::size_t user = 0; user < contexts.size(); ++user)
    if (is_open[user])
      for (const ContextEntry& entry : contexts.of(user)) ++users_of.begins[entry.anchor + 1];
  for (std::size_t anchor = 0; anchor < vocabulary; ++anchor)
    users_of.begins[anchor + 1] += users_of.begins[anchor];
  users_of.items.resize(users_of.begins.back());
  std::vector<std::uint64_t> next(users_of.begins.begin(), users_of.begins.end() - 1);
  for (std::size_t user = 0; user < contexts.size(); ++user)
    if (is_open[user])
      for (const ContextEntry& entry : contexts.of(user))
        users_of.items[next[entry.anchor]++] = {static_cast<UserId>(user), entry.weight};
  return users_of;
}

bool is_stronger(const WeightedUser& left, const WeightedUser& right) {
  return left.weight != right.weight ? left.weight > right.weight : left.user < right.user;
}

}  // namespace

Prior prior_candidates(const NetworkPair& networks, std::span<const UserPair> anchors,
                       const std::vector<std::uint8_t>& open_a,
                       const std::vector<std::uint8_t>& open_b, const PropagationParams& params,
                       Run& run) {
  const UserId users_a = networks.a.user_count();
  const UserId users_b = networks.b.user_count();
  const auto kept = static_cast<std::size_t>(params.prior_candidates);
  const auto open_count =
      static_cast<double>(std::max<std::ptrdiff_t>(1, std::ranges::count(open_b, 1)));
  Prior prior{anchor_context(networks, anchors, params, run),
              {users_a, kept},
              std::vector<PriorRow>(users_a)};
  const Rows<WeightedUser> users_of = inverted(prior.context.b, prior.context.vocabulary, open_b);

  std::vector<Accumulator> sums(static_cast<std::size_t>(run.threads()), Accumulator(users_b));
  run.for_pieces(users_a, kUsersPerPiece, [&](const Piece& piece) {
    Accumulator& sum = sums[static_cast<std::size_t>(piece.worker)];
    std::vector<WeightedUser> best;
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      if (!open_a[user]) continue;
      for (const ContextEntry& entry : prior.context.a.of(user))
        for (const WeightedUser& other : users_of.of(entry.anchor))
          sum.add(other.user, entry.weight * other.weight);
      sum.collect_lines();
      Lanes sums_of_lanes{};  // one per position in a line, so that the compiler vectorises
      Lanes squares_of_lanes{};
      Lanes highest_of_lanes{};
      sum.for_lines([&](std::size_t, const float* values) {
        for (std::size_t i = 0; i < Accumulator::kLine; ++i) {
          sums_of_lanes[i] += values[i];
          squares_of_lanes[i] += values[i] * values[i];
          highest_of_lanes[i] = values[i] > highest_of_lanes[i] ? values[i] : highest_of_lanes[i];
        }
      });
      double total = std::accumulate(sums_of_lanes.begin(), sums_of_lanes.end(), 0.0);
      double squares = std::accumulate(squares_of_lanes.begin(), squares_of_lanes.end(), 0.0);
      const float highest = *std::ranges::max_element(highest_of_lanes);
      best.clear();
      const float threshold = sum.value_near_rank(kept, highest);
      sum.for_lines([&](std::size_t first, const float* values) {
        for (std::size_t i = 0; i < Accumulator::kLine; ++i)
          if (values[i] > threshold) best.push_back({static_cast<UserId>(first + i), values[i]});
      });
      sum.clear();
      if (best.size() > kept) {
        std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(kept),
                                 is_stronger);
        best.resize(kept);
      }
      std::ranges::sort(best, is_stronger);
      prior.best.assign(user, best);
      for (const WeightedUser& candidate : best) {
        total -= candidate.weight;
        squares -= double{candidate.weight} * candidate.weight;
      }
      const double others = std::max(1.0, open_count - static_cast<double>(best.size()));
      prior.rows[user] = {static_cast<float>(std::max(0.0, total) / others),
                          static_cast<float>(std::max(0.0, squares) / others)};
    }
  });
  return prior;
}

}  // namespace dalaup
