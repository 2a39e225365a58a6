#include <gmock/gmock.h>

#include <cmath>

#include "ranking/ranking.h"
#include "support/support.h"

namespace dalaup {
namespace {

CosineIndex random_index(UserId users_a, UserId users_b) {
  std::srand(3);  // Eigen draws with std::rand
  return CosineIndex({Matrix::Random(users_a, 6), Matrix::Random(users_b, 6)});
}

TEST(CosineIndex, BringsVectorsToLengthOneAndLeavesZeroesAlone) {
  Matrix a(2, 2);
  a << 3, 4, 0, 0;
  Matrix b(1, 2);
  b << 0, 2;
  const CosineIndex index({a, b});
  EXPECT_FLOAT_EQ(index.score({0, 0}), 0.8F);
  EXPECT_EQ(index.score({1, 0}), 0.0F);
  a(1, 1) = std::nanf("");
  EXPECT_THROW(CosineIndex({a, b}), StateError);
}

TEST(CosineIndex, NeverListsUsersAnchoredElsewhereOrPairsAnsweredNo) {
  const CosineIndex index = random_index(9, 8);
  LabelSet labels(9, 8);
  labels.add({2, 3}, Label::kAnchor);
  labels.add({0, 5}, Label::kNotAnchor);
  dalaup::Run run;
  const std::vector<UserId> users{0, 1};
  const RankedLists lists = index.best(Side::kA, users, 8, labels, run);
  ASSERT_EQ(lists[0].candidates.size(), 6U);
  ASSERT_EQ(lists[1].candidates.size(), 7U);
  std::vector<float> row(8);
  index.score_row(Side::kA, 1, row);
  for (const Candidate& candidate : lists[1].candidates) {
    EXPECT_NE(candidate.user, 3U);
    EXPECT_NEAR(candidate.score, row[candidate.user], 1e-6F);
  }
  for (const Candidate& candidate : lists[0].candidates) EXPECT_NE(candidate.user, 5U);
  const std::vector<UserPair> pairs{{1, lists[1].candidates[2].user}};
  EXPECT_EQ(index.ranks(pairs, labels, run)[0], 3.0);
}

TEST(CosineIndex, CslsTakesHalfOfEitherUsersMeanOffTheCosine) {
  const CosineIndex index = random_index(20, 15);
  const LabelSet labels(20, 15);
  dalaup::Run run;
  const NearestMeans means = index.nearest_means(labels, run);
  const CosineIndex csls = index.with_csls(means);
  for (UserId a = 0; a < 20; a += 3)
    for (UserId b = 0; b < 15; b += 2)
      EXPECT_NEAR(2.25F * csls.score({a, b}),
                  index.score({a, b}) - 0.5F * (means[0][a] + means[1][b]), 1e-5F);
  for (Eigen::Index row = 0; row < 20; ++row)
    EXPECT_NEAR(csls.vectors().a.row(row).norm(), 1.0F, 1e-5F);
}

}  // namespace
}  // namespace dalaup
