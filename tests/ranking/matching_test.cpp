#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "ranking/ranking.h"
#include "support/support.h"

namespace dalaup {
namespace {

// The best total of probability - least over all one-to-one matchings, by trying them all.
double best_total(const RankedLists& lists, double least, std::size_t row = 0,
                  std::set<UserId> taken = {}) {
  if (row == lists.size()) return 0.0;
  double best = best_total(lists, least, row + 1, taken);
  for (const auto& [user, score] : lists[row].candidates) {
    if (static_cast<double>(score) < least || taken.contains(user)) continue;
    auto with = taken;
    with.insert(user);
    best = std::max(best, static_cast<double>(score) - least +
                              best_total(lists, least, row + 1, std::move(with)));
  }
  return best;
}

RankedLists arbitrary_lists() {
  RankedLists lists;
  const int rows = *rc::gen::inRange(0, 7);
  const int columns = *rc::gen::inRange(1, 7);
  for (int row = 0; row < rows; ++row) {
    RankedList list{static_cast<UserId>(row * 3), {}};
    for (int column = 0; column < columns; ++column)
      // Few distinct values, so that ties are common.
      if (*rc::gen::inRange(0, 3) > 0)
        list.candidates.push_back(
            {static_cast<UserId>(column), static_cast<float>(*rc::gen::inRange(0, 9)) / 8.0F});
    lists.push_back(std::move(list));
  }
  return lists;
}

// a0 likes b0 (.9) a little more than b1 (.8); a1 can only have b0 (.7). Greedy takes .9 and leaves
// a1 alone; together .8 + .7 is better.
TEST(OneToOne, GivesWayWhereThatHelpsMoreThanItCosts) {
  dalaup::Run run;
  const RankedLists lists{{0, {{0, 0.9F}, {1, 0.8F}}}, {1, {{0, 0.7F}}}};
  const auto matches = one_to_one(lists, {}, run);
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(matches[0].pair, (UserPair{0, 1}));
  EXPECT_NEAR(matches[0].probability, 0.8, 1e-6);
  EXPECT_EQ(matches[1].pair, (UserPair{1, 0}));
}

TEST(OneToOne, LeavesUsersUnmatchedWhenNoCandidateIsLikely) {
  dalaup::Run run;
  const RankedLists lists{{0, {{0, 0.49F}}}, {1, {{1, 0.5F}}}, {2, {}}};
  const auto matches = one_to_one(lists, {}, run);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].pair, (UserPair{1, 1}));
  EXPECT_EQ(one_to_one(lists, {.least_probability = 0.0}, run).size(), 2U);
  EXPECT_TRUE(one_to_one({}, {}, run).empty());
}

RC_GTEST_PROP(OneToOne, IsAsGoodAsTryingEveryMatching, ()) {
  const RankedLists lists = arbitrary_lists();
  const double least = *rc::gen::element(0.0, 0.125, 0.5, 0.75);
  dalaup::Run run;
  const auto matches = one_to_one(lists, {.least_probability = least}, run);
  double total = 0.0;
  std::set<UserId> a;
  std::set<UserId> b;
  for (const Match& match : matches) {
    RC_ASSERT(a.insert(match.pair.a).second);
    RC_ASSERT(b.insert(match.pair.b).second);
    RC_ASSERT(match.probability >= least);
    total += match.probability - least;
  }
  RC_ASSERT(std::abs(total - best_total(lists, least)) < 1e-7);
}

TEST(OneToOne, RefusesWhatIsNoProbabilityAndUsersListedTwice) {
  dalaup::Run run;
  EXPECT_THROW(one_to_one({{0, {{0, 1.5F}}}}, {}, run), ParameterError);
  EXPECT_THROW(one_to_one({{0, {{0, std::nanf("")}}}}, {}, run), ParameterError);
  EXPECT_THROW(one_to_one({{0, {}}, {0, {}}}, {}, run), ParameterError);
  EXPECT_THROW(one_to_one({}, {.least_probability = 1.5}, run), ParameterError);
}

}  // namespace
}  // namespace dalaup
