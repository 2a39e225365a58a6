#include "context/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/support.h"

namespace dalaup {
namespace {

// alice(0) - bob(1) - carol(2)      dave(3) has no neighbours
Network path_of_three_and_a_loner() { return network_of("alice bob\nbob carol\ndave"); }

Matrix context_of_chosen(const Adjacency& steps, std::span<const UserId> chosen,
                         const ContextParams& params, dalaup::Run& run) {
  Matrix result(static_cast<Eigen::Index>(steps.begins.size() - 1),
                static_cast<Eigen::Index>(chosen.size()));
  context_of_chosen_into(steps, chosen, params, run, result, 0);
  return result;
}

// P_s = (1-c) P_{s-1} D + c I, multiplied out in double: eqs. 1 and 2 word by word.
Eigen::MatrixXd obvious_context(const Adjacency& steps, const ContextParams& params) {
  const auto count = static_cast<Eigen::Index>(steps.begins.size() - 1);
  Eigen::MatrixXd transition = Eigen::MatrixXd::Zero(count, count);
  for (UserId user = 0; user < count; ++user) {
    const auto neighbours = steps.of(user);
    const auto weights = steps.weights_of(user);
    double total = 0.0;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[i]);
      transition(user, neighbours[i]) = weight;
      total += weight;
    }
    if (neighbours.empty()) transition(user, user) = total = 1.0;
    transition.row(user) /= total;
  }
  const Eigen::MatrixXd start = Eigen::MatrixXd::Identity(count, count);
  Eigen::MatrixXd place = start;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(count, count);
  for (int step = 1; step <= params.walk_steps; ++step) {
    place = (1.0 - params.restart_probability) * place * transition +
            params.restart_probability * start;
    sum += place;
  }
  return sum;
}

std::string random_edges(int users, int edges, bool weighted, std::uint64_t seed) {
  Random random(seed, "context test", 0);
  std::string text;
  for (int user = 0; user < users; ++user) text += fmt::format("u{}\n", user);
  for (int edge = 0; edge < edges; ++edge) {
    const auto from = random.below(static_cast<std::uint64_t>(users));
    // Squaring skews the degrees: a few users know many.
    const auto to = static_cast<std::uint64_t>(users * random.uniform() * random.uniform());
    text += fmt::format("u{} u{}", from, to);
    if (weighted) text += fmt::format(" {}", 0.01 + 10.0 * random.uniform());
    text += '\n';
  }
  return text;
}

TEST(StructuralContext, OneStepFromTheMiddleOfAPathSplitsEvenly) {
  dalaup::Run run;
  const Matrix context = structural_context(path_of_three_and_a_loner(),
                                            {.restart_probability = 0.6, .walk_steps = 1}, run);
  EXPECT_FLOAT_EQ(context(1, 0), 0.2F);  // 0.4 leaves bob, half of it reaches alice
  EXPECT_FLOAT_EQ(context(1, 1), 0.6F);
  EXPECT_FLOAT_EQ(context(1, 2), 0.2F);
  EXPECT_EQ(context(1, 3), 0.0F);
}

// Two steps from alice: step 1 leaves 0.6 at home and 0.4 with bob; step 2 sends bob's 0.4 on to
// alice and carol (0.4 * 0.4 / 2 = 0.08 each), alice's 0.6 to bob (0.24), and adds 0.6 at home.
TEST(StructuralContext, TwoStepsFromTheEndOfAPathAreAddedUp) {
  dalaup::Run run;
  const Matrix context = structural_context(path_of_three_and_a_loner(),
                                            {.restart_probability = 0.6, .walk_steps = 2}, run);
  EXPECT_FLOAT_EQ(context(0, 0), 0.6F + 0.6F + 0.08F);
  EXPECT_FLOAT_EQ(context(0, 1), 0.4F + 0.24F);
  EXPECT_FLOAT_EQ(context(0, 2), 0.08F);
  EXPECT_EQ(context(0, 3), 0.0F);
}

TEST(StructuralContext, EveryRowSumsToTheStepCountEvenForALoner) {
  dalaup::Run run;
  const Matrix context = structural_context(path_of_three_and_a_loner(), {.walk_steps = 3}, run);
  for (UserId user = 0; user < 4; ++user)
    EXPECT_NEAR(context.row(user).sum(), 3.0F, 1e-6F) << "user " << user;
  EXPECT_FLOAT_EQ(context(3, 3), 3.0F);
}

// bob - alice weighs 3, bob - carol weighs 1: three quarters of what leaves bob goes to alice.
TEST(StructuralContext, WeightsDecideHowAStepIsShared) {
  dalaup::Run run;
  const Matrix context = structural_context(network_of("alice bob 3\nbob carol 1"),
                                            {.restart_probability = 0.6, .walk_steps = 1}, run);
  EXPECT_FLOAT_EQ(context(1, 0), 0.3F);
  EXPECT_FLOAT_EQ(context(1, 2), 0.1F);
  EXPECT_FLOAT_EQ(context(0, 1), 0.4F);
}

