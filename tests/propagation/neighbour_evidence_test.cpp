#include "methods/propagation/neighbour_evidence.h"

#include <cmath>

#include "methods/propagation/fit.h"
#include "support/support.h"

namespace dalaup {
namespace {

// A: ann - bob - cid, bob - dee        B: x - y - z, y - w       known: bob = y, ann = x
NetworkPair two_stars() {
  return {network_of("ann bob\nbob cid\nbob dee"), network_of("x y\ny z\ny w")};
}

TEST(Evidence, NeighboursSharedWithEverybodyWeighLess) {
  const auto weights = neighbour_weights(two_stars().a);
  EXPECT_FLOAT_EQ(weights[1], static_cast<float>(1.0 / std::sqrt(std::log(5.0))));  // bob: degree 3
  EXPECT_FLOAT_EQ(weights[0], static_cast<float>(1.0 / std::sqrt(std::log(3.0))));
}

TEST(Evidence, OfAPairWithOneMatchedNeighbourFollowsTheFormula) {
  const NetworkPair networks = two_stars();
  const LabelSet labels = labels_of(networks, {{"bob", "y"}, {"ann", "x"}});
  dalaup::Run run;
  const NetworkWeights weights{neighbour_weights(networks.a), neighbour_weights(networks.b)};
  const PropagationParams params{
      .iterations = 1, .least_match = 0.1, .evidence_damping = 0.7, .density_balance = 0.5};
  Task task(run, "propagating", 1);
  const Propagated state = propagate(
      networks, weights, labels.anchors(),
      make_priors(networks, labels.anchors(), {}, {}, params, run)[0], nullptr, params, task, run);
  const UserId cid = networks.a.find("cid");
  const UserId z = networks.b.find("z");
  const auto pairs = state.lists.pairs.of(cid);
  const auto found = std::ranges::find(pairs, z, &ListedPair::partner);
  ASSERT_NE(found, pairs.end());
  const double weight = 1.0 / std::log(5.0);  // w(bob) * w(y); n(cid) = n(z) = sqrt(weight)
  const double norm = std::sqrt(weight) + 0.7;
  EXPECT_NEAR(found->evidence, weight / (norm * norm), 1e-6);
}

// Beyond the limit a match only adds to what is listed anyway: by its context, as here.
TEST(Evidence, OfAHubIsTheSameForPairsThatAreListed) {
  const NetworkPair networks = two_stars();
  const LabelSet labels = labels_of(networks, {{"bob", "y"}, {"ann", "x"}});
  dalaup::Run run;
  const NetworkWeights weights{neighbour_weights(networks.a), neighbour_weights(networks.b)};
  const PropagationParams params{.iterations = 1, .least_match = 0.1, .evidence_damping = 0.7};
  Task task(run, "propagating", 1);
  const Prior prior = make_priors(networks, labels.anchors(), {}, {}, params, run)[0];
  const Propagated state =
      propagate(networks, weights, labels.anchors(), prior, nullptr, params, task, run);
  const Adjacency open_edges{{0, 0, 2, 2, 2}, {networks.b.find("z"), networks.b.find("w")}, {}};
  const RowBlocks blocks_a(networks.a.both().begins, communicator_of(run));
  const RowBlocks blocks_b(networks.b.both().begins, communicator_of(run));
  EvidenceInput input{networks,   blocks_a,     blocks_b,     weights.a, weights.b,
                      open_edges, state.open_a, state.open_b, prior,     nullptr};
  const std::vector<std::uint8_t> everybody(networks.a.user_count(), 1);
  const auto lists_with = [&](std::size_t hub_degree) {
    input.hub_degree = hub_degree;
    PairLists lists = state.lists;
    update_evidence(lists, input, state.matched, state.norms, everybody, 0.03, Reach::kAll, run);
    return lists;
  };
  const PairLists scattered = lists_with(2);
  const PairLists gathered = lists_with(1);  // y has two open neighbours
  for (const char* const name : {"cid", "dee"}) {
    const auto expected = scattered.pairs.of(networks.a.find(name));
    const auto found = gathered.pairs.of(networks.a.find(name));
    ASSERT_EQ(found.size(), 2U);
    for (const ListedPair& pair : expected) {
      EXPECT_GT(pair.evidence, 0.0F);
      const auto same = std::ranges::find(found, pair.partner, &ListedPair::partner);
      ASSERT_NE(same, found.end());
      EXPECT_FLOAT_EQ(same->evidence, pair.evidence);
    }
  }
}

TEST(Evidence, TheDensityBalanceCountsEdgesAmongAnchors) {
  // Three labelled people; A has both of B's edges and one more: P(in A | in B) = (2+1)/(2+2),
  // P(in B | in A) = (2+1)/(3+2), so the balance is .6 / (.75 + .6).
  const NetworkPair networks{network_of("a b\nb c\na c"), network_of("x y\ny z")};
  const LabelSet labels = labels_of(networks, {{"a", "x"}, {"b", "y"}, {"c", "z"}});
  EXPECT_NEAR(density_balance(networks, labels.anchors()), 0.6 / 1.35, 1e-12);
}

TEST(Evidence, AnchoredUsersAreNeitherRowsNorCandidates) {
  const NetworkPair networks = two_stars();
  const LabelSet labels = labels_of(networks, {{"bob", "y"}, {"ann", "x"}});
  dalaup::Run run;
  const NetworkWeights weights{neighbour_weights(networks.a), neighbour_weights(networks.b)};
  Task task(run, "propagating", 1);
  const Propagated state =
      propagate(networks, weights, labels.anchors(),
                make_priors(networks, labels.anchors(), {}, {}, {}, run)[0], nullptr,
                {.least_match = 0.1, .evidence_damping = 0.7}, task, run);
  EXPECT_TRUE(state.lists.pairs.of(networks.a.find("bob")).empty());
  for (UserId user = 0; user < networks.a.user_count(); ++user)
    for (const ListedPair& pair : state.lists.pairs.of(user))
      EXPECT_FALSE(labels.is_anchored(Side::kB, pair.partner));
}

}  // namespace
}  // namespace dalaup
