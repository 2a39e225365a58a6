// Pairs outside of the lists. The value of a pair depends on its probability and, in most
// strategies, on weights of its two users (degrees, what a yes rules out), so the best pair of a
// heavy user may stand behind its list. Where probabilities fall along lists, a pair in neither
// user's list is at most as likely as the last of both lists, which bounds its value. The batch
// of the listed pairs has a lowest value; every other pair whose bound is above it is evaluated
// and the batch made again, which is then the batch of all pairs. Two limits keep this from
// running away on large networks, where users and pairs of the highest bounds go first.
//
// Where probabilities do not follow scores (eq. 6 beside the cosine), lists by score bound nothing:
// every row of probabilities is looked at, and of each user of A as many pairs kept as a batch can
// need.
#include <algorithm>
#include <limits>

#include "query/strategy.h"

namespace dalaup {
namespace {

constexpr std::size_t kMostBounds = 20'000'000;  // pairs of users whose bound is looked at
constexpr std::size_t kMostEvaluated = 200'000;  // pairs whose probability is asked for
constexpr std::size_t kPairsPerPiece = 2048;
constexpr std::size_t kUsersPerPiece = 16;

struct BoundedUser {
  UserId user;
  double last_listed;
  double weight;
  double highest;  // with the heaviest user of the other side
};

// Users that may be in a pair outside of their list worth more than `lowest`, highest first.
std::vector<BoundedUser> users_above(const Scene& scene, const ValueBound& bound, Side side,
                                     double lowest) {
  const std::vector<double>& own = side == Side::kA ? bound.weight_a : bound.weight_b;
  const std::vector<double>& others = side == Side::kA ? bound.weight_b : bound.weight_a;
  const double heaviest = others.empty() ? 0.0 : std::ranges::max(others);
  const std::vector<double>& last = scene.last_listed[index_of(side)];
  std::vector<BoundedUser> users;
  for (const UserId user : scene.situation.pool.users(side, scene.situation.labels)) {
    if (last[user] == 0.0) continue;
    const double weight = own.empty() ? 0.0 : own[user];
    const double highest = side == Side::kA ? bound.highest(last[user], weight, heaviest)
                                            : bound.highest(last[user], heaviest, weight);
    if (highest > lowest) users.push_back({user, last[user], weight, highest});
  }
  std::ranges::sort(users, [](const BoundedUser& left, const BoundedUser& right) {
    return left.highest != right.highest ? left.highest > right.highest : left.user < right.user;
  });
  return users;
}

struct BoundedPair {
  double highest;
  UserPair pair;
};

void evaluate(const Scene& scene, std::span<CandidatePair> pairs) {
  const Aligner& aligner = scene.situation.aligner;
  scene.run.for_pieces(pairs.size(), kPairsPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      pairs[i].probability = clamp_probability(aligner.probability(pairs[i].pair));
  });
}

// Of every user of A the unlisted pairs of the highest values, if these are above `lowest`. As many
// as questions in the batch: others can take at most one user of B each.
std::vector<CandidatePair> best_of_all_rows(const Scene& scene, const Proposal& proposal,
                                            double lowest) {
  const Aligner& aligner = scene.situation.aligner;  // clang 14 captures no structured bindings
  const LabelSet& labels = scene.situation.labels;
  const Pool& pool = scene.situation.pool;
  const std::vector<UserId> users_a = pool.users(Side::kA, labels);
  const std::vector<UserId> users_b = pool.users(Side::kB, labels);
  const auto discount = proposal.discount ? proposal.discount() : nullptr;
  const auto value_of = [&](const CandidatePair& candidate) {
    const double value = proposal.value(candidate);
    return discount ? discount->value({candidate, value}) : value;
  };
  std::vector<std::vector<CandidatePair>> of_user(users_a.size());
  scene.run.for_pieces(users_a.size(), kUsersPerPiece, [&](const Piece& piece) {
    std::vector<float> probabilities(labels.user_count(Side::kB));
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      aligner.probability_row(Side::kA, users_a[i], probabilities);
      std::vector<std::pair<double, CandidatePair>> found;
      for (const UserId b : users_b) {
        const CandidatePair candidate{
            .pair = {users_a[i], b},
            .probability = clamp_probability(static_cast<double>(probabilities[b]))};
        const double value = value_of(candidate);
        if (value > lowest && pool.may_ask(candidate.pair, labels) &&
            !std::ranges::binary_search(scene.pairs, candidate.pair, {}, &CandidatePair::pair))
          found.emplace_back(value, candidate);
      }
      const std::size_t count = std::min(found.size(), scene.batch_size);
      std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(count),
                                [](const auto& left, const auto& right) {
                                  return left.first != right.first
                                             ? left.first > right.first
                                             : left.second.pair < right.second.pair;
                                });
      for (std::size_t k = 0; k < count; ++k) of_user[i].push_back(found[k].second);
    }
  });
  std::vector<CandidatePair> all;
  for (const auto& pairs : of_user) all.insert(all.end(), pairs.begin(), pairs.end());
  evaluate(scene, all);
  return all;
}

}  // namespace

