// Questions without a model: hubs of A with the users of B that stand alike in their network. Each
// user is described by nine structural features, each as -log of the share of users that have at
// least as much of it, so that what counts is how far up somebody stands, and most of all at the
// top. It finds partners where the networks are near copies and next to nothing elsewhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "query/query.h"

namespace dalaup {
namespace {

constexpr std::size_t kFeatures = 9;
using Features = std::array<double, kFeatures>;
constexpr int kPowerSteps = 50;
constexpr double kDamping = 0.85;

// The largest k for which the user belongs to a part where everybody has k neighbours: users are
// taken away in the order of what is left of their degree, by buckets.
std::vector<double> core_numbers(const Network& network) {
  const UserId users = network.user_count();
  std::vector<std::uint32_t> degree(users);
  std::uint32_t most = 0;
  for (UserId user = 0; user < users; ++user)
    most = std::max(most, degree[user] = network.degree(user));
  std::vector<std::size_t> begin(most + 2, 0);
  for (const std::uint32_t one : degree) ++begin[one + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<UserId> order(users);
  std::vector<std::size_t> place(users);
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (UserId user = 0; user < users; ++user) order[place[user] = next[degree[user]]++] = user;
  for (std::size_t i = 0; i < users; ++i) {
    const UserId user = order[i];
    for (const UserId neighbour : network.neighbours(user)) {
      if (degree[neighbour] <= degree[user]) continue;
      const std::size_t first = std::max(begin[degree[neighbour]], i + 1);
      const UserId other_user = order[first];
      std::swap(order[place[neighbour]], order[first]);
      std::swap(place[neighbour], place[other_user]);
      begin[degree[neighbour]] = first + 1;
      --degree[neighbour];
    }
  }
  return {degree.begin(), degree.end()};
}

std::vector<double> eigenvector_centrality(const Network& network) {
  std::vector<double> value(network.user_count(), 1.0);
  std::vector<double> next(value.size());
  for (int step = 0; step < kPowerSteps; ++step) {
    double length = 0.0;
    for (UserId user = 0; user < value.size(); ++user) {
      next[user] = value[user];  // the loop keeps bipartite networks from swinging
      for (const UserId neighbour : network.neighbours(user)) next[user] += value[neighbour];
      length += next[user] * next[user];
    }
    for (double& one : next) one /= std::sqrt(length);
    value.swap(next);
  }
  return value;
}

std::vector<double> page_rank(const Network& network) {
  const auto users = static_cast<double>(network.user_count());
  std::vector<double> value(network.user_count(), 1.0 / users);
  std::vector<double> next(value.size());
  for (int step = 0; step < kPowerSteps; ++step) {
    double at_rest = 0.0;
    for (UserId user = 0; user < value.size(); ++user)
      if (network.degree(user) == 0) at_rest += value[user];
    for (UserId user = 0; user < value.size(); ++user) {
      next[user] = (1.0 - kDamping + kDamping * at_rest) / users;
      for (const UserId neighbour : network.neighbours(user))
        next[user] += kDamping * value[neighbour] / network.degree(neighbour);
    }
    value.swap(next);
  }
  return value;
}

// Lowest, median, mean, highest and spread of the neighbours' degrees; zeroes without neighbours.
std::array<double, 5> neighbour_degrees(const Network& network, UserId user) {
  std::vector<double> degrees;
  for (const UserId neighbour : network.neighbours(user))
    degrees.push_back(network.degree(neighbour));
  if (degrees.empty()) return {};
  std::ranges::sort(degrees);
  const auto count = static_cast<double>(degrees.size());
  const double mean = std::accumulate(degrees.begin(), degrees.end(), 0.0) / count;
  double variance = 0.0;
  for (const double degree : degrees) variance += (degree - mean) * (degree - mean) / count;
  return {degrees.front(), degrees[degrees.size() / 2], mean, degrees.back(), std::sqrt(variance)};
}

// Values become -log(share of users with at least as much); equal values share their mean place.
void to_top_quantiles(std::vector<Features>& users, std::size_t feature) {
  std::vector<UserId> order(users.size());
  std::iota(order.begin(), order.end(), UserId{0});
  std::ranges::sort(order, [&](UserId left, UserId right) {
    return users[left][feature] > users[right][feature];
  });
  std::vector<double> quantile(users.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && users[order[end]][feature] == users[order[begin]][feature]) ++end;
    const double place = 0.5 * static_cast<double>(begin + end + 1);
    for (std::size_t i = begin; i < end; ++i)
      quantile[order[i]] = -std::log(place / (static_cast<double>(users.size()) + 1.0));
  }
  for (UserId user = 0; user < users.size(); ++user) users[user][feature] = quantile[user];
}

std::vector<Features> features_of(const Network& network) {
  const std::vector<double> cores = core_numbers(network);
  const std::vector<double> eigenvector = eigenvector_centrality(network);
  const std::vector<double> rank = page_rank(network);
  std::vector<Features> users(network.user_count());
  for (UserId user = 0; user < users.size(); ++user) {
    const auto around = neighbour_degrees(network, user);
    users[user] = {static_cast<double>(network.degree(user)),
                   around[0],
                   around[1],
                   around[2],
                   around[3],
                   around[4],
                   cores[user],
                   eigenvector[user],
                   rank[user]};
  }
  for (std::size_t feature = 0; feature < kFeatures; ++feature) to_top_quantiles(users, feature);
  return users;
}

double distance(const Features& left, const Features& right) {
  double sum = 0.0;
  for (std::size_t feature = 0; feature < kFeatures; ++feature)
    sum += std::abs(left[feature] - right[feature]);
  return sum;
}

}  // namespace

std::vector<Question> hub_picks(const NetworkPair& networks, const LabelSet& labels,
                                const Pool& pool, std::size_t candidates, std::size_t count) {
  const std::vector<Features> features_a = features_of(networks.a);
  const std::vector<Features> features_b = features_of(networks.b);
  std::vector<UserId> hubs = pool.users(Side::kA, labels);
  std::ranges::stable_sort(hubs, std::greater{},
                           [&](UserId user) { return networks.a.degree(user); });
  const std::vector<UserId> others = pool.users(Side::kB, labels);
  std::vector<Question> questions;
  for (const UserId hub : hubs) {
    if (questions.size() >= count) break;
    std::vector<std::pair<double, UserId>> near;
    for (const UserId other_user : others)
      if (pool.may_ask({hub, other_user}, labels))
        near.emplace_back(distance(features_a[hub], features_b[other_user]), other_user);
    const auto shown = static_cast<std::ptrdiff_t>(std::min(candidates, near.size()));
    if (shown == 0) continue;
    std::partial_sort(near.begin(), near.begin() + shown, near.end());
    Question question{.kind = QuestionKind::kPick,
                      .side = Side::kA,
                      .user = hub,
                      .candidates = {},
                      .probabilities = {},
                      .score = -near.front().first,
                      .strategy = kHubPicks};
    for (auto one = near.begin(); one != near.begin() + shown; ++one) {
      question.candidates.push_back(one->second);
      question.probabilities.push_back(0.5 / static_cast<double>(shown));  // nobody knows
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace dalaup
