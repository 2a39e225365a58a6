#include "active_learning/study_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "support/copied_society.h"
#include "support/table_aligner.h"

namespace dalaup {
namespace {

// 60 people, person i is 59 - i in B; the model matches each to its partner with a probability that
// grows from .01 to .99.
class StudyPlanTest : public testing::Test {
 protected:
  StudyPlanTest() {
    for (UserId user = 0; user < 60; ++user)
      aligner_.table(user, 59 - user) = 0.011 + 0.978 * user / 59.0;
  }
  RoundChoice choose(std::size_t count, std::span<const PlanAnswer> answers = {}) {
    dalaup::Run run;
    return choose_by_plan({aligner_, labels_, pool_, 1}, answers, progress_, params_, query_, count,
                          run);
  }

  CopiedSociety society_ = copied_society(60, 6.0, 0.9, 1);
  LabelSet labels_{60, 60};
  Pool pool_{60, 60};
  TableAligner aligner_{society_.networks, labels_};
  PlanParams params_{.audit_share = 0.2, .pick_until = 0};
  QueryParams query_;
  RoundProgress progress_;
};

TEST_F(StudyPlanTest, AsksDegreePicksWhileFewPairsAreKnown) {
  params_.pick_until = 70;
  for (const Question& question : choose(10).questions) {
    EXPECT_EQ(question.kind, QuestionKind::kPick);
    EXPECT_EQ(question.strategy, "degree");
  }
}

TEST_F(StudyPlanTest, AsksWhatIsOpenAsSoonAsTheModelHasTakenOff) {
  params_.pick_until = 70;
  for (UserId user = 0; user < 20; ++user)
    ASSERT_FALSE(labels_.add({user, 59 - user}, Label::kAnchor));
  const auto is_about_open = [&](double expected) {
    progress_ = {};
    progress_.expected_right = expected;
    progress_.count_known(20);
    return choose(10).questions.front().strategy != "degree";
  };
  EXPECT_FALSE(is_about_open(39.9));
  EXPECT_TRUE(is_about_open(40.0)) << "two right matches for each known pair";
  params_.take_off = 3.0;
  EXPECT_FALSE(is_about_open(40.0));
  params_.take_off = 2.0;
  ASSERT_TRUE(labels_.remove({0, 59}));
  EXPECT_FALSE(is_about_open(400.0)) << "probabilities from 19 pairs are guesses";
}

// Believes that users 10 to 14 of A have no partner, 10 least surely, and is sure of user 15.
class DoubtfulAligner : public TableAligner {
 public:
  using TableAligner::TableAligner;
  std::optional<double> no_partner_probability(Side side, UserId user) const override {
    if (side == Side::kB || user < 10 || user > 15) return 0.1;
    return user == 15 ? 0.99 : 0.6 + 0.05 * static_cast<double>(user - 10);
  }
};

TEST_F(StudyPlanTest, AShareAsksWhetherTheDoubtedHaveAPartnerAtAll) {
  DoubtfulAligner aligner{society_.networks, labels_};
  for (UserId user = 0; user < 60; ++user) aligner.table(user, 59 - user) = 0.4;
  params_ = {.audit_share = 0.0, .pick_until = 0, .partner_share = 0.25};
  dalaup::Run run;
  const auto asked = [&] {
    std::set<UserId> users;
    for (const Question& question :
         choose_by_plan({aligner, labels_, pool_, 1}, {}, progress_, params_, query_, 16, run)
             .questions) {
      if (question.kind != QuestionKind::kPartner) continue;
      EXPECT_EQ(question.strategy, "no-partner");
      EXPECT_EQ(question.side, Side::kA);
      EXPECT_FALSE(question.candidates.empty());
      users.insert(question.user);
    }
    return users;
  };
  const std::set<UserId> doubted = asked();
  EXPECT_EQ(doubted.size(), 4U);
  for (const UserId user : doubted) EXPECT_TRUE(user >= 10 && user <= 14) << user;
  for (const UserId user : doubted)
    ASSERT_FALSE(labels_.add(no_partner(Side::kA, user), Label::kNotAnchor));
  EXPECT_LE(asked().size(), 1U) << "what is known is not asked again";
  params_.form = "pair";
  EXPECT_TRUE(asked().empty());
}

TEST_F(StudyPlanTest, AFifthOfTheQuestionsAreRandomMatchesAndTheOthersAreOpen) {
  params_.form = "pair";
  const RoundChoice choice = choose(20);
  std::set<UserId> users;
  std::size_t audits = 0;
  for (const Question& question : choice.questions) {
    const double p = question.probabilities.front();
    EXPECT_TRUE(users.insert(question.user).second) << "user asked about twice";
    if (question.strategy == kAudit) {
      ++audits;
      EXPECT_GE(p, 0.5);
    } else {
      EXPECT_EQ(question.strategy, "open-match");
      EXPECT_GE(p, 0.02);
      EXPECT_LE(p, 0.98);
      EXPECT_LT(std::abs(p - 0.5), 0.25);  // the nearest of all matches
    }
  }
  EXPECT_EQ(choice.questions.size(), 20U);
  EXPECT_EQ(audits, 4U);
}

TEST_F(StudyPlanTest, WhatIsAllButCertainIsAuditedAtMost) {
  for (UserId user = 0; user < 60; ++user) aligner_.table(user, 59 - user) = 0.995;
  for (const char* const form : {"auto", "pair", "pick"}) {
    params_.form = form;
    for (const Question& question : choose(20).questions)
      EXPECT_EQ(question.strategy, kAudit) << form;
  }
}

TEST_F(StudyPlanTest, TheKindThatPeopleAnswerFasterWins) {
  params_.audit_share = 0.0;
  const Question pair = choose(1).questions.front();
  Question pick = pair;
  pick.kind = QuestionKind::kPick;
  const auto timed = [&](double pair_seconds, double pick_seconds) {
    std::vector<PlanAnswer> answers(5, PlanAnswer{&pair, Answer::no(), pair_seconds});
    answers.insert(answers.end(), 5, PlanAnswer{&pick, Answer::no(), pick_seconds});
    return choose(5, answers).questions.front().kind;
  };
  EXPECT_EQ(timed(2.0, 60.0), QuestionKind::kPair);
  EXPECT_EQ(timed(60.0, 2.0), QuestionKind::kPick);
}

TEST_F(StudyPlanTest, RemembersTheLatestAuditsOnly) {
  Question audit = choose(1).questions.front();
  audit.strategy = kAudit;
  Question other = audit;
  other.strategy = "open-match";
  std::vector<PlanAnswer> answers{
      {&audit, Answer::no()}, {&other, Answer::no()}, {&audit, Answer::skip()}};
  EXPECT_EQ(audits_of(answers).size(), 1U);
  answers.insert(answers.end(), 20, PlanAnswer{&audit, Answer::yes()});
  const auto audits = audits_of(answers);
  ASSERT_EQ(audits.size(), 20U);
  for (const Audited& one : audits) EXPECT_TRUE(one.is_right);
}

}  // namespace
}  // namespace dalaup
