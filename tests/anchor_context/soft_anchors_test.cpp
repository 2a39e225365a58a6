#include "methods/anchor_context/soft_anchors.h"

#include <gmock/gmock.h>

namespace dalaup {
namespace {

UserPair pair_in(const ContextAnchor& anchor) { return anchor.pair; }

TEST(SoftAnchors, ACandidateThatTwoUsersWantGoesToTheOneThatHasNoOther) {
  // User 0 wants 7 a little more than 8; user 1 wants only 7.
  const RankedLists lists{{0, {{7, 0.9F}, {8, 0.88F}}}, {1, {{7, 0.9F}, {8, 0.5F}}}};
  const auto found = soft_anchors(lists, 9, {.temperature = 0.02, .least_weight = 0.6});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(pair_in(found[0]), (UserPair{0, 8}));
  EXPECT_EQ(pair_in(found[1]), (UserPair{1, 7}));
  EXPECT_LE(found[1].weight, 1.0F);
}

TEST(SoftAnchors, UndecidedUsersGiveNone) {
  const RankedLists lists{{0, {{3, 0.5F}, {4, 0.5F}, {5, 0.5F}}}, {1, {}}};
  EXPECT_TRUE(soft_anchors(lists, 6, {.temperature = 0.02, .least_weight = 0.4}).empty());
  const auto shared = soft_anchors(lists, 6, {.temperature = 0.02, .least_weight = 0.3});
  ASSERT_EQ(shared.size(), 3U);
  for (const ContextAnchor& anchor : shared) EXPECT_NEAR(anchor.weight, 1.0F / 3.0F, 1e-5F);
}

}  // namespace
}  // namespace dalaup
