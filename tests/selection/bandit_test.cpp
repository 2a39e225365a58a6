#include <gtest/gtest.h>

#include "selection/selection.h"

namespace dalaup {
namespace {

TEST(Bandit, MeanRewardIncludesEachNewReward) {
  Bandit bandit({"saie", "cs", "eer"});
  bandit.reward(1, 0.06);
  bandit.reward(1, 0.02);
  bandit.reward(1, -0.02);
  EXPECT_EQ(bandit.arms()[1].times_chosen, 3);
  EXPECT_DOUBLE_EQ(bandit.arms()[1].mean_reward, 0.02);
  EXPECT_EQ(bandit.arms()[0].times_chosen, 0);
  EXPECT_DOUBLE_EQ(bandit.arms()[0].mean_reward, 0.0);
}

TEST(Bandit, TakesTheBestArmWheneverItDoesNotExplore) {
  Bandit bandit({"saie", "cs", "eer"});
  bandit.reward(0, 0.01);
  bandit.reward(2, 0.03);
  int explored = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto choice = bandit.choose(3, Random(seed));
    explored += choice.explored ? 1 : 0;
    if (!choice.explored) {
      EXPECT_EQ(choice.arm, 2U);
    }
  }
  // The mean of Beta(0.1, 3) is 0.1 / 3.1.
  EXPECT_NEAR(explored / 2000.0, 0.1 / 3.1, 0.015);
}

TEST(Bandit, TriesEachArmOnceBeforeItTakesTheBestWhenAsked) {
  Bandit bandit({"saie", "cs", "eer"});
  bandit.reward(0, 0.5);
  bandit.reward(2, -0.1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto choice = bandit.choose(2, Random(seed), true);
    if (!choice.explored) {
      EXPECT_EQ(choice.arm, 1U);
    }
  }
  bandit.reward(1, 0.1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto choice = bandit.choose(3, Random(seed), true);
    if (!choice.explored) {
      EXPECT_EQ(choice.arm, 0U);
    }
  }
}

TEST(Bandit, ExplorationFallsFromRoundToRound) {
  const Bandit bandit({"saie", "cs"});
  const auto mean_probability = [&](std::int64_t round) {
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed)
      sum += bandit.choose(round, Random(seed)).exploration_probability;
    return sum / 4000.0;
  };
  EXPECT_NEAR(mean_probability(1), 0.1 / 1.1, 0.015);
  EXPECT_NEAR(mean_probability(15), 0.1 / 15.1, 0.004);
}

TEST(Bandit, BreaksTiesAtRandomAndExploresEveryArm) {
  const Bandit bandit({"saie", "cs", "eer"});
  int times[3] = {};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) ++times[bandit.choose(1, Random(seed)).arm];
  for (const int count : times) EXPECT_NEAR(count, 1000, 120);
}

TEST(Bandit, StateSurvivesJsonToTheLastBit) {
  Bandit bandit({"saie", "cs"});
  bandit.reward(0, 0.1);
  bandit.reward(0, 1.0 / 3.0);
  EXPECT_EQ(Bandit::from_json(bandit.to_json()), bandit);
  EXPECT_THROW(Bandit::from_json("[{\"name\": \"cs\"}]"), InputError);
  EXPECT_THROW(Bandit::from_json("no"), InputError);
}

TEST(Bandit, RefusesNoArmsAndRepeatedArms) {
  EXPECT_THROW(Bandit(std::vector<std::string>{}), ParameterError);
  EXPECT_THROW(Bandit({"cs", "cs"}), ParameterError);
}

}  // namespace
}  // namespace dalaup
