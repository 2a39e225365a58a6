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

}  // namespace
}  // namespace dalaup