std::function<std::vector<CandidatePair>(const Scene&, double)> unlisted_by_bound(
    ValueBound bound) {
  return [bound = std::move(bound)](const Scene& scene, double lowest) {
    std::vector<BoundedUser> users_a = users_above(scene, bound, Side::kA, lowest);
    std::vector<BoundedUser> users_b = users_above(scene, bound, Side::kB, lowest);
    while (users_a.size() * users_b.size() > kMostBounds) {
      auto& larger = users_a.size() > users_b.size() ? users_a : users_b;
      larger.resize(larger.size() / 2);
    }
    std::vector<BoundedPair> found;
    for (const BoundedUser& a : users_a)
      for (const BoundedUser& b : users_b) {
        const double highest =
            bound.highest(std::min(a.last_listed, b.last_listed), a.weight, b.weight);
        const UserPair pair{a.user, b.user};
        if (highest > lowest && scene.situation.pool.may_ask(pair, scene.situation.labels) &&
            !std::ranges::binary_search(scene.pairs, pair, {}, &CandidatePair::pair))
          found.push_back({highest, pair});
      }
    if (found.size() > kMostEvaluated) {
      std::ranges::nth_element(found, found.begin() + kMostEvaluated,
                               [](const BoundedPair& left, const BoundedPair& right) {
                                 return left.highest != right.highest ? left.highest > right.highest
                                                                      : left.pair < right.pair;
                               });
      found.resize(kMostEvaluated);
    }
    std::vector<CandidatePair> pairs;
    pairs.reserve(found.size());
    for (const BoundedPair& one : found) pairs.push_back({.pair = one.pair});
    evaluate(scene, pairs);
    return pairs;
  };
}

Proposal score_by_weight(
    const Scene& scene, ValueBound bound,
    std::function<double(double probability, double weight_a, double weight_b)> value) {
  Proposal proposal =
      score_each(scene, [value = std::move(value), weight_a = bound.weight_a,
                         weight_b = bound.weight_b](const CandidatePair& candidate) {
        return value(candidate.probability, weight_a[candidate.pair.a], weight_b[candidate.pair.b]);
      });
  proposal.unlisted = unlisted_by_bound(std::move(bound));
  return proposal;
}

std::vector<Question> make_best_batch(const Strategy& strategy, const Scene& scene) {
  Proposal proposal = strategy.propose(scene);
  std::vector<Question> batch = make_batch(strategy, scene, proposal);
  // Candidates of a pick question are the likeliest of their user, which its list holds.
  if (!proposal.unlisted || scene.picks() || batch.empty()) return batch;
  const double lowest = batch.size() < scene.batch_size ? -std::numeric_limits<double>::infinity()
                                                        : batch.back().score;
  const bool lists_bound =
      proposal.values_follow_scores || scene.situation.aligner.probabilities_follow_scores();
  const std::vector<CandidatePair> further =
      lists_bound ? proposal.unlisted(scene, lowest) : best_of_all_rows(scene, proposal, lowest);
  if (further.empty()) return batch;
  for (const CandidatePair& candidate : further)
    proposal.pairs.push_back({candidate, proposal.value(candidate)});
  return make_batch(strategy, scene, proposal);
}

}  // namespace dalaup
