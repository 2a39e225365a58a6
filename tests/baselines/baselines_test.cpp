#include "methods/deepwalk/deepwalk.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "methods/ione/ione.h"
#include "methods/pale/pale.h"
#include "methods/pale/pale_edges.h"
#include "support/support.h"

namespace dalaup {
namespace {

// log s(f.c0) + sum log s(-f.ck), slowly and in double.
double objective(const std::vector<std::vector<double>>& rows) {
  double sum = 0.0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    double product = 0.0;
    for (std::size_t i = 0; i < rows[0].size(); ++i) product += rows[0][i] * rows[k][i];
    sum -= std::log1p(std::exp(k == 1 ? -product : product));
  }
  return sum;
}

TEST(NegativeSamplingStep, MovesEveryRowAlongItsFiniteDifference) {
  constexpr int kDim = 16;
  Random random(5);
  std::vector<std::vector<double>> rows(4,
                                        std::vector<double>(kDim));  // fixed, positive, negatives
  for (auto& row : rows)
    for (double& value : row) value = random.normal();
  std::vector<std::vector<float>> moved;
  for (const auto& row : rows) moved.emplace_back(row.begin(), row.end());
  std::vector<float*> candidates{moved[1].data(), moved[2].data(), moved[3].data()};
  std::vector<float> scratch;
  constexpr float kRate = 0.5F;
  negative_sampling_step(moved[0].data(), candidates, kDim, kRate, scratch);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < kDim; ++i) {
      auto above = rows;
      auto below = rows;
      above[row][i] += 1e-5;
      below[row][i] -= 1e-5;
      const double slope = (objective(above) - objective(below)) / 2e-5;
      EXPECT_NEAR(moved[row][i] - rows[row][i], kRate * slope, 1e-5) << row << " " << i;
    }
}

TEST(AliasTable, DrawsInProportionToTheWeights) {
  const std::vector<double> weights{1.0, 0.0, 5.0, 2.0};
  const AliasTable table(weights);
  Random random(1);
  std::vector<double> counts(4, 0.0);
  for (int draw = 0; draw < 80000; ++draw) ++counts[table.draw(random)];
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(counts[i] / 10000.0, weights[i], 0.15);
  EXPECT_TRUE(AliasTable(std::vector<double>{0.0, 0.0}).empty());
}

