#include <fmt/format.h>

#include <map>
#include <vector>

#include "networks/networks.h"
#include "support/support.h"

// Builder against a slow twin, with users of many buckets (EdgeBuckets::kUsers of edge_store.h).
namespace dalaup {
namespace {

struct ToldEdge {
  UserId from;
  UserId to;
  float weight;
};

// Skewed, with edges told twice, in either direction and with another weight.
std::vector<ToldEdge> random_edges(UserId users, std::size_t count, bool weighted) {
  Random random(7, "builder");
  std::vector<ToldEdge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const double skewed = random.uniform();
    const auto popular = static_cast<UserId>(skewed * skewed * static_cast<double>(users));
    edges.push_back({static_cast<UserId>(random.below(users)), std::min(popular, users - 1), 1.0F});
    if (weighted && i > count / 3) edges.back().weight = 0.5F + static_cast<float>(i % 5);
    if (i % 7 == 0) edges.push_back({edges.back().to, edges.back().from, weighted ? 3.0F : 1.0F});
    if (i % 11 == 0) edges.push_back(edges[random.below(edges.size())]);
  }
  return edges;
}

using Twin = std::map<UserId, std::map<UserId, float>>;  // neighbours with the first weight told

void expect_rows(const Adjacency& rows, const Twin& twin, UserId users, bool weighted) {
  ASSERT_EQ(rows.begins.size(), std::size_t{users} + 1);
  EXPECT_EQ(rows.weights.empty(), !weighted);
  for (UserId user = 0; user < users; ++user) {
    const auto expected = twin.find(user);
    std::vector<UserId> neighbours;
    std::vector<float> weights;
    if (expected != twin.end())
      for (const auto& [neighbour, weight] : expected->second) {
        neighbours.push_back(neighbour);
        if (weighted) weights.push_back(weight);
      }
    const auto found = rows.of(user);
    ASSERT_EQ(std::vector<UserId>(found.begin(), found.end()), neighbours) << "user " << user;
    const auto kept = rows.weights_of(user);
    ASSERT_EQ(std::vector<float>(kept.begin(), kept.end()), weights) << "user " << user;
  }
}

void compare(UserId users, std::size_t count, bool weighted, bool directed) {
  const auto edges = random_edges(users, count, weighted);
  NetworkBuilder builder;
  for (UserId user = 0; user < users; ++user) builder.add_user(fmt::format("u{}", user));
  Twin both;
  Twin out;
  Twin in;
  std::uint64_t loops = 0;
  std::uint64_t duplicates = 0;
  for (const ToldEdge& edge : edges) {
    builder.add_edge(edge.from, edge.to, edge.weight);
    if (edge.from == edge.to) {
      ++loops;
      continue;
    }
    const bool is_new = both[edge.from].emplace(edge.to, edge.weight).second;
    both[edge.to].emplace(edge.from, edge.weight);
    const bool is_new_arc = out[edge.from].emplace(edge.to, edge.weight).second;
    in[edge.to].emplace(edge.from, edge.weight);
    duplicates += (directed ? is_new_arc : is_new) ? 0 : 1;
  }
  EXPECT_EQ(builder.edge_count(), edges.size() - loops);
  Dropped dropped;
  const Network network = builder.build(directed, &dropped);
  EXPECT_EQ(dropped.self_loops, loops);
  EXPECT_EQ(dropped.duplicate_edges, duplicates);
  EXPECT_GT(duplicates, 0U);
  expect_rows(network.both(), both, users, weighted);
  expect_rows(network.out(), directed ? out : Twin(), users, directed && weighted);
  expect_rows(network.in(), directed ? in : Twin(), users, directed && weighted);
  EXPECT_EQ(builder.user_count(), 0U);  // emptied, and good for another network
  EXPECT_EQ(builder.edge_count(), 0U);
}

TEST(NetworkBuilder, SortsRowsAndKeepsFirstWeightsAcrossBuckets) {
  for (const bool weighted : {false, true})
    for (const bool directed : {false, true}) {
      SCOPED_TRACE(fmt::format("weighted {}, directed {}", weighted, directed));
      compare(30'000, 60'000, weighted, directed);
      compare(8'192, 20'000, weighted, directed);  // just one bucket
      compare(8'193, 20'000, weighted, directed);
      compare(3, 40, weighted, directed);
    }
}

TEST(NetworkBuilder, HasRowsForUsersWithoutEdges) {
  NetworkBuilder builder;
  for (int user = 0; user < 20'000; ++user) builder.add_user(fmt::format("u{}", user));
  builder.add_edge(3, 19'999);
  const Network network = builder.build(false);
  EXPECT_EQ(network.edge_count(), 1U);
  EXPECT_EQ(network.degree(3), 1U);
  EXPECT_EQ(network.degree(10'000), 0U);
  EXPECT_EQ(network.neighbours(19'999)[0], 3U);
  EXPECT_EQ(network.find("u19999"), 19'999U);
}

}  // namespace
}  // namespace dalaup
