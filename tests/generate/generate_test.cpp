#include "generate/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/support.h"

namespace dalaup {
namespace {

GeneratorParams small() {
  return {.users_a = 300, .users_b = 250, .anchors = 200, .edges_a = 1500, .edges_b = 2500};
}

GeneratedPair generated(const GeneratorParams& params, std::uint64_t seed = 1, int threads = 1) {
  Run run({.threads = threads, .seed = seed});
  return generate_pair(params, run);
}

std::string files_of(const GeneratedPair& pair) {
  const TemporaryFolder folder;
  write_pair(folder / "pair", pair);
  return content_of(folder / "pair/a.edges") + content_of(folder / "pair/b.edges") +
         content_of(folder / "pair/truth.tsv");
}

double rank_correlation(std::span<const UserPair> pairs, auto&& on_a, auto&& on_b) {
  const auto ranks = [&](auto&& value) {
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return value(pairs[i]); });
    std::vector<double> rank(pairs.size());
    for (std::size_t place = 0; place < order.size(); ++place)
      rank[order[place]] = static_cast<double>(place);
    return rank;
  };
  const auto a = ranks(on_a);
  const auto b = ranks(on_b);
  const double mean = (static_cast<double>(pairs.size()) - 1.0) / 2.0;
  double product = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    product += (a[i] - mean) * (b[i] - mean);
    square += (a[i] - mean) * (a[i] - mean);
  }
  return product / square;
}

TEST(Generator, MeetsTheSizesAskedForExactly) {
  const GeneratedPair pair = generated(small());
  EXPECT_EQ(pair.networks.a.user_count(), 300U);
  EXPECT_EQ(pair.networks.b.user_count(), 250U);
  EXPECT_EQ(pair.networks.a.edge_count(), 1500U);
  EXPECT_EQ(pair.networks.b.edge_count(), 2500U);
  EXPECT_EQ(pair.truth.size(), 200U);
}

TEST(Generator, TheTruthIsOneToOne) {
  const GeneratedPair pair = generated(small());
  std::set<UserId> a;
  std::set<UserId> b;
  for (const UserPair& anchor : pair.truth) {
    EXPECT_TRUE(a.insert(anchor.a).second);
    EXPECT_TRUE(b.insert(anchor.b).second);
  }
}

TEST(Generator, SharesTheAskedPartOfTheSparserNetworksEdges) {
  for (const double overlap : {0.3, 0.53, 0.8}) {
    const GeneratedPair pair = generated({.overlap = overlap});
    EXPECT_NEAR(double(pair.common_edges) / double(pair.anchored_edges_a), overlap, 0.04);
  }
}

TEST(Generator, CountsCommonEdgesAsTheNetworksShowThem) {
  const GeneratedPair pair = generated(small());
  std::vector<UserId> partner(300, kNoUser);
  for (const UserPair& anchor : pair.truth) partner[anchor.a] = anchor.b;
  std::uint64_t between = 0;
  std::uint64_t common = 0;
  for (UserId user = 0; user < 300; ++user)
    for (const UserId neighbour : pair.networks.a.neighbours(user)) {
      if (partner[user] == kNoUser || partner[neighbour] == kNoUser) continue;
      ++between;
      common +=
          std::ranges::binary_search(pair.networks.b.neighbours(partner[user]), partner[neighbour]);
    }
  EXPECT_EQ(between, 2 * pair.anchored_edges_a);
  EXPECT_EQ(common, 2 * pair.common_edges);
}

TEST(Generator, MakesASparseNetworkNearlyContainedInADenseOne) {
  const GeneratedPair pair = generated({.users_a = 1000,
                                        .users_b = 1000,
                                        .anchors = 1000,
                                        .edges_a = 41000,
                                        .edges_b = 4600,
                                        .overlap = 0.98});
  EXPECT_EQ(pair.networks.a.edge_count(), 41000U);
  EXPECT_GT(double(pair.common_edges) / double(pair.anchored_edges_b), 0.96);
}

TEST(Generator, RemovesTheAskedShareOfEdgesOnBothSides) {
  auto params = small();
  params.removed_share = 0.2;
  const GeneratedPair pair = generated(params);
  EXPECT_EQ(pair.networks.a.edge_count(), 1200U);
  EXPECT_EQ(pair.networks.b.edge_count(), 2000U);
  EXPECT_EQ(pair.networks.a.user_count(), 300U);
}

TEST(Generator, IsTheSameAtAnyThreadCountAndDiffersBySeed) {
  const std::string once = files_of(generated({}, 7, 1));
  EXPECT_EQ(once, files_of(generated({}, 7, 3)));
  EXPECT_NE(once, files_of(generated({}, 8, 1)));
}

// If order told anything, the ranks of partners would correlate: |r| beyond 4/sqrt(n) has
// probability below 1e-4 for unrelated orders.
TEST(Generator, NeitherOrderNorNamesTellWhoIsWho) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const GeneratedPair pair = generated({}, seed);
    const double limit = 4.0 / std::sqrt(double(pair.truth.size()));
    const auto id_a = [](const UserPair& p) { return p.a; };
    const auto id_b = [](const UserPair& p) { return p.b; };
    const auto name_a = [&](const UserPair& p) { return pair.networks.a.name(p.a); };
    const auto name_b = [&](const UserPair& p) { return pair.networks.b.name(p.b); };
    EXPECT_LT(std::abs(rank_correlation(pair.truth, id_a, id_b)), limit);
    EXPECT_LT(std::abs(rank_correlation(pair.truth, name_a, name_b)), limit);
    std::size_t equal = 0;
    for (const UserPair& anchor : pair.truth) equal += name_a(anchor) == name_b(anchor);
    EXPECT_LE(equal, 2U);
    // Being anchored must not show in the order either.
    double mean = 0.0;
    for (const UserPair& anchor : pair.truth) mean += anchor.a;
    mean /= double(pair.truth.size());
    EXPECT_NEAR(mean / pair.networks.a.user_count(), 0.5,
                2.0 / std::sqrt(double(pair.truth.size())));
  }
}

