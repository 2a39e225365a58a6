#include "methods/propagation/pair_features.h"

#include "methods/propagation/pair_model.h"
#include "support/support.h"

namespace dalaup {
namespace {

TEST(PairFeatures, SociabilityComparesUsersOfOneNetwork) {
  dalaup::Run run;
  // A star of four with a tail: degrees 3, 1, 1, 2, 1 in the order of names.
  const Network network = network_of("a b\na c\na d\nd e");
  const auto found = sociability(network, run);
  ASSERT_EQ(found.size(), 5U);
  const auto of = [&](const char* name) { return found[network.find(name)]; };
  EXPECT_FLOAT_EQ(of("a").rank, 0.9F);
  EXPECT_FLOAT_EQ(of("d").rank, 0.7F);
  EXPECT_FLOAT_EQ(of("b").rank, 0.3F);
  EXPECT_FLOAT_EQ(of("b").rank, of("e").rank);
  EXPECT_GT(of("b").neighbours, of("d").neighbours);  // knows the centre alone
  EXPECT_GT(of("d").neighbours, of("a").neighbours);
  double sum = 0.0;
  for (const Sociability& one : found) sum += one.neighbours;
  EXPECT_NEAR(sum, 0.0, 1e-5);
}

// Users whose partner is the one of two candidates with the smaller value.
double learned_weight(std::size_t feature, std::size_t users) {
  ChoiceExamples examples;
  for (std::size_t user = 0; user < users; ++user) {
    examples.users.push_back({.pairs = 2, .chosen = 0});
    examples.pairs.insert(examples.pairs.end(), 2, {});
    examples.pairs.back()[feature] = 1.0F;
  }
  PairModel model;
  model.train(examples, 1.0);
  return model.log_weight(examples.pairs[0]) - model.log_weight(examples.pairs[1]);
}

TEST(PairFeatures, FewLabelsTeachLittleOfDegreesAndManyTeachIt) {
  constexpr std::size_t kRank = kPairFeatures - kDegreeFeatures;
  EXPECT_LT(learned_weight(kRank, 10), 0.7 * learned_weight(0, 10));
  EXPECT_GT(learned_weight(kRank, 500), 0.5 * learned_weight(0, 500));
}

TEST(PairFeatures, ModelsFromBeforeDegreesAreRead) {
  constexpr std::size_t kEarlier = PairModel::kWeights - kDegreeFeatures;
  std::vector<double> values(3 * kEarlier, 1.0);
  PairModel model;
  model.from_values(values);
  PairFeatures pair{};
  const double before = model.log_weight(pair);
  pair[kPairFeatures - 1] = 5.0F;
  EXPECT_DOUBLE_EQ(model.log_weight(pair), before);
  values.push_back(1.0);
  EXPECT_THROW(model.from_values(values), InputError);
}

}  // namespace
}  // namespace dalaup