TEST(StructuralContext, EqualsTheEquationsMultipliedOut) {
  for (const bool weighted : {false, true})
    for (const int users : {1, 2, 15, 16, 17, 90, 400})
      for (const int steps : {1, 2, 3, 4, 7}) {
        dalaup::Run run({.threads = 2});
        const Network network = network_of(random_edges(users, users * (users % 3 + 1), weighted,
                                                        static_cast<std::uint64_t>(users)));
        const ContextParams params{.restart_probability = 0.35, .walk_steps = steps};
        const Matrix context = structural_context(network, params, run);
        const Eigen::MatrixXd expected = obvious_context(network.both(), params);
        ASSERT_EQ(context.rows(), users);
        EXPECT_LT((context.cast<double>() - expected).cwiseAbs().maxCoeff(), 2e-6)
            << users << " users, " << steps << " steps, weighted " << weighted;
      }
}

TEST(ContextOfChosen, HoldsTheColumnsOfTheFullContextInTheGivenOrder) {
  for (const bool weighted : {false, true}) {
    dalaup::Run run({.threads = 2});
    const Network network = network_of(random_edges(120, 300, weighted, 5));
    const Matrix full = structural_context(network, {}, run);
    std::vector<UserId> chosen;
    for (UserId column = 0; column < 37; ++column) chosen.push_back((column * 53 + 7) % 120);
    chosen.push_back(chosen.front());
    const Matrix some = context_of_chosen(network.both(), chosen, {}, run);
    ASSERT_EQ(some.cols(), 38);
    for (Eigen::Index column = 0; column < some.cols(); ++column) {
      const auto expected = full.col(chosen[static_cast<std::size_t>(column)]);
      EXPECT_TRUE(some.col(column).isApprox(expected, 1e-5F)) << column;
    }
  }
}

// alice -> bob -> carol: following the arrows, carol has nowhere to go and stays.
TEST(ContextOfChosen, FollowsTheArrowsOfADirectedNetwork) {
  dalaup::Run run;
  const Network network = network_of("alice bob\nbob carol", true);
  const std::vector<UserId> carol{2};
  const Matrix along = context_of_chosen(network.out(), carol, {.walk_steps = 2}, run);
  EXPECT_FLOAT_EQ(along(0, 0), 0.16F);  // two steps of 0.4
  EXPECT_FLOAT_EQ(along(1, 0), 0.4F + 0.6F * 0.4F + 0.4F * 0.4F);
  EXPECT_FLOAT_EQ(along(2, 0), 2.0F);
  const Matrix against = context_of_chosen(network.in(), carol, {.walk_steps = 2}, run);
  EXPECT_EQ(against(0, 0), 0.0F);
  EXPECT_FLOAT_EQ(against(2, 0), 1.2F);
}

TEST(StructuralContext, IsTheSameAtAnyThreadCount) {
  const Network network = network_of(random_edges(300, 900, false, 8));
  dalaup::Run one;
  dalaup::Run three({.threads = 3});
  EXPECT_EQ(structural_context(network, {}, one), structural_context(network, {}, three));
}

