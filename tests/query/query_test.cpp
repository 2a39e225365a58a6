#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/copied_society.h"
#include "support/support.h"
#include "support/table_aligner.h"

namespace dalaup {
namespace {

struct Setting {
  CopiedSociety society = copied_society(20, 5.0, 0.8, 11);
  LabelSet labels{20, 20};
  Pool pool{20, 20};
  TableAligner aligner{society.networks, labels};
  Run run;
  Setting() { aligner.randomise(Random(5)); }
  std::vector<Question> ask(const std::string& strategy, std::size_t count,
                            const QueryParams& params = {}) {
    return choose_questions(strategy, {aligner, labels, pool, 1}, params, count, run);
  }
};

TEST(Pool, CountsEveryPairThatMayStillBeAskedAndNoOther) {
  Pool pool(5, 4);
  LabelSet labels(5, 4);
  EXPECT_EQ(pool.pair_count(labels), 20U);
  labels.add({0, 0}, Label::kAnchor);
  EXPECT_EQ(pool.pair_count(labels), 12U);  // row and column of the anchor are settled
  labels.add({1, 1}, Label::kNotAnchor);
  pool.block({1, 1});  // counted once
  pool.block({2, 2});
  pool.block({0, 3});  // settled anyway
  EXPECT_EQ(pool.pair_count(labels), 10U);
  pool.close(Side::kA, 4);
  EXPECT_EQ(pool.pair_count(labels), 7U);
  std::uint64_t counted = 0;
  for (UserId a = 0; a < 5; ++a)
    for (UserId b = 0; b < 4; ++b) counted += pool.may_ask({a, b}, labels) ? 1 : 0;
  EXPECT_EQ(counted, 7U);
}

TEST(ChooseQuestions, NeverAsksAUserTwiceInABatchNorWhatIsClosedBlockedOrSettled) {
  Setting setting;
  for (std::size_t i = 0; i < 3; ++i) setting.labels.add(setting.society.truth[i], Label::kAnchor);
  setting.pool.close(std::span(setting.society.truth).subspan(15));
  setting.pool.block(setting.society.truth[8]);
  for (const StrategySummary& strategy : query_strategies())
    for (const char* form : {"pair", "pick"}) {
      const auto batch = setting.ask(strategy.name, 9, {.questions = form});
      ASSERT_FALSE(batch.empty()) << strategy.name;
      std::set<UserId> users;
      std::set<UserId> firsts;
      for (const Question& question : batch) {
        EXPECT_TRUE(users.insert(question.user).second) << strategy.name;
        EXPECT_TRUE(firsts.insert(question.candidates[0]).second) << strategy.name;
        EXPECT_EQ(question.kind,
                  form == std::string("pick") ? QuestionKind::kPick : QuestionKind::kPair);
        for (std::size_t i = 0; i < question.candidates.size(); ++i)
          EXPECT_TRUE(setting.pool.may_ask(question.pair(i), setting.labels)) << strategy.name;
      }
    }
}

TEST(ChooseQuestions, PickShowsTheLikeliestCandidatesOfAUserBestFirst) {
  Setting setting;
  for (UserId b = 0; b < 20; ++b) setting.aligner.table(4, b) = 0.02 + 0.001 * b;
  for (UserId b = 3; b < 7; ++b) setting.aligner.table(4, b) = 0.9 + 0.01 * b;
  const auto batch = setting.ask("degree", 20, {.questions = "pick"});
  const auto place = std::ranges::find(batch, UserId{4}, &Question::user);
  ASSERT_NE(place, batch.end());
  EXPECT_THAT(place->candidates, testing::ElementsAre(6, 5, 4, 3, 19));
  EXPECT_NEAR(place->probabilities[4], 0.039, 1e-12);
}

TEST(ChooseQuestions, PickOfTheSurestPairsAsksTheUserOfTheSurestAndNotTheOneWithManyFairOnes) {
  Setting setting;
  for (UserId a = 0; a < 20; ++a)
    for (UserId b = 0; b < 20; ++b) setting.aligner.table(a, b) = 0.001;
  for (UserId b = 3; b < 9; ++b) setting.aligner.table(4, b) = 0.4;
  setting.aligner.table(7, 2) = 0.9;
  EXPECT_EQ(setting.ask("cs", 1, {.questions = "pick"})[0].user, 7U);
  EXPECT_EQ(setting.ask("ie", 1, {.questions = "pick"})[0].user, 4U) << "much is open there";
}

TEST(ChooseQuestions, GivesTheSameBatchAtAnyThreadCount) {
  Setting setting;
  dalaup::Run four(RunOptions{.threads = 4});
  for (const StrategySummary& strategy : query_strategies()) {
    const auto alone = setting.ask(strategy.name, 10);
    const auto together = choose_questions(
        strategy.name, {setting.aligner, setting.labels, setting.pool, 1}, {}, 10, four);
    ASSERT_EQ(alone.size(), together.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].pair(), together[i].pair()) << strategy.name;
      EXPECT_EQ(alone[i].score, together[i].score) << strategy.name;
    }
  }
}

TEST(ChooseQuestions, LooksBeyondTheListsBeforeSayingThatNothingIsLeft) {
  Setting setting;
  for (UserId a = 0; a < 20; ++a)
    for (UserId b = 0; b < 20; ++b)
      if (!(a == 7 && b == 2)) setting.pool.block({a, b});
  setting.aligner.table(7, 2) = 0.001;  // the last of its row and column
  // Those of the study's plan ask about matches alone, and none that is all but certain.
  const std::set<std::string> of_matches = {"open-match", "influence", "random-match"};
  for (const StrategySummary& strategy : query_strategies()) {
    if (of_matches.contains(strategy.name)) continue;
    const auto batch = setting.ask(strategy.name, 3, {.list_length = 1});
    ASSERT_EQ(batch.size(), 1U) << strategy.name;
    EXPECT_EQ(batch[0].pair(), (UserPair{7, 2}));
  }
  setting.pool.block({7, 2});
  for (const StrategySummary& strategy : query_strategies())
    EXPECT_TRUE(setting.ask(strategy.name, 3).empty()) << strategy.name;
}

TEST(ChooseQuestions, RefusesAnUnknownStrategyWithTheClosestName) {
  Setting setting;
  try {
    setting.ask("covrage", 3);
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown query strategy \"covrage\"; known: saie, ie, cs, eer, random, coverage, "
                 "degree, reach, open-match, influence, random-match");
    EXPECT_EQ(error.hint(), "did you mean \"coverage\"?");
  }
}

TEST(Question, YesProbabilityIsTheSumOverItsCandidatesButNeverAboveOne) {
  Question question;
  question.probabilities = {0.5, 0.2};
  EXPECT_DOUBLE_EQ(question.yes_probability(), 0.7);
  question.probabilities = {0.9, 0.3};
  EXPECT_DOUBLE_EQ(question.yes_probability(), 1.0);
}

}  // namespace
}  // namespace dalaup
