#include "methods/propagation/prior.h"

#include <cmath>

#include "propagation/example.h"

namespace dalaup {
namespace {

// The prior of a pair written out: cosine of the two rows without the hidden anchors' columns, in
// the lengths the rows have with them.
double slow_prior(const ContextView& view, UserPair pair) {
  double dot = 0.0;
  double whole[2] = {0.0, 0.0};
  double seen[2] = {0.0, 0.0};
  const std::span<const ContextEntry> rows[2] = {view.context->a.of(pair.a),
                                                 view.context->b.of(pair.b)};
  for (int side = 0; side < 2; ++side)
    for (const ContextEntry& entry : rows[side]) {
      const double square = double{entry.weight} * entry.weight;
      whole[side] += square;
      if (!view.is_hidden[entry.anchor]) seen[side] += square;
    }
  for (const ContextEntry& left : rows[0])
    for (const ContextEntry& right : rows[1])
      if (left.anchor == right.anchor && !view.is_hidden[left.anchor])
        dot += double{left.weight} * right.weight;
  return seen[0] * seen[1] > 0.0 ? dot * std::sqrt(whole[0] * whole[1] / (seen[0] * seen[1])) : 0.0;
}

TEST(Prior, OnePassGivesWhatEachSetOfHiddenAnchorsGivesAlone) {
  const Example example = small_society();
  const auto anchors = example.labels.anchors();
  const std::vector<std::vector<UserPair>> hidden{{anchors.begin(), anchors.begin() + 5},
                                                  {anchors.begin() + 5, anchors.begin() + 12}};
  const PropagationParams params{.prior_candidates = 10};
  dalaup::Run run;
  const std::vector<Prior> priors = make_priors(example.networks, anchors, hidden, {}, params, run);
  ASSERT_EQ(priors.size(), 3U);
  for (std::size_t set = 0; set <= hidden.size(); ++set) {
    std::vector<std::uint8_t> open_a(example.networks.a.user_count(), 1);
    std::vector<std::uint8_t> open_b(example.networks.b.user_count(), 1);
    for (const UserPair& anchor : anchors) open_a[anchor.a] = open_b[anchor.b] = 0;
    if (set > 0)
      for (const UserPair& anchor : hidden[set - 1]) open_a[anchor.a] = open_b[anchor.b] = 1;
    for (UserId a = 0; a < open_a.size(); ++a) {
      const auto best = priors[set].best.of(a);
      if (!open_a[a]) {
        EXPECT_TRUE(best.empty());
        continue;
      }
      std::vector<double> expected;
      for (UserId b = 0; b < open_b.size(); ++b)
        if (open_b[b]) expected.push_back(slow_prior(priors[set].view, {a, b}));
      std::ranges::sort(expected, std::greater());
      for (std::size_t i = 0; i < best.size(); ++i) {
        EXPECT_TRUE(open_b[best[i].user]);
        EXPECT_NEAR(best[i].weight, expected[i], 1e-5);
        EXPECT_NEAR(best[i].weight, slow_prior(priors[set].view, {a, best[i].user}), 1e-5);
      }
      EXPECT_TRUE(best.size() == 10 || expected[best.size()] < 1e-6);
    }
  }
}

// Vectors of any length, some of them zero.
Embeddings random_vectors(const NetworkPair& networks, std::uint64_t seed) {
  Random random(seed);
  const auto filled = [&](UserId users) {
    Matrix vectors(users, 5);
    for (float& value : vectors.reshaped()) value = static_cast<float>(random.uniform() - 0.5);
    vectors.row(3).setZero();
    return vectors;
  };
  return {filled(networks.a.user_count()), filled(networks.b.user_count())};
}

double slow_cosine(const Embeddings& vectors, UserPair pair) {
  const Eigen::VectorXd left = vectors.a.row(pair.a).cast<double>();
  const Eigen::VectorXd right = vectors.b.row(pair.b).cast<double>();
  const double length = left.norm() * right.norm();
  return length > 0.0 ? std::max(0.0, left.dot(right) / length) : 0.0;
}

TEST(Prior, LearnedVectorsAreTakenAloneOrInEqualPartsWithTheContext) {
  const Example example = small_society();
  const auto anchors = example.labels.anchors();
  const std::vector<std::vector<UserPair>> hidden{{anchors.begin(), anchors.begin() + 5}};
  const std::vector<Embeddings> learned{random_vectors(example.networks, 1),
                                        random_vectors(example.networks, 2)};
  PropagationParams params{.prior_candidates = 10};
  dalaup::Run run({.threads = 2});
  const auto contexts = make_priors(example.networks, anchors, hidden, {}, params, run);
  for (const char* const kind : {"aup", "both"}) {
    params.prior = kind;
    const auto priors = make_priors(example.networks, anchors, hidden, learned, params, run);
    const double share = params.prior == "both" ? 0.5 : 1.0;
    for (std::size_t set = 0; set < 2; ++set) {
      std::vector<std::uint8_t> open_a(example.networks.a.user_count(), 1);
      std::vector<std::uint8_t> open_b(example.networks.b.user_count(), 1);
      for (std::size_t i = set == 0 ? 0 : 5; i < anchors.size(); ++i)
        open_a[anchors[i].a] = open_b[anchors[i].b] = 0;
      for (UserId a = 0; a < open_a.size(); ++a) {
        const auto best = priors[set].best.of(a);
        if (!open_a[a]) continue;
        std::vector<double> expected;
        for (UserId b = 0; b < open_b.size(); ++b)
          if (open_b[b])
            expected.push_back(share * slow_cosine(learned[set], {a, b}) +
                               (1.0 - share) * slow_prior(contexts[set].view, {a, b}));
        std::ranges::sort(expected, std::greater());
        double rest = 0.0;
        for (std::size_t i = best.size(); i < expected.size(); ++i) rest += expected[i];
        EXPECT_NEAR(priors[set].rows[a].mean,
                    rest / static_cast<double>(expected.size() - best.size()), 1e-4);
        for (std::size_t i = 0; i < best.size(); ++i) {
          EXPECT_TRUE(open_b[best[i].user]);
          EXPECT_NEAR(best[i].weight, expected[i], 1e-5);
          EXPECT_NEAR(learned_prior(*priors[set].learned, a, best[i].user),
                      share * slow_cosine(learned[set], {a, best[i].user}), 1e-5);
        }
        EXPECT_TRUE(best.size() == 10 || expected[best.size()] < 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace dalaup
