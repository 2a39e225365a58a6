#include "methods/propagation/pair_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dalaup {
namespace {

// Users with two listed pairs, of which the first is the partner.
ChoiceExamples choices(std::size_t users, float scale_of_partner, float scale_of_other) {
  ChoiceExamples examples;
  for (std::size_t user = 0; user < users; ++user) {
    examples.users.push_back({.pairs = 2, .chosen = 0});
    PairFeatures partner{};
    PairFeatures other{};
    partner[kColumnScaleFeature] = scale_of_partner;
    other[kColumnScaleFeature] = scale_of_other;
    examples.pairs.push_back(partner);
    examples.pairs.push_back(other);
  }
  return examples;
}

double difference_at(const PairModel& model, float left, float right) {
  PairFeatures one{};
  PairFeatures two{};
  one[kColumnScaleFeature] = left;
  two[kColumnScaleFeature] = right;
  return model.log_weight(one) - model.log_weight(two);
}

// In runs below the take-off the logarithm of the column scale is nearly constant; with all labels
// it is not. What little it varied must not be blown up to certainty.
TEST(PairModel, NearlyConstantLogarithmsDecideNothingWhereTheyVary) {
  PairModel model;
  model.train(choices(40, -20.0F, -19.97F), 1.0);
  EXPECT_LT(std::abs(difference_at(model, 0.0F, -20.0F)), 30.0);
}

TEST(PairModel, LogarithmsThatVaryAreLearned) {
  PairModel model;
  model.train(choices(40, 2.0F, -2.0F), 1.0);
  EXPECT_GT(difference_at(model, 2.0F, -2.0F), 1.0);
}

// As many right pairs at odds of e^6, as many wrong ones at e^-3.
OddsCorrection learned_of(int right) {
  std::vector<OddsExample> examples;
  for (int i = 0; i < right; ++i) examples.push_back({.log_odds = 6.0, .is_anchor = true});
  for (int i = 0; i < right + 5; ++i) examples.push_back({.log_odds = -3.0, .is_anchor = false});
  return fit_odds(examples);
}

double chance(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }

TEST(OddsCorrection, NothingIsLikelierThanNotWhereAtMostOneHiddenPairWasRight) {
  for (const int right : {0, 1})
    for (const double odds : {0.0, 6.0, 30.0}) EXPECT_LT(chance(learned_of(right)(odds)), 0.5);
}

TEST(OddsCorrection, ClaimsGrowWithWhatWasSeenRight) {
  EXPECT_LT(chance(learned_of(3)(30.0)), 0.76);   // 3.5² / 4 to one
  EXPECT_LT(chance(learned_of(10)(30.0)), 0.97);  // 10.5² / 4
  EXPECT_GT(chance(learned_of(10)(30.0)), 0.95);
}

TEST(OddsCorrection, ManyRightPairsLeaveTheLineAsItIs) {
  const OddsCorrection odds = learned_of(60);
  const OddsCorrection line{.slope = odds.slope, .offset = odds.offset};
  for (const double at : {-3.0, 0.0, 3.0}) EXPECT_NEAR(chance(odds(at)), chance(line(at)), 1e-4);
}

// Half of the pairs that were asked about are wrong, at whatever odds they are now.
TEST(OddsCorrection, RefusedPairsLowerTheLineAndFlattenItByHalf) {
  std::vector<OddsExample> examples;
  for (int odds = -3; odds <= 6; ++odds)
    for (int i = 0; i < 40; ++i)
      examples.push_back({.log_odds = 1.0 * odds, .is_anchor = i < 40 * chance(0.8 * odds)});
  const OddsCorrection before = fit_odds(examples);
  std::vector<OddsExample> all = examples;
  for (int odds = 0; odds <= 5; ++odds)
    for (int i = 0; i < 20; ++i) {
      examples.push_back({.log_odds = 1.0 * odds, .is_anchor = false, .tells_slope = false});
      all.push_back({.log_odds = 1.0 * odds, .is_anchor = false});
    }
  const OddsCorrection after = fit_odds(examples);
  EXPECT_NEAR(after.slope, 0.5 * (before.slope + fit_odds(all).slope), 1e-9);
  EXPECT_LT(after.offset, before.offset - 0.5);
}

TEST(OddsCorrection, SurerOddsStaySurer) {
  const OddsCorrection odds = learned_of(2);
  for (double at = -20.0; at < 12.0; at += 0.5) EXPECT_LT(odds(at), odds(at + 0.5));
}

}  // namespace
}  // namespace dalaup
