#include "methods/propagation/pair_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/propagation/accumulator.h"

namespace dalaup {
namespace {

constexpr std::size_t kFeaturesPerPiece = 64;
constexpr std::size_t kUsersPerPiece = 1024;
constexpr float kMostAhead = 10.0F;  // of the runner-up, where there is none

// A user's part of the norm that evidence was divided by.
double norm_power(float norm, double damping, double share) {
  return std::pow(norm + damping, 2.0 * share);
}

}  // namespace

std::vector<Sociability> sociability(const Network& network, Run& run) {
  const UserId users = network.user_count();
  std::vector<Sociability> found(users);
  std::vector<std::size_t> degrees(users);
  std::vector<float> logarithms(users);
  for (UserId user = 0; user < users; ++user) {
    degrees[user] = network.degree(user);
    logarithms[user] = std::log1p(static_cast<float>(degrees[user]));
  }
  std::vector<std::size_t> sorted = degrees;
  std::ranges::sort(sorted);
  std::vector<double> means(users, 0.0);
  run.for_pieces(users, kUsersPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      const auto begin = std::ranges::lower_bound(sorted, degrees[user]);
      const auto end = std::ranges::upper_bound(sorted, degrees[user]);
      const auto twice_rank = (begin - sorted.begin()) + (end - sorted.begin());
      found[user].rank =
          static_cast<float>(0.5 * static_cast<double>(twice_rank) / static_cast<double>(users));
      for (const UserId neighbour : network.neighbours(static_cast<UserId>(user)))
        means[user] += logarithms[neighbour];
      means[user] /= static_cast<double>(std::max<std::size_t>(1, degrees[user]));
    }
  });
  double sum = 0.0;
  double squares = 0.0;
  for (const double mean : means) sum += mean;
  const double centre = sum / std::max<UserId>(1, users);
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  const double deviation = std::sqrt(squares / std::max<UserId>(1, users)) + 1e-9;
  for (UserId user = 0; user < users; ++user)
    found[user].neighbours = static_cast<float>((means[user] - centre) / deviation);
  return found;
}

FeatureMaker::FeatureMaker(const NetworkPair& networks, const NetworkWeights& weights,
                           const Propagated& state, Run& run)
    : networks_(networks),
      state_(state),
      sociability_a_(sociability(networks.a, run)),
      sociability_b_(sociability(networks.b, run)),
      columns_(networks.b.user_count()) {
  ColumnRanks in_columns = column_ranks(state.lists, networks.b.user_count(), run);
  column_ranks_ = std::move(in_columns.ranks);
  run.for_pieces(columns_.size(), kFeaturesPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      Column& column = columns_[user];
      column.rivals = in_columns.best[user];
      column.log_scale = std::log(std::max(state.plan.column_scale[user], 1e-30));
      column.log_degree = std::log1p(networks.b.degree(static_cast<UserId>(user)));
      column.log_norm = std::log1p(state.norms.b[user]);
      column.norm_power = norm_power(state.norms.b[user], state.damping, 1.0 - state.balance);
    }
  });
  log_ranks_.resize(std::max(state.lists.pairs.capacity(), in_columns.longest));
  for (std::size_t rank = 0; rank < log_ranks_.size(); ++rank)
    log_ranks_[rank] = std::log1p(static_cast<double>(rank));
  if (networks.a.is_directed() && networks.b.is_directed()) {
    out_evidence_ =
        directed_evidence(networks.a.out(), networks.b.out(), networks.b.in(), weights, run);
    in_evidence_ =
        directed_evidence(networks.a.in(), networks.b.in(), networks.b.out(), weights, run);
  }
}

