#include <gtest/gtest.h>

#include "evaluation/evaluation.h"
#include "support/copied_society.h"

namespace dalaup {
namespace {

// Persons 0..9 of A are 9..0 in B; the truth knows only persons 0 to 5.
class RightPairsTest : public testing::Test {
 protected:
  CopiedSociety society_ = copied_society(10, 3.0, 0.9, 1);
  std::vector<UserPair> truth_{{0, 9}, {1, 8}, {2, 7}, {3, 6}, {4, 5}, {5, 4}};
  TruthJudge judge_{society_.networks, truth_};
};

TEST_F(RightPairsTest, PairsOfUsersTheTruthDoesNotMentionAreNotJudged) {
  EXPECT_EQ(judge_.judge({0, 9}), true);
  EXPECT_EQ(judge_.judge({0, 8}), false);
  EXPECT_EQ(judge_.judge({7, 9}), false);  // 9 belongs to 0
  EXPECT_EQ(judge_.judge({7, 2}), std::nullopt);
  EXPECT_EQ(TruthJudge(society_.networks, truth_, true).judge({7, 2}), false);
}

// p      .99  .95   .90   .80   .70  .60          .40
//        yes  yes   no    yes   yes  not judged   never exported
// share  1    1     .67   .75   .8
TEST_F(RightPairsTest, CountsUpToTheLoosestCutOffThatHoldsTheWantedPrecision) {
  const std::vector<ExportedPair> matching{{{0, 9}, 0.99}, {{3, 6}, 0.70}, {{1, 8}, 0.95},
                                           {{2, 5}, 0.90}, {{4, 7}, 0.40}, {{5, 4}, 0.80},
                                           {{7, 2}, 0.60}};
  const RightPairs strict = right_pairs(matching, 3, judge_, 0.95);
  EXPECT_EQ(strict.exported, 6U);
  EXPECT_EQ(strict.not_judged, 1U);
  EXPECT_EQ(strict.right, 4U);
  EXPECT_EQ(strict.found(), 7U);
  EXPECT_EQ(strict.right_at_wanted, 2U);
  EXPECT_EQ(strict.found_at_wanted(), 5U);
  EXPECT_NEAR(strict.claimed_precision, (0.99 + 0.95 + 0.9 + 0.8 + 0.7) / 5.0, 1e-12);
  EXPECT_NEAR(strict.true_precision, 0.8, 1e-12);
  EXPECT_NEAR(strict.true_at_9, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(right_pairs(matching, 3, judge_, 0.8).right_at_wanted, 4U);
  EXPECT_THROW(right_pairs(matching, 3, judge_, 0.0), ParameterError);
}

TEST_F(RightPairsTest, PairsOfOneProbabilityPassACutOffTogether) {
  const std::vector<ExportedPair> matching{{{0, 9}, 0.9}, {{1, 7}, 0.9}};
  EXPECT_EQ(right_pairs(matching, 0, judge_, 0.95).right_at_wanted, 0U);
  EXPECT_EQ(right_pairs(matching, 0, judge_, 0.5).right_at_wanted, 1U);
}

}  // namespace
}  // namespace dalaup
