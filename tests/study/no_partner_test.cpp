#include <SQLiteCpp/SQLiteCpp.h>

#include "study_support.h"

namespace dalaup {
namespace {

class NoPartner : public testing::Test {
 protected:
  NoPartner() { restart(); }
  void restart() {
    session_.reset();
    study_.reset();
    if (file_exists(path_))
      study_.emplace(Study::open(path_, Access::kLabel));
    else
      study_.emplace(Study::create(path_, twin_rings(30), {}, {}, {}));
    session_.emplace(
        *study_, common_contacts(),
        SessionOptions{.params = {.batch_size = 5, .overlap = 1.0, .questions = "pick"}});
  }
  StudyQuestion question(const std::string& annotator) {
    Next next = wait_for_question(*session_, annotator);
    EXPECT_EQ(next.state, Next::State::kQuestion) << next.message;
    return *next.question;
  }
  Outcome say(const std::string& annotator, const StudyQuestion& question, Reply reply) {
    return session_->answer(annotator, question.id, reply,
                            reply == Reply::kYes ? question.question.candidates[0] : kNoUser, 1.0);
  }
  ImportReport import(const std::string& lines) {
    LineReader reader(bytes_of(lines), "more.tsv");
    return session_->import_labels(reader, "ann");
  }
  std::uint64_t known_alone() const {
    return session_->status().without_partner_a + session_->status().without_partner_b;
  }
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "s.study";
  std::optional<Study> study_;
  std::optional<LabellingSession> session_;
};

TEST_F(NoPartner, SettlesEveryPairOfTheUserIsReplayedAndTakenBack) {
  const StudyQuestion asked = question("ann");
  const Outcome alone = say("ann", asked, Reply::kNoPartner);
  ASSERT_TRUE(alone.is_taken) << alone.message;
  EXPECT_EQ(alone.settled, 30);
  restart();
  EXPECT_EQ(session_->status().settled_pairs, 30U);
  EXPECT_EQ(session_->status().counts.no_partner, 1);
  EXPECT_EQ(known_alone(), 1U);
  const JournalEntry entry = session_->history({}).front().entry;
  EXPECT_EQ(entry.reply, Reply::kNoPartner);
  EXPECT_EQ(entry.pair, no_partner(asked.question.side, asked.question.user));
  EXPECT_TRUE(session_->user(asked.question.side, asked.question.user, 3).has_no_partner);
  EXPECT_EQ(session_->undo("ann").settled, -30);
  EXPECT_EQ(known_alone(), 0U);
}

TEST_F(NoPartner, IsExportedAsALabelAndComesBackByImport) {
  say("ann", question("ann"), Reply::kNoPartner);
  const LabelSet labels = load_ledger(*study_).labels();
  write_labels(folder_ / "labels.tsv", labels, study_->networks());
  const std::string text = content_of(folder_ / "labels.tsv");
  EXPECT_NE(text.find("\t*\t0\n"), std::string::npos) << text;
  EXPECT_EQ(import(text).known, 1);
  const ImportReport more = import("a3\t*\t0\n*\tb4\t0\na3\tb3\t1\n");
  EXPECT_GE(more.added, 1);
  ASSERT_EQ(more.conflicts.size(), 1U);
  EXPECT_TRUE(is_no_partner(more.conflicts[0].earlier));
  EXPECT_THROW(import("a5\t*\t1\n"), InputError);
  EXPECT_THROW(import("*\t*\t0\n"), InputError);
}

TEST_F(NoPartner, RefusesAPartnerLaterAndIsRefusedBesideOne) {
  ASSERT_TRUE(session_->enter("ann", no_partner(Side::kA, 3), Reply::kNoPartner).is_taken);
  const Outcome yes = session_->enter("ann", {3, 3}, Reply::kYes);
  EXPECT_FALSE(yes.is_taken);
  EXPECT_EQ(yes.message, "An earlier answer says that a2 has no partner.");
  ASSERT_TRUE(session_->enter("ann", {4, 4}, Reply::kYes).is_taken);
  const Outcome alone = session_->enter("ann", no_partner(Side::kB, 4), Reply::kNoPartner);
  EXPECT_FALSE(alone.is_taken);
  EXPECT_EQ(alone.message, "An earlier answer says that a3 and b3 are one person.");
  EXPECT_FALSE(session_->enter("ann", no_partner(Side::kA, 99), Reply::kNoPartner).is_taken);
  EXPECT_FALSE(session_->enter("ann", {5, 5}, Reply::kNoPartner).is_taken);
  EXPECT_FALSE(session_->enter("ann", no_partner(Side::kA, 5), Reply::kNo).is_taken);
}

TEST_F(NoPartner, AgreesWithANoneOfTheseAndDisputesAYes) {
  const StudyQuestion first = question("ann");
  say("ann", first, Reply::kNo);
  EXPECT_EQ(known_alone(), 0U);
  ASSERT_EQ(question("bob").id, first.id) << "asked twice";
  EXPECT_FALSE(say("bob", first, Reply::kNoPartner).is_disputed);
  EXPECT_EQ(known_alone(), 1U) << "the stronger answer counts";
  ASSERT_TRUE(session_->undo("bob").is_taken);
  EXPECT_EQ(known_alone(), 0U) << "what is left is the no";
  EXPECT_TRUE(say("bob", first, Reply::kYes).is_disputed);
  EXPECT_TRUE(session_->resolve("carol", first.id, Reply::kNoPartner, kNoUser).is_taken);
  EXPECT_EQ(known_alone(), 1U);
  EXPECT_TRUE(session_->status().disputes.empty());
}

TEST_F(NoPartner, NobodyIsAskedAboutTheUserAgain) {
  const StudyQuestion first = question("ann");
  say("ann", first, Reply::kNoPartner);
  for (int count = 0; count < 12; ++count) {
    const Next next = wait_for_question(*session_, "ann");
    if (next.state != Next::State::kQuestion) break;
    const Question& asked = next.question->question;
    EXPECT_FALSE(asked.side == first.question.side && asked.user == first.question.user);
    if (asked.side != first.question.side) {
      EXPECT_EQ(std::ranges::find(asked.candidates, first.question.user), asked.candidates.end());
    }
    answer_truly(*session_, "ann", *next.question);
  }
}

TEST_F(NoPartner, AYesWithOneUserInTheFileIsDamage) {
  say("ann", question("ann"), Reply::kNoPartner);
  session_.reset();
  study_.reset();
  SQLite::Database(path_, SQLite::OPEN_READWRITE)
      .exec(
          "DROP TRIGGER journal_keeps_lines; UPDATE journal SET reply = 'yes', hash = '';"
          "CREATE TRIGGER journal_keeps_lines BEFORE UPDATE ON journal\n"
          "BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END");
  try {
    const Study damaged = Study::open(path_, Access::kRead);
    (void)damaged.journal();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("found one user, expected a pair"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace dalaup