std::vector<float> FeatureMaker::directed_evidence(const Adjacency& edges_a,
                                                   const Adjacency& edges_b,
                                                   const Adjacency& reverse_b,
                                                   const NetworkWeights& weights, Run& run) const {
  const Rows<WeightedUser>& matched = state_.matched;
  const PairLists& lists = state_.lists;
  std::vector<float> mass_a(networks_.a.user_count(), 0.0F);
  std::vector<float> mass_b(networks_.b.user_count(), 0.0F);
  for (std::size_t user = 0; user < matched.size(); ++user)
    for (const WeightedUser& match : matched.of(user)) {
      mass_a[user] += match.weight;
      mass_b[match.user] += match.weight;
    }
  const auto factors = [&](const Adjacency& edges, std::span<const float> weight,
                           std::span<const float> mass, double exponent) {
    std::vector<float> factor(mass.size());
    run.for_pieces(mass.size(), 1024, [&](const Piece& piece) {
      for (std::size_t user = piece.begin; user < piece.end; ++user) {
        double sum = 0.0;
        for (const UserId neighbour : edges.of(static_cast<UserId>(user)))
          sum += double{weight[neighbour]} * weight[neighbour] * mass[neighbour];
        factor[user] =
            static_cast<float>(std::pow(std::sqrt(sum) + state_.damping, -2.0 * exponent));
      }
    });
    return factor;
  };
  const auto factor_a = factors(edges_a, weights.a, mass_a, state_.balance);
  const auto factor_b = factors(edges_b, weights.b, mass_b, 1.0 - state_.balance);
  std::vector<float> evidence(lists.pairs.room(), 0.0F);
  std::vector<Accumulator> sums(static_cast<std::size_t>(run.threads()),
                                Accumulator(networks_.b.user_count()));
  for_rows(run, lists.pairs.rows(), kFeaturesPerPiece, [&](const Piece& piece) {
    Accumulator& sum = sums[static_cast<std::size_t>(piece.worker)];
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      const auto pairs = lists.pairs.of(user);
      if (pairs.empty()) continue;
      for (const UserId neighbour : edges_a.of(static_cast<UserId>(user)))
        for (const WeightedUser& match : matched.of(neighbour)) {
          const float amount = weights.a[neighbour] * match.weight * weights.b[match.user];
          sum.add(reverse_b.of(match.user), amount);
        }
      for (std::size_t i = 0; i < pairs.size(); ++i)
        evidence[lists.pairs.begin_of(user) + i] =
            sum[pairs[i].partner] * factor_a[user] * factor_b[pairs[i].partner];
      sum.collect_lines();
      sum.clear();
    }
  });
  return evidence;
}

void FeatureMaker::describe(UserId user, std::vector<PairFeatures>& described,
                            UserFeatures& none) const {
  const PairLists& lists = state_.lists;
  const auto pairs = lists.pairs.of(user);
  const double temperature = state_.plan.temperature;
  described.assign(pairs.size(), {});
  std::vector<double> scores(pairs.size());
  std::vector<std::uint32_t> order(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    scores[i] = lists.score(pairs[i]) + temperature * columns_[pairs[i].partner].log_scale;
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t left, std::uint32_t right) {
    return scores[left] != scores[right] ? scores[left] > scores[right]
                                         : pairs[left].partner < pairs[right].partner;
  });
  const double best = pairs.empty() ? 0.0 : scores[order[0]];
  const double second = pairs.size() < 2 ? 0.0 : scores[order[1]];
  double total = 0.0;
  for (const double score : scores) total += std::exp((score - best) / temperature);
  const double log_total = std::log(total);
  const double log_degree = std::log1p(networks_.a.degree(user));
  const double power = norm_power(state_.norms.a[user], state_.damping, state_.balance);

  float highest = -1e30F;  // of the attributes
  float runner_up = -1e30F;
  for (const ListedPair& pair : pairs) {
    runner_up = std::max(runner_up, std::min(highest, pair.attributes));
    highest = std::max(highest, pair.attributes);
  }
  runner_up = std::max(runner_up, highest - kMostAhead);

  for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
    const std::size_t i = order[rank];
    const ListedPair& pair = pairs[i];
    const std::uint64_t position = lists.pairs.begin_of(user) + i;
    const float score = lists.score(pair);
    const Column& column = columns_[pair.partner];
    const ColumnBest& rivals = column.rivals;
    const float rival = rivals.best_user == user ? rivals.second : rivals.best;
    const auto root = [&](const std::vector<float>& evidence) {
      return evidence.empty() ? 0.0 : std::sqrt(double{evidence[position]});
    };
    const std::array<double, kPairFeatures> values{
        score,
        pair.evidence,
        pair.prior,
        std::clamp(column.log_scale, -20.0, 20.0),
        std::sqrt(double{pair.evidence}),
        std::clamp(scores[i] - (rank == 0 ? second : best), -1.0, 1.0),
        std::clamp(double{score} - rival, -1.0, 1.0),
        log_ranks_[rank],
        log_ranks_[column_ranks_[position]],
        std::log1p(pair.evidence * power * column.norm_power),
        column.log_norm,
        column.log_degree,
        std::abs(log_degree - column.log_degree),
        std::max(-12.0, (scores[i] - best) / temperature - log_total),
        rivals.best_user == user && rank == 0 ? 1.0 : 0.0,
        root(out_evidence_),
        root(in_evidence_),
        pair.attributes,
        pair.attributes - (pair.attributes < highest ? highest : runner_up),
        std::abs(sociability_a_[user].rank - sociability_b_[pair.partner].rank),
        std::abs(sociability_a_[user].neighbours - sociability_b_[pair.partner].neighbours)};
    std::ranges::transform(values, described[i].begin(),
                           [](double value) { return static_cast<float>(value); });
  }
  none = {1.0F, static_cast<float>(log_degree),
          static_cast<float>(std::log1p(state_.norms.a[user])),
          static_cast<float>(std::max(0.0, best)), static_cast<float>(std::log1p(total))};
}

}  // namespace dalaup
