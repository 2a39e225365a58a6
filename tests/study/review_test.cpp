#include "study_support.h"

namespace dalaup {
namespace {

class Review : public testing::Test {
 protected:
  // Question 1 asks about a0 and b0, question 2 about a1 and b1, and so on.
  Review() {
    for (UserId user = 0; user < kUsers; ++user) {
      StudyQuestion question;
      question.id = user + 1;
      question.question.user = user;
      question.question.candidates = {user};
      question.question.probabilities = {0.5};
      ledger_.know(question);
    }
  }
  void say(const std::string& annotator, std::int64_t question, Reply reply,
           EntryKind kind = EntryKind::kAnswer) {
    const auto user = static_cast<UserId>(question - 1);
    JournalEntry entry{.id = ledger_.next_id(),
                       .at = {},
                       .kind = kind,
                       .annotator = annotator,
                       .question = question,
                       .reply = reply,
                       .pair = reply == Reply::kYes ? UserPair{user, user} : UserPair{},
                       .refused = {},
                       .source = {}};
    if (reply == Reply::kNo) entry.refused = {user};
    if (reply == Reply::kNoPartner) entry.pair = no_partner(Side::kA, user);
    ASSERT_FALSE(ledger_.add(entry));
  }
  void take_back(std::int64_t entry) {
    ASSERT_FALSE(ledger_.add({.id = ledger_.next_id(),
                              .at = {},
                              .kind = EntryKind::kUndo,
                              .annotator = "ann",
                              .question = ledger_.entry(entry)->question,
                              .pair = {},
                              .refused = {},
                              .undoes = entry,
                              .source = {}}));
  }
  std::string queue() const {
    std::string text;
    for (const ReviewItem& item : review_queue(ledger_))
      text += fmt::format("{}:{} ", item.question, name_of(item.reason));
    return text;
  }
  static constexpr UserId kUsers = 12;
  Ledger ledger_{kUsers, kUsers};
};

TEST_F(Review, ListsDisputesThenDoubtsThenChangesAndNothingThatIsSettled) {
  say("ann", 1, Reply::kYes);
  take_back(1);
  say("ann", 1, Reply::kNo);  // changed
  say("ann", 2, Reply::kYes);
  say("bob", 2, Reply::kUnsure);  // hesitated
  say("ann", 3, Reply::kYes);
  say("bob", 3, Reply::kNo);  // disputed
  say("ann", 4, Reply::kNo);
  say("bob", 4, Reply::kNoPartner);  // no contradiction
  say("ann", 5, Reply::kYes);
  take_back(ledger_.next_id() - 1);
  say("ann", 5, Reply::kYes);  // the same again
  EXPECT_EQ(queue(), "3:disputed 2:unsure 1:changed ");
  say("rita", 3, Reply::kNo, EntryKind::kResolve);
  say("rita", 1, Reply::kNo, EntryKind::kResolve);
  EXPECT_EQ(queue(), "2:unsure ");
}

// Eight questions that a reviewer settled: carl was right in five of them, ann in six.
TEST_F(Review, ListsWhatOnlyPeopleOfLowAgreementAnswered) {
  for (std::int64_t question = 1; question <= 8; ++question) {
    say("carl", question, question <= 5 ? Reply::kYes : Reply::kNo);
    say("ann", question, question <= 6 ? Reply::kYes : Reply::kNo);
    say("rita", question, Reply::kYes, EntryKind::kResolve);
  }
  say("carl", 9, Reply::kYes);  // nobody else
  say("carl", 10, Reply::kYes);
  say("ann", 10, Reply::kYes);  // somebody else says so too
  say("carl", 11, Reply::kUnsure);
  say("ann", 12, Reply::kNo);
  EXPECT_EQ(queue(), "9:low-agreement ");
  say("rita", 9, Reply::kYes, EntryKind::kResolve);
  EXPECT_EQ(queue(), "");
}

TEST_F(Review, SevenQuestionsTellNothingOfAPerson) {
  for (std::int64_t question = 1; question <= 7; ++question) {
    say("carl", question, Reply::kNo);
    say("rita", question, Reply::kYes, EntryKind::kResolve);
  }
  say("carl", 9, Reply::kYes);
  EXPECT_EQ(queue(), "");
  say("carl", 8, Reply::kNo);
  say("rita", 8, Reply::kYes, EntryKind::kResolve);
  EXPECT_EQ(queue(), "9:low-agreement ");
}

TEST_F(Review, ComparesEachPersonWithWhatWasSettledOrMostSaid) {
  say("ann", 1, Reply::kYes);
  say("bob", 1, Reply::kYes);
  say("carl", 1, Reply::kNo);
  say("ann", 2, Reply::kNo);
  say("bob", 2, Reply::kYes);  // no majority
  say("ann", 3, Reply::kYes);  // nobody else
  say("ann", 4, Reply::kYes);
  say("rita", 4, Reply::kNo, EntryKind::kResolve);
  const auto people = agreements_with_consensus(ledger_);
  EXPECT_EQ(people.at("ann").questions, 2);
  EXPECT_EQ(people.at("ann").equal, 1);
  EXPECT_EQ(people.at("bob").equal, 1);
  EXPECT_EQ(people.at("carl").questions, 1);
  EXPECT_EQ(people.at("carl").equal, 0);
  EXPECT_FALSE(people.contains("rita"));
}

}  // namespace
}  // namespace dalaup
