// Probabilities when labels are answers to chosen questions instead of a random sample.
#include "methods/propagation/calibration.h"

#include <gmock/gmock.h>

#include <cmath>

#include "propagation/example.h"

namespace dalaup {
namespace {

struct Claim {
  UserPair pair;
  double probability = 0.0;
};

// The best candidate of each open user of A.
std::vector<Claim> claims_of(const Aligner& aligner) {
  dalaup::Run run;
  std::vector<Claim> claims;
  const auto users = unanchored_users(aligner.labels(), Side::kA);
  for (const RankedList& list : aligner.best_candidates(Side::kA, users, 1, run)) {
    const UserPair pair{list.user, list.candidates[0].user};
    claims.push_back({pair, aligner.probability(pair)});
  }
  return claims;
}

std::unique_ptr<Aligner> fitted(const NetworkPair& networks, const LabelSet& labels) {
  dalaup::Run run;
  auto aligner = make_propagation();
  aligner->fit(networks, labels, run);
  return aligner;
}

bool is_true(const Example& example, UserPair pair) {
  return std::ranges::find(example.truth, pair) != example.truth.end();
}

// Answers questions about the pairs that are most uncertain, `count` at a time.
void ask_what_is_open(Example& example, int rounds, std::size_t count) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<Claim> claims = claims_of(*fitted(example.networks, example.labels));
    std::ranges::sort(claims, {}, [](const Claim& claim) {
      return std::pair(std::abs(claim.probability - 0.5), claim.pair);
    });
    for (const Claim& claim : std::span(claims).first(count))
      if (!example.labels.answer(claim.pair))
        example.labels.add(claim.pair,
                           is_true(example, claim.pair) ? Label::kAnchor : Label::kNotAnchor);
  }
}

// Mean probability less share of right pairs, over best pairs of at least one half.
double excess_of_claims(const Example& example, const LabelSet& labels) {
  double claimed = 0.0;
  double right = 0.0;
  double count = 0.0;
  for (const Claim& claim : claims_of(*fitted(example.networks, labels)))
    if (claim.probability >= 0.5 && !example.labels.is_negative(claim.pair)) {
      claimed += claim.probability;
      right += is_true(example, claim.pair) ? 1.0 : 0.0;
      count += 1.0;
    }
  EXPECT_GT(count, 50.0);
  return (claimed - right) / count;
}

TEST(Calibration, RunsHideSmallerPartsWhereAThirdWouldKeepThePropagationFromTakingOff) {
  dalaup::Run run;
  const auto folds = [&](UserId anchors, const PropagationParams& params,
                         bool were_chosen = false) {
    std::vector<UserPair> pairs;
    for (UserId user = 0; user < anchors; ++user) pairs.push_back({user, user});
    return calibration_folds(pairs, were_chosen, params, run).size();
  };
  EXPECT_EQ(folds(11, {}), 0U);
  EXPECT_EQ(folds(39, {}), 3U);
  EXPECT_EQ(folds(40, {}), 5U);
  EXPECT_EQ(folds(149, {}), 5U);
  EXPECT_EQ(folds(150, {}), 3U);
  EXPECT_EQ(folds(39, {}, true), 3U);
  EXPECT_EQ(folds(150, {}, true), 5U);
  EXPECT_EQ(folds(100, {.calibration_folds = 4}), 4U);
  EXPECT_EQ(folds(100, {.calibration_folds = 0}), 0U);
}

TEST(Calibration, AnswersNoToOpenQuestionsKeepProbabilitiesHonest) {
  SKIP_WITH_SANITIZERS();
  Example example = generated_example({.users_a = 700,
                                       .users_b = 680,
                                       .anchors = 450,
                                       .edges_a = 4200,
                                       .edges_b = 5000,
                                       .overlap = 0.6},
                                      6);
  ask_what_is_open(example, 4, 30);
  LabelSet without_no(example.networks.a.user_count(), example.networks.b.user_count());
  for (const UserPair& anchor : example.labels.anchors()) without_no.add(anchor, Label::kAnchor);
  const double honest = excess_of_claims(example, example.labels);
  EXPECT_LT(std::abs(honest), 0.12);  // one seed, some 100 matches: two standard errors
  EXPECT_LT(honest + 0.03, excess_of_claims(example, without_no));
}

// Names, places and dates pair users without partner with each other. Over three draws of labels
// claims are .09 too high when no run has users without partner to learn from.
TEST(Calibration, UsersWithoutPartnerAreCountedWhereAttributesPairThem) {
  SKIP_WITH_SANITIZERS();
  const Example example = generated_example({.users_a = 600,
                                             .users_b = 560,
                                             .anchors = 420,
                                             .edges_a = 4000,
                                             .edges_b = 5000,
                                             .overlap = 0.6,
                                             .attributes = true},
                                            6);
  double excess = 0.0;
  for (std::size_t draw = 0; draw < 3; ++draw) {
    LabelSet labels(example.networks.a.user_count(), example.networks.b.user_count());
    for (std::size_t i = draw; i < example.truth.size(); i += 10)
      labels.add(example.truth[i], Label::kAnchor);
    excess += excess_of_claims(example, labels) / 3.0;
  }
  EXPECT_LT(std::abs(excess), 0.05);
}

}  // namespace
}  // namespace dalaup
