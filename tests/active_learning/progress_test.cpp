#include "active_learning/progress.h"

#include <gtest/gtest.h>

namespace dalaup {
namespace {

using Reason = StopAdvice::Reason;

TEST(Progress, ChurnCountsOnlyMatchesOfUsersNeverAsked) {
  const std::vector<Match> last{{{0, 0}, 0.9}, {{1, 1}, 0.9}, {{2, 2}, 0.9}, {{3, 3}, 0.9}};
  const std::vector<Match> now{{{0, 0}, 0.9}, {{1, 5}, 0.9}, {{2, 6}, 0.9}, {{4, 4}, 0.9}};
  AskedUsers asked;
  EXPECT_DOUBLE_EQ(progress_of(now, nullptr, asked, 0.95).churn, 1.0);
  // (1,1), (2,2) and (3,3) left, as many entered: 2 * 3 / 4.
  EXPECT_DOUBLE_EQ(progress_of(now, &last, asked, 0.95).churn, 1.5);
  asked.a = {1};
  asked.b = {2, 6};
  EXPECT_DOUBLE_EQ(progress_of(now, &last, asked, 0.95).churn, 0.5);
}

TEST(Progress, ExpectsWhatTheSurestMatchesSumTo) {
  const std::vector<Match> now{{{0, 0}, 0.99}, {{1, 1}, 0.93}, {{2, 2}, 0.6}};
  RoundProgress progress = progress_of(now, nullptr, {}, 0.95);
  EXPECT_NEAR(progress.expected_at_wanted, 0.99 + 0.93, 1e-12);  // mean .96; with .6 only .84
  EXPECT_NEAR(progress.expected_right, 2.52, 1e-12);
  EXPECT_NEAR(progress.doubt, (0.99 * 0.01 + 0.93 * 0.07 + 0.6 * 0.4) / 3.0, 1e-12);
  progress.count_known(10);
  EXPECT_NEAR(progress.expected_at_wanted, 11.92, 1e-12);
}

std::vector<RoundProgress> rounds_with(std::vector<double> churns, std::size_t yes = 50) {
  std::vector<RoundProgress> rounds;
  for (const double churn : churns) {
    const auto answers = 30 * rounds.size();
    rounds.push_back({.answers = answers,
                      .yes = std::min(yes, answers),
                      .anchors = answers,
                      .matches = 200,
                      .churn = churn,
                      .doubt = 0.1,
                      .expected_at_wanted = 100.0 + 0.3 * static_cast<double>(answers)});
  }
  return rounds;
}

TEST(StopAdvice, SaysStopWhenMatchesNoLongerMove) {
  EXPECT_EQ(stop_advice({}).reason, Reason::kTooEarly);
  EXPECT_EQ(stop_advice(rounds_with({1, 0, 0, 0})).reason, Reason::kTooEarly);
  EXPECT_EQ(stop_advice(rounds_with({1, 0.2, 0.2, 0.2, 0.04})).reason, Reason::kGoOn);
  const StopAdvice stop = stop_advice(rounds_with({1, 0.2, 0.2, 0.04, 0.05}));
  EXPECT_EQ(stop.reason, Reason::kSettled);
  EXPECT_EQ(stop.words(),
            "You can stop: further answers now settle little more than the pair asked, about 0.3 "
            "right pairs each.");
  auto growing = rounds_with({1, 0.2, 0.2, 0.04, 0.05});
  growing[1].matches = 150;
  EXPECT_EQ(stop_advice(growing).reason, Reason::kGoOn);
}

// Over the last three rounds 30 answers are yes and 30 no; 110 + 150 pairs are known or found
// before.
TEST(StopAdvice, SaysStopWhenAYesSettlesLittleMoreThanItsOwnPair) {
  std::vector<RoundProgress> rounds;
  for (const std::size_t matches : {100U, 150U, 160U, 170U, 170U})
    rounds.push_back({.answers = 20 * rounds.size(),
                      .yes = 10 * rounds.size(),
                      .anchors = 100 + 10 * rounds.size(),
                      .matches = matches,
                      .churn = 0.3,
                      .doubt = 0.1});
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kGoOn);  // 140 + 170, and 30 taken away
  rounds.back().matches = 121;
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kGoOn);
  rounds.back().matches = 120;  // 140 + 120 + 30 are 30 more than 110 + 150
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kSettled);
  const RoundProgress settled = rounds.back();
  rounds.back().yes = 5;  // answers were taken back
  rounds.back().anchors = 105;
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kGoOn);
  rounds.back() = settled;
  for (RoundProgress& round : rounds) round.answers /= 2;  // three rounds of ten answers are few
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kGoOn);
}

TEST(StopAdvice, AModelThatFindsHardlyAnyPairsIsNotSettled) {
  auto rounds = rounds_with({1, 0.2, 0.2, 0.04, 0.05});
  for (RoundProgress& round : rounds) round.anchors = 801;
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kGoOn);
  rounds[1].matches = 201;  // a quarter of the known pairs
  EXPECT_EQ(stop_advice(rounds).reason, Reason::kSettled);
}

TEST(StopAdvice, FewYesAreNoLackOfKnownPairsWhileTheModelFindsOthers) {
  EXPECT_EQ(stop_advice(rounds_with({1, 1, 1, 1, 1}, 9)).reason, Reason::kGoOn);
}

TEST(StopAdvice, CertaintyStopsAtOnceAndTooFewKnownPairsAreSaid) {
  auto certain = rounds_with({1, 1});
  certain.back().doubt = 0.005;
  EXPECT_EQ(stop_advice(certain).reason, Reason::kCertain);
  certain.back().matches = 49;
  EXPECT_EQ(stop_advice(certain).reason, Reason::kTooEarly);
  auto lost = rounds_with({1, 1, 1, 1, 1}, 9);
  lost.back().matches = 49;
  const StopAdvice few = stop_advice(lost);
  EXPECT_EQ(few.reason, Reason::kTooFewKnown);
  EXPECT_FALSE(few.may_stop());
}

}  // namespace
}  // namespace dalaup
