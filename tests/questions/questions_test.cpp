#include "questions/questions.h"

#include <gtest/gtest.h>

#include "support/copied_society.h"
#include "support/support.h"

namespace dalaup {
namespace {

class QuestionsTest : public testing::Test {
 protected:
  CopiedSociety society_ = copied_society(10, 3.0, 0.9, 1);
  const NetworkPair& networks_ = society_.networks;
  Question pair_{.kind = QuestionKind::kPair,
                 .side = Side::kA,
                 .user = 2,
                 .candidates = {7},
                 .probabilities = {0.25},
                 .score = 1.5,
                 .strategy = "cs"};
  Question pick_{.kind = QuestionKind::kPick,
                 .side = Side::kB,
                 .user = 7,
                 .candidates = {2, 3, 4},
                 .probabilities = {0.5, 0.25, 0.125},
                 .strategy = "degree"};
};

TEST_F(QuestionsTest, EveryKindIsFoundByItsNameAndItsNumber) {
  for (const QuestionForm* const form : question_forms()) {
    EXPECT_EQ(question_kind_named(form->name()), form->kind());
    EXPECT_EQ(&form_of(form->kind()), form);
  }
  EXPECT_FALSE(question_kind_named("riddle"));
}

TEST_F(QuestionsTest, WhetherSomebodyHasAPartnerIsAskedWithTheLikeliestAndAnsweredAsAPick) {
  Question partner = pick_;
  partner.kind = QuestionKind::kPartner;
  const QuestionForm& form = form_of(partner);
  EXPECT_EQ(form.name(), "partner");
  EXPECT_EQ(form.words(partner, networks_).find("Has "), 0U);
  EXPECT_NE(form.words(partner, networks_).find(" a partner at all? The likeliest: "),
            std::string::npos);
  EXPECT_EQ(form.labels(partner, Answer::no_partner()),
            (std::vector<ImpliedLabel>{{no_partner(Side::kB, 7), Label::kNotAnchor}}));
  EXPECT_EQ(form.labels(partner, Answer::yes(1)), form_of(pick_).labels(pick_, Answer::yes(1)));
  EXPECT_EQ(to_json(question_from_json(to_json(partner), networks_)), to_json(partner));
  partner.candidates.clear();
  partner.probabilities.clear();
  EXPECT_NE(form.fault(partner, networks_), "");
}

TEST_F(QuestionsTest, AYesLabelsTheChosenPairANoRefusesAllShown) {
  EXPECT_EQ(form_of(pair_).labels(pair_, Answer::yes()),
            (std::vector<ImpliedLabel>{{{2, 7}, Label::kAnchor}}));
  EXPECT_EQ(form_of(pair_).labels(pair_, Answer::no()),
            (std::vector<ImpliedLabel>{{{2, 7}, Label::kNotAnchor}}));
  EXPECT_EQ(form_of(pick_).labels(pick_, Answer::yes(1)),
            (std::vector<ImpliedLabel>{{{3, 7}, Label::kAnchor}}));
  EXPECT_EQ(
      form_of(pick_).labels(pick_, Answer::no()),
      (std::vector<ImpliedLabel>{
          {{2, 7}, Label::kNotAnchor}, {{3, 7}, Label::kNotAnchor}, {{4, 7}, Label::kNotAnchor}}));
  EXPECT_TRUE(form_of(pick_).labels(pick_, Answer::skip()).empty());
}

TEST_F(QuestionsTest, NoPartnerSpeaksOfTheAskedUserAlone) {
  EXPECT_EQ(form_of(pair_).labels(pair_, Answer::no_partner()),
            (std::vector<ImpliedLabel>{{{2, kNoUser}, Label::kNotAnchor}}));
  EXPECT_EQ(form_of(pick_).labels(pick_, Answer::no_partner()),
            (std::vector<ImpliedLabel>{{{kNoUser, 7}, Label::kNotAnchor}}));
  EXPECT_EQ(form_of(pick_).words(pick_, Answer::no_partner(), networks_),
            "\"" + std::string(networks_.b.name(7)) + "\" has no partner");
  EXPECT_EQ(name_of(Answer::Kind::kNoPartner), "no-partner");
}

TEST_F(QuestionsTest, AnAnswerOutsideTheCandidatesIsAFault) {
  EXPECT_EQ(form_of(pick_).fault(pick_, Answer::yes(2)), "");
  EXPECT_EQ(form_of(pick_).fault(pick_, Answer::yes(3)),
            "found candidate 4 chosen, expected one of 3");
  EXPECT_EQ(form_of(pair_).fault(pair_, Answer::no()), "");
  EXPECT_NE(form_of(pair_).fault(pair_, Answer::yes(1)), "");
}

TEST_F(QuestionsTest, WordsNameTheUsers) {
  const std::string a(networks_.a.name(2));
  const std::string b(networks_.b.name(7));
  EXPECT_EQ(form_of(pair_).words(pair_, networks_),
            "Are \"" + a + "\" and \"" + b + "\" one person?");
  EXPECT_EQ(form_of(pick_).words(pick_, Answer::yes(0), networks_),
            "\"" + b + "\" is \"" + a + "\"");
  EXPECT_EQ(form_of(pick_).words(pick_, Answer::no(), networks_), "\"" + b + "\" is none of them");
}

TEST_F(QuestionsTest, ComeBackFromTheirJson) {
  for (const Question& question : {pair_, pick_}) {
    const Question back = question_from_json(to_json(question), networks_);
    EXPECT_EQ(back.kind, question.kind);
    EXPECT_EQ(back.side, question.side);
    EXPECT_EQ(back.user, question.user);
    EXPECT_EQ(back.candidates, question.candidates);
    EXPECT_EQ(back.probabilities, question.probabilities);
    EXPECT_EQ(back.score, question.score);
    EXPECT_EQ(back.strategy, question.strategy);
  }
}

TEST_F(QuestionsTest, AQuestionOutsideTheNetworksOrOfAnotherShapeIsRefused) {
  const auto refuses = [&](Question question) {
    EXPECT_THROW(question_from_json(to_json(question), networks_), InputError);
  };
  Question wrong = pair_;
  wrong.user = 10;
  refuses(wrong);
  wrong = pair_;
  wrong.candidates = {7, 8};
  wrong.probabilities = {0.5, 0.5};
  refuses(wrong);
  wrong = pick_;
  wrong.candidates = {2, 2, 3};
  refuses(wrong);
  wrong = pick_;
  wrong.probabilities = {0.5};
  refuses(wrong);
  wrong = pick_;
  wrong.probabilities[0] = 1.5;
  refuses(wrong);
  EXPECT_THROW(question_from_json("{", networks_), InputError);
}

}  // namespace
}  // namespace dalaup
