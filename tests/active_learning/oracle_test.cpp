#include <gtest/gtest.h>

#include "active_learning/active_learning.h"
#include "support/copied_society.h"
#include "support/support.h"

namespace dalaup {
namespace {

Question pair_question(UserId a, UserId b) {
  Question question;
  question.user = a;
  question.candidates = {b};
  question.probabilities = {0.5};
  return question;
}
Question pick_question(UserId a, std::vector<UserId> candidates) {
  Question question = pair_question(a, 0);
  question.kind = QuestionKind::kPick;
  question.probabilities.assign(candidates.size(), 0.2);
  question.candidates = std::move(candidates);
  return question;
}

TEST(TruthOracle, AnswersPairsAndPicksFromTheTruth) {
  const CopiedSociety society = copied_society(10, 3.0, 0.9, 1);  // person i is 9 - i in B
  TruthOracle oracle(society.networks, society.truth);
  EXPECT_EQ(oracle.answer(pair_question(2, 7)), Answer::yes());
  EXPECT_EQ(oracle.answer(pair_question(2, 6)), Answer::no());
  EXPECT_EQ(oracle.answer(pick_question(2, {5, 6, 7})), Answer::yes(2));
  EXPECT_EQ(oracle.answer(pick_question(2, {5, 6, 8})), Answer::no());
}

TEST(TruthOracle, KnowsWhoHasNoPartnerOnlyWhenTheTruthIsComplete) {
  const CopiedSociety society = copied_society(10, 3.0, 0.9, 1);
  const std::vector<UserPair> known(society.truth.begin() + 1, society.truth.end());
  const UserPair left_out = society.truth.front();
  TruthOracle complete(society.networks, known, 0.0, 1, true);
  TruthOracle partial(society.networks, known);
  Question question = pick_question(left_out.b, {left_out.a});
  question.kind = QuestionKind::kPartner;
  question.side = Side::kB;
  EXPECT_EQ(complete.answer(question), Answer::no_partner());
  EXPECT_EQ(partial.answer(question), Answer::no());
  question.user = known.front().b;  // has one, who is not shown
  EXPECT_EQ(complete.answer(question), Answer::no());
  question.candidates.push_back(known.front().a);
  question.probabilities.push_back(0.1);
  EXPECT_EQ(complete.answer(question), Answer::yes(1));
  question.user = left_out.b;
  question.kind = QuestionKind::kPick;  // asks who of these, not whether anybody
  EXPECT_EQ(complete.answer(question), Answer::no());
}

TEST(TruthOracle, IsWrongAsOftenAsToldAndAlwaysInTheSameWay) {
  const CopiedSociety society = copied_society(100, 3.0, 0.9, 1);
  TruthOracle right(society.networks, society.truth);
  TruthOracle noisy(society.networks, society.truth, 0.2, 5);
  TruthOracle again(society.networks, society.truth, 0.2, 5);
  int wrong = 0;
  for (UserId a = 0; a < 100; ++a)
    for (UserId b = 0; b < 50; ++b) {
      const Question question = pick_question(a, {b, b + 50});
      const Answer answer = noisy.answer(question);
      wrong += answer == right.answer(question) ? 0 : 1;
      EXPECT_EQ(answer, again.answer(question));
    }
  EXPECT_NEAR(wrong / 5000.0, 0.2, 0.02);
  EXPECT_THROW(TruthOracle(society.networks, society.truth, 0.5), ParameterError);
  EXPECT_THROW(TruthOracle(society.networks, society.truth, -0.1), ParameterError);
}

TEST(RecordAnswer, AYesBecomesAnAnchorANoOnlyBlocksUnlessItIsTrusted) {
  LabelSet labels(10, 10);
  Pool pool(10, 10);
  record_answer(pick_question(2, {5, 6}), Answer::no(), false, labels, pool);
  EXPECT_FALSE(labels.answer({2, 5}));
  EXPECT_FALSE(pool.may_ask({2, 5}, labels));
  EXPECT_TRUE(pool.may_ask({2, 7}, labels));
  record_answer(pair_question(3, 5), Answer::no(), true, labels, pool);
  EXPECT_EQ(labels.answer({3, 5}), Label::kNotAnchor);
  record_answer(pick_question(2, {7, 8}), Answer::yes(1), false, labels, pool);
  EXPECT_EQ(labels.partner(Side::kA, 2), 8U);
  record_answer(pair_question(4, 4), Answer::skip(), true, labels, pool);
  EXPECT_FALSE(labels.answer({4, 4}));
  EXPECT_FALSE(pool.may_ask({4, 4}, labels));
}

TEST(RecordAnswer, AContradictedYesChangesNothingAndNamesTheEarlierAnswer) {
  LabelSet labels(10, 10);
  Pool pool(10, 10);
  record_answer(pair_question(1, 1), Answer::yes(), false, labels, pool);
  const auto conflict = record_answer(pair_question(2, 1), Answer::yes(), false, labels, pool);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->pair, (UserPair{1, 1}));
  EXPECT_FALSE(pool.is_blocked({2, 1}));
}

}  // namespace
}  // namespace dalaup
