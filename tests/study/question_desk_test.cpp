#include "study/question_desk.h"

#include "support/support.h"

namespace dalaup {
namespace {

using Ids = std::vector<std::int64_t>;

class QuestionDeskTest : public testing::Test {
 protected:
  // Are these two users one person? Named by an id.
  void know(std::int64_t id, UserPair pair, bool is_overlap = false) {
    StudyQuestion question{.id = id, .question = {}, .is_overlap = is_overlap};
    question.question.user = pair.a;
    question.question.candidates = {pair.b};
    question.question.probabilities = {0.5};
    ledger_.know(question);
  }
  void answer(const std::string& annotator, std::int64_t id, Reply reply) {
    const StudyQuestion& question = *ledger_.question(id);
    JournalEntry entry{.id = ledger_.next_id(), .annotator = annotator, .question = id};
    entry.reply = reply;
    if (reply == Reply::kYes) entry.pair = question.question.pair();
    if (reply == Reply::kNo) entry.refused = question.question.candidates;
    ASSERT_FALSE(ledger_.add(entry));
  }
  static Ids kept(QuestionDesk& desk, const std::string& annotator, std::size_t most) {
    Ids ids;
    for (const StudyQuestion& question : desk.keep_for(annotator, most)) ids.push_back(question.id);
    return ids;
  }

  Ledger ledger_{9, 9};
};

TEST_F(QuestionDeskTest, KeepsAQuestionForOnePersonUntilItIsAnswered) {
  know(1, {1, 1});
  know(2, {2, 2});
  know(3, {3, 3});
  QuestionDesk desk(ledger_, false, 600.0);
  desk.put({1, 2, 3});
  EXPECT_EQ(kept(desk, "ann", 1), Ids{1});
  EXPECT_EQ(kept(desk, "bob", 2), (Ids{2, 3}));
  EXPECT_EQ(kept(desk, "ann", 1), Ids{1});
  EXPECT_EQ(kept(desk, "eve", 1), Ids{});
  EXPECT_EQ(desk.held(), (Ids{1, 2, 3}));
  answer("bob", 2, Reply::kNo);
  desk.release("bob", 2);
  EXPECT_EQ(kept(desk, "bob", 2), Ids{3});
}

TEST_F(QuestionDeskTest, GivesAQuestionToAnotherWhenItsLeaseIsOver) {
  know(1, {1, 1});
  QuestionDesk patient(ledger_, false, 600.0);
  QuestionDesk hasty(ledger_, false, 0.0);
  for (QuestionDesk* const desk : {&patient, &hasty}) {
    desk->put({1});
    EXPECT_EQ(kept(*desk, "ann", 1), Ids{1});
  }
  EXPECT_EQ(kept(patient, "bob", 1), Ids{});
  EXPECT_EQ(kept(hasty, "bob", 1), Ids{1});
}

// 1: a1 b1, 2: a1 b2, 3: a2 b2, 4: a3 b3
TEST_F(QuestionDeskTest, KeepsNoTwoQuestionsThatShareAUser) {
  know(1, {1, 1});
  know(2, {1, 2});
  know(3, {2, 2});
  know(4, {3, 3});
  QuestionDesk desk(ledger_, false, 600.0);
  desk.put({1, 2, 3, 4});
  EXPECT_EQ(kept(desk, "ann", 3), (Ids{1, 3, 4}));
  answer("ann", 1, Reply::kYes);  // settles 2
  desk.release("ann", 1);
  EXPECT_EQ(kept(desk, "ann", 3), (Ids{3, 4}));
  EXPECT_EQ(desk.waiting_count(), 2U);
}

TEST_F(QuestionDeskTest, PutsAQuestionThatWasTakenBackBeforeTheOthers) {
  know(1, {1, 1});
  know(2, {1, 2});
  know(3, {3, 3});
  QuestionDesk desk(ledger_, false, 600.0);
  desk.put({2, 3});
  EXPECT_EQ(kept(desk, "ann", 2), (Ids{2, 3}));
  desk.keep_first("ann", 1);  // speaks of a1, as 2 does
  EXPECT_EQ(kept(desk, "ann", 2), (Ids{1, 3}));
}

TEST_F(QuestionDeskTest, AsksASecondPersonWhereTwoOpinionsAreWanted) {
  know(1, {1, 1}, /*is_overlap=*/true);
  QuestionDesk desk(ledger_, true, 600.0);
  desk.put({1});
  EXPECT_EQ(kept(desk, "ann", 1), Ids{1});
  answer("ann", 1, Reply::kYes);
  desk.release("ann", 1);
  desk.note_answers_to(1);
  EXPECT_EQ(kept(desk, "ann", 1), Ids{});
  EXPECT_EQ(kept(desk, "bob", 1), Ids{1});
  answer("bob", 1, Reply::kYes);
  desk.release("bob", 1);
  desk.note_answers_to(1);
  EXPECT_EQ(kept(desk, "eve", 1), Ids{});
}

}  // namespace
}  // namespace dalaup
