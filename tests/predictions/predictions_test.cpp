#include "predictions/predictions.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace dalaup {
namespace {

TEST(RankedListFile, NamesTheUsersOfBothSidesCountsRanksFromOneAndSaysItsDirection) {
  const TemporaryFolder folder;
  NetworkPair networks;
  networks.a = network_of("alice bob\nbob carol");
  networks.b = network_of("x y\ny z");
  const RankedLists lists{{2, {{1, 0.9F}, {0, 1e-7F}}}, {0, {{2, -0.25F}}}};
  const RankedLists probabilities{{2, {{1, 0.75F}, {0, 0.125F}}}, {0, {{2, 0.5F}}}};
  write_ranked_lists(folder / "list.tsv", Side::kA, lists, probabilities, networks);
  EXPECT_EQ(content_of(folder / "list.tsv"),
            "a\trank\tb\tscore\tprobability\ncarol\t1\ty\t0.9\t0.75\n"
            "carol\t2\tx\t1e-07\t0.125\nalice\t1\tz\t-0.25\t0.5\n");
  write_ranked_lists(folder / "back.tsv", Side::kB, {{2, {{0, 1.0F}}}}, {{2, {{0, 0.5F}}}},
                     networks);
  EXPECT_EQ(content_of(folder / "back.tsv"),
            "b\trank\ta\tscore\tprobability\nz\t1\talice\t1\t0.5\n");
}

TEST(MatchingFile, BeginsWithTheSurestPair) {
  const TemporaryFolder folder;
  NetworkPair networks;
  networks.a = network_of("alice bob");
  networks.b = network_of("x y");
  const std::vector<PredictedPair> pairs = {
      {.pair = {1, 0}, .probability = 0.75, .margin = 0.5, .rank_a = 1, .rank_b = 3},
      {.pair = {0, 1}, .probability = 1.0, .margin = 1.0, .rank_b = 1, .is_known = true}};
  write_matched_pairs(folder / "m.tsv", pairs, networks);
  EXPECT_EQ(content_of(folder / "m.tsv"),
            "a\tb\tprobability\tmargin\trank_a\trank_b\tknown\n"
            "alice\ty\t1\t1\t\t1\t1\nbob\tx\t0.75\t0.5\t1\t3\t0\n");
}

// User 0 lists b0 (.6) and b1 (.3), user 1 lists b2 (.7) and b0 (.4); b2 is likelier with user 3.
TEST(PredictedPairs, MarginsAreToTheBestRivalOfEitherUserAndRanksArePlacesInTheLists) {
  const RankedLists lists_a{{0, {{0, 0.6F}, {1, 0.3F}}}, {1, {{2, 0.7F}, {0, 0.4F}}}};
  const RankedLists lists_b{{0, {{0, 0.6F}, {1, 0.4F}}}, {2, {{3, 0.9F}, {1, 0.7F}}}};
  const std::vector<Match> matches = {{{0, 0}, 0.6}, {{1, 2}, 0.7}};
  const auto pairs = with_details(matches, lists_a, lists_b);
  EXPECT_NEAR(pairs[0].margin, 0.2, 1e-6);
  EXPECT_NEAR(pairs[1].margin, -0.2, 1e-6);
  EXPECT_EQ(pairs[0].rank_a, 1U);
  EXPECT_EQ(pairs[0].rank_b, 1U);
  EXPECT_EQ(pairs[1].rank_b, 2U);
}

}  // namespace
}  // namespace dalaup