TEST(StructuralContext, OnlyMovesWithTheUsersWhenTheyComeInAnotherOrder) {
  const std::string edges = random_edges(150, 400, true, 9);
  std::string declared;
  for (int user = 149; user >= 0; --user) declared += fmt::format("u{}\n", user);
  dalaup::Run run;
  const Matrix forward = structural_context(network_of(edges), {}, run);
  const Matrix backward = structural_context(network_of(declared + edges), {}, run);
  EXPECT_LT((forward - backward.reverse()).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST(StructuralContext, StaysFiniteWithWeightsAtTheEndsOfTheRange) {
  dalaup::Run run;
  const Matrix context = structural_context(
      network_of("a b 3e38\nb c 3e38\nc d 2e-38\nd e 2e-38\na f 2e-38"), {}, run);
  for (Eigen::Index user = 0; user < context.rows(); ++user)
    EXPECT_NEAR(context.row(user).sum(), 3.0F, 1e-5F) << user;
}

TEST(StructuralContext, ReusesAMatrixOfTheRightSize) {
  dalaup::Run run;
  const Network network = network_of(random_edges(40, 90, false, 10));
  Matrix result = Matrix::Constant(40, 40, 7.0F);
  const float* const memory = result.data();
  structural_context_into(network, {}, run, result);
  EXPECT_EQ(result.data(), memory);
  EXPECT_EQ(result, structural_context(network, {}, run));
}

TEST(StructuralContext, WritesChosenColumnsBesideOthers) {
  dalaup::Run run({.threads = 2});
  const Network network = network_of(random_edges(40, 90, false, 10));
  std::vector<UserId> chosen;
  for (UserId user = 0; user < 40; user += 2) chosen.push_back(user);
  Matrix result = Matrix::Constant(40, 25, 7.0F);
  context_of_chosen_into(network.both(), chosen, {}, run, result, 3);
  EXPECT_EQ(result.middleCols(3, 20), context_of_chosen(network.both(), chosen, {}, run));
  EXPECT_TRUE((result.leftCols(3).array() == 7.0F).all());
  EXPECT_TRUE((result.rightCols(2).array() == 7.0F).all());
  EXPECT_THROW(context_of_chosen_into(network.both(), chosen, {}, run, result, 6), ParameterError);
}

// The definition of the sparse form, word by word: visits below 1e-4 are dropped, logarithms taken,
// columns divided by how strong they are in both networks, rows scaled to length 1.
std::array<Eigen::MatrixXd, 2> obvious_sparse_contexts(const NetworkPair& networks,
                                                       std::span<const UserPair> anchors,
                                                       const RelativeContextParams& params) {
  const std::size_t directions = networks.a.is_directed() ? 3 : 1;
  const auto count = static_cast<Eigen::Index>(anchors.size());
  std::array<Eigen::MatrixXd, 2> result;
  for (const Side side : {Side::kA, Side::kB})
    result[index_of(side)].resize(networks.on(side).user_count(),
                                  count * static_cast<Eigen::Index>(directions));
  for (std::size_t direction = 0; direction < directions; ++direction) {
    std::array<Eigen::MatrixXd, 2> rows;
    for (const Side side : {Side::kA, Side::kB}) {
      const Network& network = networks.on(side);
      const Adjacency& steps = direction == 0   ? network.both()
                               : direction == 1 ? network.out()
                                                : network.in();
      const Eigen::MatrixXd all = obvious_context(
          steps,
          {.restart_probability = params.restart_probability, .walk_steps = params.walk_steps});
      Eigen::MatrixXd& own = rows[index_of(side)];
      own.resize(network.user_count(), count);
      for (Eigen::Index k = 0; k < count; ++k)
        own.col(k) = all.col(anchors[static_cast<std::size_t>(k)].on(side));
      own = own.unaryExpr([&](double visits) {
        return visits < 1e-4 ? 0.0 : std::log1p(visits / params.log_unit);
      });
    }
    for (Eigen::Index k = 0; k < count; ++k) {
      const double strength = std::sqrt(rows[0].col(k).squaredNorm() / rows[0].rows() *
                                        rows[1].col(k).squaredNorm() / rows[1].rows());
      for (Eigen::MatrixXd& own : rows) own.col(k) /= std::sqrt(1e-6 + strength);
    }
    for (const std::size_t side : {0, 1}) {
      for (Eigen::Index user = 0; user < rows[side].rows(); ++user)
        if (rows[side].row(user).norm() > 0.0)
          rows[side].row(user) /=
              rows[side].row(user).norm() * std::sqrt(static_cast<double>(directions));
      result[side].middleCols(static_cast<Eigen::Index>(direction) * count, count) = rows[side];
    }
  }
  return result;
}

TEST(SparseRelativeContexts, EqualTheDefinitionWhereNothingIsCutOff) {
  for (const bool directed : {false, true})
    for (const int steps : {1, 2, 3, 5}) {
      const NetworkPair networks{network_of(random_edges(60, 90, false, 11), directed),
                                 network_of(random_edges(70, 120, false, 12), directed)};
      std::vector<UserPair> anchors;
      for (UserId user = 0; user < 60; user += 4) anchors.push_back({user, user + 5});
      const RelativeContextParams params{.walk_steps = steps, .most_entries = 60};
      dalaup::Run run({.threads = 2});
      const AnchorContext contexts = sparse_relative_contexts(networks, anchors, params, run);
      const auto expected = obvious_sparse_contexts(networks, anchors, params);
      ASSERT_EQ(contexts.vocabulary, static_cast<std::size_t>(expected[0].cols()));
      for (const std::size_t side : {0, 1}) {
        const Rows<ContextEntry>& rows = side == 0 ? contexts.a : contexts.b;
        Eigen::MatrixXd found = Eigen::MatrixXd::Zero(expected[side].rows(), expected[side].cols());
        for (Eigen::Index user = 0; user < found.rows(); ++user)
          for (const ContextEntry& entry : rows.of(static_cast<std::size_t>(user)))
            found(user, entry.anchor) = entry.weight;
        EXPECT_LT((found - expected[side]).cwiseAbs().maxCoeff(), 2e-3)
            << steps << " steps, directed " << directed << ", side " << side;
      }
    }
}

TEST(StructuralContext, RefusesParametersOutOfRange) {
  dalaup::Run run;
  const Network network = path_of_three_and_a_loner();
  EXPECT_THROW(structural_context(network, {.restart_probability = 1.0}, run), ParameterError);
  EXPECT_THROW(structural_context(network, {.walk_steps = 0}, run), ParameterError);
  EXPECT_THROW(context_of_chosen(network.both(), std::vector<UserId>{4}, {}, run), ParameterError);
}

}  // namespace
}  // namespace dalaup