TEST(Rounds, MeetEveryPairOfBlocksOnceAndNoBlockTwiceInARound) {
  for (const int blocks : {1, 2, 8, 16}) {
    std::set<std::pair<int, int>> met;
    for (const auto& round : two_table_rounds(blocks)) {
      std::set<int> first;
      std::set<int> second;
      for (const auto& [p, q] : round) {
        EXPECT_TRUE(met.emplace(p, q).second);
        EXPECT_TRUE(first.insert(p).second && second.insert(q).second);
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(blocks * blocks));
    met.clear();
    for (const auto& round : one_table_rounds(blocks)) {
      std::set<int> busy;
      for (const auto& [p, q] : round) {
        EXPECT_TRUE(p <= q && met.emplace(p, q).second);
        EXPECT_TRUE(busy.insert(p).second && (p == q || busy.insert(q).second));
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(blocks * (blocks + 1) / 2));
  }
}

Matrix random_rows(int rows, int columns, std::uint64_t seed) {
  Random random(seed);
  Matrix matrix(rows, columns);
  for (float& value : matrix.reshaped()) value = static_cast<float>(random.normal());
  return matrix;
}

std::vector<UserPair> same_ids(UserId count) {
  std::vector<UserPair> pairs;
  for (UserId user = 0; user < count; ++user) pairs.push_back({user, user});
  return pairs;
}

// A turned by 90 degrees in its first plane is what B holds; 12 of 40 users are known.
TEST(Mappings, FindTheTurnBetweenTwoSpacesFromSomeAnchors) {
  Embeddings vectors{random_rows(40, 4, 1), Matrix(40, 4)};
  vectors.b = vectors.a;
  vectors.b.col(0) = -vectors.a.col(1);
  vectors.b.col(1) = vectors.a.col(0);
  for (const Embeddings& mapped :
       {turned_onto(vectors, same_ids(12)), mapped_linearly(vectors, same_ids(12), 0.0)})
    for (Eigen::Index user = 12; user < 40; ++user)
      EXPECT_GT(mapped.a.row(user).normalized().dot(mapped.b.row(user).normalized()), 0.999F);
}

TEST(Mappings, TheHiddenLayersGradientIsItsFiniteDifference) {
  const Eigen::MatrixXd inputs = random_rows(6, 3, 2).cast<double>();
  const Eigen::MatrixXd targets = random_rows(6, 2, 3).cast<double>();
  HiddenLayer layer{random_rows(3, 4, 4).cast<double>(), Eigen::RowVectorXd::Ones(4),
                    random_rows(4, 2, 5).cast<double>(), Eigen::RowVectorXd::Ones(2)};
  HiddenLayer gradient;
  HiddenLayer unused;
  layer.loss(inputs, targets, 0.3, gradient);
  const auto check = [&](auto& values, const auto& slopes) {
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const double kept = values(i);
      values(i) = kept + 1e-5;
      const double above = layer.loss(inputs, targets, 0.3, unused);
      values(i) = kept - 1e-5;
      const double below = layer.loss(inputs, targets, 0.3, unused);
      values(i) = kept;
      EXPECT_NEAR((above - below) / 2e-5, slopes(i), 1e-6);
    }
  };
  const auto flat = [](Eigen::MatrixXd& matrix) {
    return Eigen::Map<Eigen::VectorXd>(matrix.data(), matrix.size());
  };
  auto first = flat(layer.first);
  auto second = flat(layer.second);
  check(first, flat(gradient.first));
  check(second, flat(gradient.second));
  check(layer.first_offset, gradient.first_offset);
  check(layer.second_offset, gradient.second_offset);
}

// a0 - a1 - a2      b0   b1 - b2      a0, a1 and a2 are b0, b1 and b2; only two are known.
TEST(Pale, AddsAnEdgeBetweenTwoAnchorsToTheNetworkThatLacksIt) {
  const NetworkPair networks{network_of("a0 a1\na1 a2"), network_of("b0\nb1 b2")};
  const LabelSet labels = labels_of(networks, {{"a0", "b0"}, {"a1", "b1"}});
  EXPECT_EQ(extended_edges(networks, labels, Side::kB, true), (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(extended_edges(networks, labels, Side::kB, false), (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(extended_edges(networks, labels, Side::kA, true), (std::vector<Edge>{{0, 1}, {1, 2}}));
}

// One random network twice. B names user n "b<n>" and lists its edges in an order drawn by `seed`.
NetworkPair twins(int users, int edges, std::uint64_t seed, bool directed) {
  Random random(11);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
  for (int user = 0; user < users; ++user)
    list.emplace_back(user, random.below(static_cast<std::uint64_t>(users)));
  while (list.size() < static_cast<std::size_t>(edges)) {
    const std::uint64_t from = random.below(static_cast<std::uint64_t>(users));
    list.emplace_back(from, random.below(static_cast<std::uint64_t>(users)));
  }
  std::string a;
  for (const auto& [from, to] : list) a += fmt::format("a{} a{}\n", from, to);
  Random order(seed);
  order.shuffle(std::span(list));
  std::string b;
  for (const auto& [from, to] : list) b += fmt::format("b{} b{}\n", from, to);
  return {network_of(a, directed), network_of(b, directed)};
}

std::vector<UserPair> truth_of(const NetworkPair& networks) {
  std::vector<UserPair> truth;
  for (UserId user = 0; user < networks.a.user_count(); ++user)
    truth.push_back({user, networks.b.find("b" + std::string(networks.a.name(user).substr(1)))});
  return truth;
}

struct Known {
  LabelSet labels;
  std::vector<UserPair> rest;
};
Known half_known(const NetworkPair& networks) {
  Known known{LabelSet(networks.a.user_count(), networks.b.user_count()), {}};
  for (const UserPair& pair : truth_of(networks)) {
    const int number = std::stoi(std::string(networks.a.name(pair.a).substr(1)));
    if (number % 2 == 0)
      known.labels.add(pair, Label::kAnchor);
    else
      known.rest.push_back(pair);
  }
  return known;
}

double hits_at_ten(Aligner& aligner, const NetworkPair& networks) {
  dalaup::Run run;
  const Known known = half_known(networks);
  aligner.fit(networks, known.labels, run);
  double hits = 0.0;
  for (const double rank : aligner.ranks(known.rest, run)) hits += rank <= 10.0 ? 1.0 : 0.0;
  return hits / static_cast<double>(known.rest.size());
}

IoneParams quick_ione() {
  return {.embedding_dim = 16, .epochs = 150, .learning_rate = 0.1, .calibration_share = 0.0};
}

TEST(Ione, FindsTwinsForDirectedAndUndirectedNetworks) {
  for (const bool directed : {false, true}) {
    IoneAligner aligner(quick_ione());
    EXPECT_GT(hits_at_ten(aligner, twins(150, 900, 3, directed)), 0.4);
  }
}

TEST(Ione, TheOrderOfUsersChangesNothingButNoise) {
  IoneAligner first(quick_ione());
  IoneAligner second(quick_ione());
  EXPECT_NEAR(hits_at_ten(first, twins(150, 900, 3, false)),
              hits_at_ten(second, twins(150, 900, 4, false)), 0.25);
}

TEST(Ione, TheTwoAccountsOfAnAnchorShareOneVector) {
  const NetworkPair networks = twins(60, 200, 3, true);
  const Known known = half_known(networks);
  dalaup::Run run;
  IoneAligner aligner({.epochs = 2, .calibration_share = 0.0});
  aligner.fit(networks, known.labels, run);
  for (const UserPair& pair : known.labels.anchors()) EXPECT_NEAR(aligner.score(pair), 1.0F, 1e-5);
  EXPECT_THROW(aligner.fit(networks, LabelSet(60, 60), run), InputError);
}

TEST(Pale, FindsTwinsWithEitherMapping) {
  for (const char* mapping : {"linear", "mlp"}) {
    PaleAligner aligner({.embedding_dim = 16,
                         .epochs = 200,
                         .learning_rate = 0.1,
                         .mapping = mapping,
                         .hidden_units = 32,
                         .mapping_regularisation = 0.1,
                         .calibration_share = 0.0});
    EXPECT_GT(hits_at_ten(aligner, twins(150, 900, 3, false)), 0.2) << mapping;
  }
}

TEST(DeepWalk, FindsTwinsOnlyAfterTheSpacesAreTurnedOntoEachOther) {
  DeepWalkParams params{.embedding_dim = 16,
                        .walks_per_user = 20,
                        .learning_rate = 0.05,
                        .align = "none",
                        .calibration_share = 0.0};
  DeepWalkAligner apart(params);
  const double by_chance = hits_at_ten(apart, twins(150, 450, 3, false));
  params.align = "procrustes";
  DeepWalkAligner turned(params);
  EXPECT_GT(hits_at_ten(turned, twins(150, 450, 3, false)), by_chance + 0.15);
}

TEST(DeepWalk, ARefitIsAFitWithTheNewLabels) {
  const NetworkPair networks = twins(150, 450, 3, false);
  const Known known = half_known(networks);
  LabelSet fewer(150, 150);
  for (const UserPair& pair : known.labels.anchors().first(20)) fewer.add(pair, Label::kAnchor);
  const DeepWalkParams params{.embedding_dim = 16, .walks_per_user = 2, .align = "procrustes"};
  dalaup::Run run;
  DeepWalkAligner once(params);
  once.fit(networks, known.labels, run);
  DeepWalkAligner again(params);
  again.fit(networks, fewer, run);
  again.refit(known.labels, run);
  EXPECT_TRUE(again.serves_many_label_sets());
  EXPECT_TRUE(again.embeddings()->a == once.embeddings()->a);
  EXPECT_EQ(again.probability(known.rest[0]), once.probability(known.rest[0]));
}

template <class Method, class Params>
void expect_same_at_any_thread_count(const Params& params) {
  const NetworkPair networks = twins(1100, 3000, 3, true);  // enough for several blocks
  const Known known = half_known(networks);
  std::optional<Embeddings> first;
  for (const int threads : {1, 3}) {
    dalaup::Run run(RunOptions{.threads = threads});
    Method aligner(params);
    aligner.fit(networks, known.labels, run);
    if (!first)
      first = aligner.embeddings();
    else
      EXPECT_TRUE(first->a == aligner.embeddings()->a && first->b == aligner.embeddings()->b);
  }
}

TEST(Baselines, AreTheSameAtAnyThreadCount) {
  expect_same_at_any_thread_count<IoneAligner>(
      IoneParams{.embedding_dim = 8, .epochs = 3, .calibration_share = 0.0});
  expect_same_at_any_thread_count<PaleAligner>(
      PaleParams{.embedding_dim = 8, .epochs = 3, .calibration_share = 0.0});
  expect_same_at_any_thread_count<DeepWalkAligner>(DeepWalkParams{
      .embedding_dim = 8, .walks_per_user = 1, .align = "procrustes", .calibration_share = 0.0});
}

TEST(Baselines, SaveAndLoadWithTheirSettings) {
  MethodRegistry registry;
  registry.add<IoneAligner, IoneParams>("ione", "");
  const NetworkPair networks = twins(60, 200, 3, false);
  dalaup::Run run;
  IoneAligner saved({.embedding_dim = 8, .epochs = 2});
  saved.fit(networks, half_known(networks).labels, run);
  const TemporaryFolder folder;
  save_model(folder / "model.dalaup", saved);
  const Model loaded = load_model(folder / "model.dalaup", registry);
  EXPECT_EQ(loaded.aligner->settings(), saved.settings());
  EXPECT_EQ(loaded.aligner->score({1, 2}), saved.score({1, 2}));
  EXPECT_EQ(loaded.aligner->probability({1, 2}), saved.probability({1, 2}));
}

}  // namespace
}  // namespace dalaup