TEST(Generator, PutsPartnersAtTheSamePlaceOnlyWhenAskedTo) {
  const GeneratedPair pair = generated({.order = "aligned"});
  for (const UserPair& anchor : pair.truth) EXPECT_EQ(anchor.a, anchor.b);
  EXPECT_EQ(pair.truth.back().a + 1, pair.truth.size());
  const GeneratedPair shuffled = generated({});
  EXPECT_EQ(pair.common_edges, shuffled.common_edges) << "the same society";
  // The files keep the order, whatever edges come first.
  const TemporaryFolder folder;
  write_pair(folder / "out", pair);
  dalaup::Run run;
  const Network a = read_network(folder / "out/a.edges", {}, run);
  ASSERT_EQ(a.user_count(), pair.networks.a.user_count());
  EXPECT_EQ(a.edge_count(), pair.networks.a.edge_count());
  for (UserId user = 0; user < a.user_count(); ++user)
    ASSERT_EQ(a.name(user), pair.networks.a.name(user));
}

TEST(Generator, DegreesAreSkewedAndTrianglesClosed) {
  const GeneratedPair pair = generated({});
  const Network& b = pair.networks.b;
  std::uint32_t highest = 0;
  double triangles = 0.0;
  double wedges = 0.0;
  for (UserId user = 0; user < b.user_count(); ++user) {
    const auto neighbours = b.neighbours(user);
    highest = std::max(highest, b.degree(user));
    if (b.degree(user) > 200) continue;
    for (const UserId left : neighbours)
      for (const UserId right : neighbours)
        if (left < right) triangles += std::ranges::binary_search(b.neighbours(left), right);
    wedges += b.degree(user) * (b.degree(user) - 1.0) / 2.0;
  }
  EXPECT_GT(highest, 500U);                 // the mean is 51
  EXPECT_GT(triangles / wedges, 3 * 0.01);  // 0.01 is the density
}

TEST(Generator, DirectedEdgesKeepTheUndirectedCount) {
  auto params = small();
  params.directed = true;
  const GeneratedPair pair = generated(params);
  EXPECT_TRUE(pair.networks.a.is_directed());
  EXPECT_EQ(pair.networks.a.edge_count(), 1500U);
  EXPECT_NEAR(double(pair.networks.a.arc_count()), 1500 * 1.33, 100);
}

TEST(Generator, LabelsAreAShareOfTheTruthWithTheAskedErrors) {
  auto params = small();
  params.labels_share = 0.5;
  params.wrong_labels_share = 0.1;
  const GeneratedPair pair = generated(params);
  ASSERT_EQ(pair.labels.size(), 100U);
  const std::set<UserPair> truth(pair.truth.begin(), pair.truth.end());
  EXPECT_EQ(std::ranges::count_if(pair.labels, [&](auto& p) { return !truth.contains(p); }), 10);
  LabelSet labels(300, 250);
  for (const UserPair& label : pair.labels) EXPECT_FALSE(labels.add(label, Label::kAnchor));
}

TEST(Generator, RefusesSizesThatContradictEachOther) {
  EXPECT_THROW(generated({.users_a = 10, .users_b = 10, .anchors = 11}), ParameterError);
  EXPECT_THROW(generated({.users_a = 10, .users_b = 10, .anchors = 5, .edges_a = 46}),
               ParameterError);
}

TEST(Generator, FillsACompleteNetworkWhenAskedTo) {
  const GeneratedPair pair = generated(
      {.users_a = 12, .users_b = 12, .anchors = 12, .edges_a = 66, .edges_b = 20, .overlap = 1.0});
  EXPECT_EQ(pair.networks.a.edge_count(), 66U);
  EXPECT_EQ(pair.common_edges, 20U);
}

TEST(GenerateCommand, WritesFilesThatReadBackAndSaysWhatTheyHold) {
  const TemporaryFolder folder;
  const auto result = run_dalaup("generate --out " + (folder / "pair") +
                                 " --users-a 300 --users-b 250 --anchors 200 --edges-a 1500 "
                                 "--edges-b 2500 --labels-share 0.1");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("a.edges: 300 users, 1,500 edges"), std::string::npos) << result.out;
  dalaup::Run run;
  const NetworkPair networks{read_network(folder / "pair/a.edges", {}, run),
                             read_network(folder / "pair/b.edges", {}, run)};
  EXPECT_EQ(networks.a.user_count(), 300U);
  EXPECT_EQ(networks.b.edge_count(), 2500U);
  EXPECT_EQ(read_truth(folder / "pair/truth.tsv", networks).size(), 200U);
  EXPECT_EQ(read_labels(folder / "pair/labels.tsv", networks).anchors().size(), 20U);
}

TEST(GenerateCommand, RefusesMoreAnchorsThanUsers) {
  const TemporaryFolder folder;
  const auto result = run_dalaup("generate --out " + (folder / "pair") + " --anchors 6000");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(
      result.err.find("anchors: found 6000, expected at most the users of the smaller network, "
                      "5120"),
      std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace dalaup
