#include "methods/propagation/ensemble.h"

#include <cmath>

#include "support/support.h"

namespace dalaup {
namespace {

using ::testing::FloatNear;

BoundedRows<ListedPair> listed(std::vector<std::vector<UserId>> rows) {
  BoundedRows<ListedPair> lists{{0, rows.size()}, 3};
  for (std::size_t user = 0; user < rows.size(); ++user) {
    std::vector<ListedPair> pairs;
    for (const UserId partner : rows[user]) pairs.push_back({partner});
    lists.assign(user, pairs);
  }
  return lists;
}

Propagated state_with(const BoundedRows<ListedPair>& lists) {
  Propagated state;
  state.lists.pairs = lists;
  state.open_b.assign(9, 1);
  return state;
}

FoldRuns folds_with(const std::vector<BoundedRows<ListedPair>>& lists) {
  FoldRuns folds;
  for (const auto& of_fold : lists) {
    folds.push_back(std::make_unique<Fold>());
    folds.back()->state = state_with(of_fold);
  }
  return folds;
}

TEST(Ensemble, FoldsThatAgreeChangeNothing) {
  const auto lists = listed({{4, 5, 6}, {}, {7}});
  const std::vector<float> odds{3.0F, -1.0F, -5.0F, 0.0F, 0.0F, 0.0F, 0.5F, 0.0F, 0.0F};
  dalaup::Run run;
  const auto opinions = fold_opinions(state_with(lists), odds, folds_with({lists, lists}),
                                      std::vector{odds, odds}, run);
  const auto both = together(odds, opinions);
  for (const std::size_t i : {0U, 1U, 2U, 6U}) EXPECT_NEAR(both[i], odds[i], 1e-3) << i;
}

TEST(Ensemble, ASurePairThatFoldsDoNotKnowFallsBehindOneOnWhichAllAgree) {
  const auto lists = listed({{4, 5}, {6}});
  const std::vector<float> odds{9.0F, -9.0F, 0.0F, 4.0F, 0.0F, 0.0F};
  const auto of_fold = listed({{8}, {6}});
  const std::vector<float> fold_odds{2.0F, 0.0F, 0.0F, 4.0F, 0.0F, 0.0F};
  dalaup::Run run;
  const auto opinions = fold_opinions(state_with(lists), odds, folds_with({of_fold, of_fold}),
                                      std::vector{fold_odds, fold_odds}, run);
  const auto both = together(odds, opinions);
  EXPECT_NEAR(both[0], 0.5 * (9.0 + std::log(0.0025)), 0.1);
  EXPECT_GT(both[3], both[0]);
  EXPECT_GT(both[0], both[1]);
}

TEST(Ensemble, HopelessPairsKeepTheOrderOfTheRun) {
  const auto lists = listed({{4, 5, 6}});
  const std::vector<float> odds{-30.0F, -50.0F, -80.0F};
  dalaup::Run run;
  for (const std::size_t folds : {2U, 3U, 5U, 10U}) {
    const auto opinions =
        fold_opinions(state_with(lists), odds, folds_with(std::vector(folds, listed({{}}))),
                      std::vector(folds, std::vector<float>(3)), run);
    const auto both = together(odds, opinions);
    for (const std::size_t i : {0U, 1U, 2U})
      EXPECT_NEAR(both[i], odds[i] + std::log(0.5), 1e-3) << folds << " folds";
  }
}

TEST(Ensemble, WithoutFoldsOddsStayAsTheyAre) {
  const std::vector<float> odds{1.0F, -80.0F, 30.0F};
  EXPECT_EQ(together(odds, {}), odds);
}

TEST(Ensemble, OpinionsMoveToPairsThatAreStillListed) {
  const std::vector<float> opinions{1.0F, 2.0F, 0.0F, 3.0F, 0.0F, 0.0F};
  EXPECT_EQ(moved_opinions(listed({{4, 5}, {6}}), opinions, listed({{5, 7}, {}})),
            (std::vector<float>{2.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F}));
}

TEST(Ensemble, AsManyBestPairsAreAsSureAsBefore) {
  constexpr std::size_t kUsers = 40;
  BoundedRows<ListedPair> lists{{0, kUsers}, 1};
  std::vector<float> before;
  std::vector<float> after;
  for (std::size_t user = 0; user < kUsers; ++user) {
    lists.assign(user, std::vector<ListedPair>{{static_cast<UserId>(user)}});
    const auto odds = 0.2F * static_cast<float>(user) - 4.0F;
    before.push_back(odds);
    after.insert(after.begin(), 0.5F * odds - 1.0F);  // of other users
  }
  dalaup::Run run;
  const OddsCorrection learned{.slope = 0.8, .offset = 0.3};
  const OddsCorrection odds = as_sure(lists, before, after, learned, run);
  EXPECT_NEAR(odds.slope, 1.6, 1e-4);
  EXPECT_NEAR(odds.offset, 1.9, 1e-4);
}

}  // namespace
}  // namespace dalaup
