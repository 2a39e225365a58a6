#include <gtest/gtest.h>

#include <algorithm>

#include "query/query.h"
#include "support/copied_society.h"

namespace dalaup {
namespace {

TEST(HubPicks, FindThePartnersOfHubsInANearCopy) {
  const CopiedSociety society = copied_society(200, 8.0, 1.0, 3);  // person i is 199 - i in B
  const LabelSet labels(200, 200);
  const Pool pool(200, 200);
  const auto questions = hub_picks(society.networks, labels, pool, 5, 25);
  ASSERT_EQ(questions.size(), 25U);
  int found = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& question = questions[i];
    EXPECT_EQ(question.kind, QuestionKind::kPick);
    EXPECT_EQ(question.candidates.size(), 5U);
    found += std::ranges::count(question.candidates, 199 - question.user);
    if (i > 0) {
      EXPECT_GE(society.networks.a.degree(questions[i - 1].user),
                society.networks.a.degree(question.user));
    }
  }
  EXPECT_EQ(found, 25);
}

TEST(HubPicks, LeaveOutWhatIsKnownClosedOrAsked) {
  const CopiedSociety society = copied_society(50, 6.0, 1.0, 3);
  LabelSet labels(50, 50);
  Pool pool(50, 50);
  const auto all = hub_picks(society.networks, labels, pool, 5, 3);
  labels.add({all[0].user, all[0].candidates[0]}, Label::kAnchor);
  pool.close(Side::kA, all[1].user);
  pool.block({all[2].user, all[2].candidates[0]});
  const auto rest = hub_picks(society.networks, labels, pool, 5, 50);
  for (const Question& question : rest) {
    EXPECT_NE(question.user, all[0].user);
    EXPECT_NE(question.user, all[1].user);
    for (const UserId candidate : question.candidates) EXPECT_NE(candidate, all[0].candidates[0]);
  }
  EXPECT_EQ(rest.front().user, all[2].user);
  EXPECT_EQ(std::ranges::count(rest.front().candidates, all[2].candidates[0]), 0);
}

}  // namespace
}  // namespace dalaup
