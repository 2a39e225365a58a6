#include "methods/propagation/fit.h"

#include "propagation/dense_twin.h"
#include "propagation/example.h"

namespace dalaup {
namespace {

Propagated propagated(const Example& example, const PropagationParams& params, Run& run) {
  const NetworkWeights weights{neighbour_weights(example.networks.a),
                               neighbour_weights(example.networks.b)};
  Task task(run, "propagating", 1);
  return propagate(example.networks, weights, example.labels.anchors(),
                   make_priors(example.networks, example.labels.anchors(), {}, {}, params, run)[0],
                   nullptr, params, task, run);
}

TEST(Propagation, TheSparseFormAgreesWithFullMatrices) {
  const Example example = small_society();
  const PropagationParams params{
      .prior_candidates = 280, .listed_candidates = 280, .iterations = 3};
  dalaup::Run run;
  const Propagated state = propagated(example, params, run);
  const DenseTwin twin(example.networks, example.labels, params);
  std::size_t pairs = 0;
  std::size_t different = 0;  // weak pairs count by their mean; matches at the threshold flip
  for (UserId user = 0; user < example.networks.a.user_count(); ++user)
    for (const ListedPair& pair : state.lists.pairs.of(user)) {
      ++pairs;
      const double difference = state.lists.score(pair) - twin.score()(user, pair.partner);
      if (std::abs(difference) > 0.01) ++different;
    }
  EXPECT_GT(pairs, 10000U);
  EXPECT_LT(static_cast<double>(different), 0.02 * static_cast<double>(pairs));
}

TEST(Propagation, ShortListsRankAsFullMatricesDo) {
  const Example example = small_society();
  const PropagationParams params{.prior_candidates = 20, .listed_candidates = 30};
  dalaup::Run run;
  const Propagated state = propagated(example, params, run);
  const DenseTwin twin(example.networks, example.labels, params);
  double sparse_hits = 0.0;
  double dense_hits = 0.0;
  for (const UserPair& test : example.tests) {
    const auto pairs = state.lists.pairs.of(test.a);
    const auto best = std::ranges::max_element(
        pairs, {}, [&](const ListedPair& pair) { return state.lists.score(pair); });
    sparse_hits += best != pairs.end() && best->partner == test.b ? 1.0 : 0.0;
    Eigen::Index dense_best = 0;
    Eigen::VectorXd row = twin.score().row(test.a);
    for (UserId user = 0; user < example.networks.b.user_count(); ++user)
      if (example.labels.is_anchored(Side::kB, user)) row[user] = -1.0;
    row.maxCoeff(&dense_best);
    dense_hits += dense_best == test.b ? 1.0 : 0.0;
  }
  EXPECT_GT(dense_hits, 0.5 * static_cast<double>(example.tests.size()));
  EXPECT_NEAR(sparse_hits, dense_hits, 0.03 * static_cast<double>(example.tests.size()));
}

// Share of the listed pairs whose score is more than `tolerance` away from that of full matrices.
double share_of_different_scores(const Example& example, const PropagationParams& params,
                                 double tolerance) {
  dalaup::Run run;
  const Propagated state = propagated(example, params, run);
  const DenseTwin twin(example.networks, example.labels, params);
  double pairs = 0.0;
  double different = 0.0;
  for (UserId user = 0; user < example.networks.a.user_count(); ++user)
    for (const ListedPair& pair : state.lists.pairs.of(user)) {
      pairs += 1.0;
      const double difference = state.lists.score(pair) - twin.score()(user, pair.partner);
      different += std::abs(difference) > tolerance ? 1.0 : 0.0;
    }
  return different / pairs;
}

TEST(Propagation, RowsWithManyNearlyEqualPairsKeepEnoughOfThemToBalanceColumns) {
  const PropagationParams params{
      .prior_candidates = 250, .listed_candidates = 100, .iterations = 6, .least_match = 0.01};
  EXPECT_LT(share_of_different_scores(dense_open_pair(), params, 0.01), 0.10);
}

TEST(Propagation, AConsensusAgreesWithFullMatrices) {
  const PropagationParams params{
      .prior_candidates = 280, .listed_candidates = 280, .iterations = 3, .consensus = "yes"};
  EXPECT_LT(share_of_different_scores(small_society(), params, 0.01), 0.02);
}

TEST(Propagation, AConsensusOfOneIsThatOne) {
  const Example example = small_society();
  dalaup::Run run;
  PropagationParams params{.least_match = 0.01, .evidence_damping = 0.5};
  ASSERT_EQ(consensus_members(params).size(), 1U);
  const Propagated alone = propagated(example, params, run);
  params.consensus = "yes";
  const Propagated together = propagated(example, params, run);
  EXPECT_EQ(together.matched.items, alone.matched.items);
  for (UserId user = 0; user < example.networks.a.user_count(); ++user)
    EXPECT_TRUE(std::ranges::equal(together.lists.pairs.of(user), alone.lists.pairs.of(user), {},
                                   &ListedPair::evidence, &ListedPair::evidence));
}

TEST(Propagation, AConsensusTriesOnlyWhatTheUserLeftOpen) {
  EXPECT_EQ(consensus_members({}).size(), 4U);
  const auto members = consensus_members({.least_match = 0.2});
  ASSERT_EQ(members.size(), 2U);
  for (const MatchSettings& member : members) EXPECT_DOUBLE_EQ(member.least_match, 0.2);
  EXPECT_NE(members[0].evidence_damping, members[1].evidence_damping);
}

TEST(Propagation, EveryOpenRowOfThePlanSumsToOne) {
  const Example example = small_society();
  dalaup::Run run;
  const Propagated state =
      propagated(example, {.prior_candidates = 280, .listed_candidates = 280}, run);
  for (UserId user = 0; user < example.networks.a.user_count(); ++user) {
    const auto pairs = state.lists.pairs.of(user);
    if (pairs.size() < 208) continue;  // pairs that are not listed hold the rest of the row
    double sum = 0.0;
    for (const ListedPair& pair : pairs)
      sum += state.plan.row_scale[user] * state.plan.column_scale[pair.partner] *
             std::exp((state.lists.score(pair) - state.lists.best_score(user)) /
                      state.plan.temperature);
    EXPECT_NEAR(sum, 1.0, 0.02) << "user " << user;
  }
}

}  // namespace
}  // namespace dalaup
