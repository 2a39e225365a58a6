#include <SQLiteCpp/SQLiteCpp.h>

#include <future>
#include <thread>

#include "study_support.h"

namespace dalaup {
namespace {

class Session : public SessionTest {};

TEST_F(Session, AYesSettlesARowAndAColumnAndUndoTakesAllOfItBack) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  ASSERT_EQ(next.state, Next::State::kQuestion);
  const UserId candidate = next.question->question.candidates[0];
  const Outcome yes = session_->answer("ann", next.question->id, Reply::kYes, candidate, 1.0);
  ASSERT_TRUE(yes.is_taken);
  EXPECT_EQ(yes.settled, 30 + 30 - 1);
  EXPECT_EQ(session_->status().settled_pairs, 59U);
  const Outcome undone = session_->undo("ann");
  ASSERT_TRUE(undone.is_taken);
  EXPECT_EQ(undone.settled, -59);
  EXPECT_EQ(session_->status().settled_pairs, 0U);
  EXPECT_EQ(session_->next("ann").question->id, next.question->id) << "undo reopens the question";
}

TEST_F(Session, NeverAsksASettledPairAgainAcrossRoundsAndRestarts) {
  start(pairs_only(3));
  import_known(*session_, 4);
  std::set<UserPair> asked;
  for (int answers = 0; answers < 40; ++answers) {
    if (answers % 9 == 8) restart(pairs_only(3));
    const Next next = wait_for_question(*session_, "ann");
    if (next.state == Next::State::kNothing) break;
    ASSERT_EQ(next.state, Next::State::kQuestion) << next.message;
    EXPECT_TRUE(asked.insert(next.question->question.pair()).second);
    ASSERT_TRUE(answer_truly(*session_, "ann", *next.question).is_taken);
  }
  EXPECT_GT(session_->status().rounds.size(), 3U);
  EXPECT_EQ(session_->status().counts.answers, static_cast<std::int64_t>(asked.size()));
}

TEST_F(Session, ARestartGoesOnFromTheKeptModelWithoutAFit) {
  start(pairs_only(5));
  import_known(*session_, 6);
  for (int answers = 0; answers < 7; ++answers)
    answer_truly(*session_, "ann", *wait_for_question(*session_, "ann").question);
  session_->wait_until_learned();
  const std::size_t rounds = session_->status().rounds.size();
  const auto open = session_->next("ann").question->id;
  session_.reset();
  const int fits = CommonContactsAligner::fits;
  restart(pairs_only(5));
  EXPECT_EQ(session_->next("ann").question->id, open);
  while (session_->user(Side::kA, 29, 3).best.empty())
    session_->wait_for_change(session_->status().event, 0.05);  // the model is read meanwhile
  session_->wait_until_learned();
  EXPECT_EQ(CommonContactsAligner::fits, fits);
  EXPECT_EQ(session_->status().rounds.size(), rounds);
}

TEST_F(Session, ARestartWithAnotherFormOfQuestionsChoosesThemFromTheKeptModel) {
  start(pairs_only(5));
  ASSERT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
  session_.reset();
  const int fits = CommonContactsAligner::fits;
  restart({.params = {.questions = "pick"}});
  EXPECT_EQ(wait_for_question(*session_, "ann").question->question.kind, QuestionKind::kPick);
  EXPECT_EQ(CommonContactsAligner::fits, fits);
}

TEST_F(Session, ADamagedKeptModelIsFittedAnew) {
  start(pairs_only(5));
  ASSERT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
  session_.reset();
  study_.reset();
  {
    SQLite::Database(folder_ / "s.study", SQLite::OPEN_READWRITE)
        .exec("UPDATE model_parts SET bytes = zeroblob(length(bytes))");
  }
  const int fits = CommonContactsAligner::fits;
  restart(pairs_only(5));
  EXPECT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
  session_->wait_until_learned();
  EXPECT_EQ(CommonContactsAligner::fits, fits + 1);
}

TEST_F(Session, SkipsAndUnsureAreNotAskedAgain) {
  start(pairs_only(2));
  std::set<UserPair> asked;
  for (int answers = 0; answers < 12; ++answers) {
    const Next next = wait_for_question(*session_, "ann");
    ASSERT_EQ(next.state, Next::State::kQuestion);
    EXPECT_TRUE(asked.insert(next.question->question.pair()).second);
    session_->answer("ann", next.question->id, answers % 2 == 0 ? Reply::kSkip : Reply::kUnsure,
                     kNoUser, 1.0);
  }
  EXPECT_EQ(session_->status().counts.skipped, 6);
  EXPECT_EQ(session_->status().counts.unsure, 6);
  EXPECT_EQ(session_->status().settled_pairs, 0U);
}

TEST_F(Session, APickQuestionAnsweredNoneRefusesEveryCandidate) {
  start({.params = {.questions = "pick", .candidates_per_question = 4}});
  const Next next = wait_for_question(*session_, "ann");
  ASSERT_EQ(next.state, Next::State::kQuestion);
  ASSERT_EQ(next.question->question.kind, QuestionKind::kPick);
  ASSERT_EQ(next.question->question.candidates.size(), 4U);
  const Outcome none = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  EXPECT_EQ(none.settled, 4);
  EXPECT_EQ(session_->undo("ann").settled, -4);
}

TEST_F(Session, TwoPeopleNeverHoldTheSameUsersAtOnce) {
  start(pairs_only());
  const Next ann = wait_for_question(*session_, "ann");
  const Next bob = wait_for_question(*session_, "bob");
  ASSERT_EQ(bob.state, Next::State::kQuestion);
  EXPECT_NE(ann.question->question.user, bob.question->question.user);
  EXPECT_NE(ann.question->question.candidates[0], bob.question->question.candidates[0]);
  EXPECT_EQ(session_->next("ann").question->id, ann.question->id) << "a reload shows the same";
}

TEST_F(Session, QuestionsKeptAheadShareNoUserAndGoToNobodyElse) {
  start(pairs_only(10));
  ASSERT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
  std::set<std::int64_t> questions;
  std::set<UserId> users[2];
  for (const char* name : {"ann", "bob", "carol"}) {
    const Next next = session_->next(name, 2);
    ASSERT_EQ(next.upcoming.size(), 2U);
    std::vector<StudyQuestion> held = next.upcoming;
    held.push_back(*next.question);
    for (const StudyQuestion& one : held) {
      EXPECT_TRUE(questions.insert(one.id).second);
      EXPECT_TRUE(users[0].insert(one.question.pair().a).second);
      EXPECT_TRUE(users[1].insert(one.question.pair().b).second);
    }
  }
}

TEST_F(Session, NobodyIsToldThatAllIsDoneWhileOthersOnlyHoldIt) {
  start({.params = {.batch_size = 2, .reserve = 1, .questions = "pick"}});
  ASSERT_EQ(wait_for_question(*session_, "person 0").state, Next::State::kQuestion);
  std::set<std::int64_t> questions;
  for (int person = 0; person < 8; ++person) {
    const std::string name = fmt::format("person {}", person);
    const Next next = wait_for_question(*session_, name);
    ASSERT_EQ(next.state, Next::State::kQuestion) << name << ": " << next.message;
    EXPECT_TRUE(questions.insert(next.question->id).second);
    session_->next(name, 2);
  }
}

TEST_F(Session, WhatWasAheadComesNextAndAnUndoGoesBefore) {
  start(pairs_only(10));
  ASSERT_EQ(wait_for_question(*session_, "ann").state, Next::State::kQuestion);
  const Next before = session_->next("ann", 2);
  session_->answer("ann", before.question->id, Reply::kNo, kNoUser, 1.0);
  const Next after = session_->next("ann", 2);
  EXPECT_EQ(after.question->id, before.upcoming[0].id);
  EXPECT_EQ(after.upcoming[0].id, before.upcoming[1].id);
  ASSERT_TRUE(session_->undo("ann").is_taken);
  const Next undone = session_->next("ann", 2);
  EXPECT_EQ(undone.question->id, before.question->id);
  EXPECT_EQ(undone.upcoming[0].id, before.upcoming[0].id);
}

TEST_F(Session, AnEditThatContradictsLeavesTheOldAnswerInForce) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const Question& question = next.question->question;
  const Outcome no = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  const auto& networks = session_->study().networks();
  const UserId partner = question.candidates[0] == 0 ? 1 : 0;
  const std::string line =
      fmt::format("{}\t{}\n", networks.a.name(question.user), networks.b.name(partner));
  LineReader lines(bytes_of(line), "import");
  ASSERT_EQ(session_->import_labels(lines, "import").added, 1);
  EXPECT_FALSE(session_->edit("ann", no.entry, Reply::kYes, question.candidates[0]).is_taken);
  EXPECT_EQ(session_->status().counts.no, 1);
  EXPECT_EQ(session_->history({}).size(), 2U);
  restart(pairs_only());
  EXPECT_EQ(session_->status().counts.no, 1);
  EXPECT_EQ(session_->status().anchors, 1U);
}

TEST_F(Session, OverlapAsksASecondPersonAndShowsDisagreementUntilResolved) {
  SessionOptions options = pairs_only();
  options.params.overlap = 1.0;
  start(options);
  const Next ann = wait_for_question(*session_, "ann");
  const UserId candidate = ann.question->question.candidates[0];
  session_->answer("ann", ann.question->id, Reply::kYes, candidate, 1.0);
  const Next bob = wait_for_question(*session_, "bob");
  ASSERT_EQ(bob.question->id, ann.question->id);
  const Outcome no = session_->answer("bob", bob.question->id, Reply::kNo, kNoUser, 1.0);
  ASSERT_TRUE(no.is_taken);
  EXPECT_TRUE(no.is_disputed);
  EXPECT_EQ(session_->status().disputes, std::vector{ann.question->id});
  EXPECT_EQ(session_->status().anchors, 0U) << "a disputed answer labels nothing";
  EXPECT_TRUE(session_->resolve("carol", ann.question->id, Reply::kYes, candidate).is_taken);
  EXPECT_TRUE(session_->status().disputes.empty());
  EXPECT_EQ(session_->status().anchors, 1U);
  ASSERT_EQ(session_->status().agreements.size(), 1U);
  EXPECT_EQ(session_->status().agreements[0].equal, 0);
}

TEST_F(Session, ARepeatedRequestCountsOnceAndAnotherAnswerIsRefused) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const Outcome first = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  const Outcome again = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  EXPECT_TRUE(again.is_taken);
  EXPECT_EQ(again.entry, first.entry);
  const Outcome other = session_->answer("ann", next.question->id, Reply::kUnsure, kNoUser, 1.0);
  EXPECT_FALSE(other.is_taken);
  EXPECT_EQ(other.message, "You have answered this question already.");
  EXPECT_EQ(session_->status().counts.answers, 1);
}

TEST_F(Session, ARepeatIsAcknowledgedOnlyWhenTheFirstCopyIsOnDisk) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  session_->wait_until_learned();
  SQLite::Database other(folder_ / "s.study", SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN IMMEDIATE");  // nobody else can write now
  const auto answer = [&] {
    return std::async(std::launch::async, [&] {
      return session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
    });
  };
  auto first = answer();
  while (session_->history({}).empty()) std::this_thread::yield();  // it is about to be written
  auto repeat = answer();
  EXPECT_EQ(repeat.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout)
      << "acknowledged before it was on disk";
  other.exec("ROLLBACK");
  EXPECT_EQ(first.get().entry, repeat.get().entry);
  EXPECT_EQ(study_->journal().size(), 1U);
}

TEST_F(Session, WhatIsKnownAlreadyIsAcknowledgedOnlyWhenItIsOnDisk) {
  start(pairs_only());
  session_->wait_until_learned();
  SQLite::Database other(folder_ / "s.study", SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN IMMEDIATE");
  const UserPair pair{study_->networks().a.find("a7"), study_->networks().b.find("b7")};
  const auto found = [&] {
    return std::async(std::launch::async,
                      [&] { return session_->enter("ann", pair, Reply::kYes).is_taken; });
  };
  const auto imported = [&] {
    LineReader lines(bytes_of("a7\tb7\n"), "known");
    return session_->import_labels(lines, "bob").known == 1;
  };
  auto first = found();
  while (session_->history({}).empty()) std::this_thread::yield();  // it is about to be written
  auto again = found();
  auto import = std::async(std::launch::async, imported);
  for (auto* const early : {&again, &import})
    EXPECT_EQ(early->wait_for(std::chrono::milliseconds(200)), std::future_status::timeout)
        << "acknowledged before it was on disk";
  other.exec("ROLLBACK");
  EXPECT_TRUE(first.get() && again.get() && import.get());
  EXPECT_EQ(study_->journal().size(), 1U);
}

TEST_F(Session, ARetryAfterAnUndoCountsNothing) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const auto answer = [&](const char* request) {
    return session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0, request);
  };
  const Outcome first = answer("r1");
  ASSERT_TRUE(session_->undo("ann", std::nullopt, "r2").is_taken);
  EXPECT_TRUE(session_->undo("ann", std::nullopt, "r2").is_taken) << "the same undo again";
  const Outcome late = answer("r1");
  EXPECT_TRUE(late.is_taken);
  EXPECT_EQ(late.entry, first.entry);
  EXPECT_EQ(session_->status().counts.answers, 0);
  restart(pairs_only());
  EXPECT_EQ(answer("r1").entry, first.entry) << "also after a restart";
  EXPECT_EQ(session_->status().counts.answers, 0);
  EXPECT_TRUE(answer("r3").is_taken);
  EXPECT_EQ(session_->status().counts.answers, 1);
}

TEST_F(Session, AnEditStandsUnderBothNames) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const Outcome no = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  ASSERT_TRUE(session_->edit("bob", no.entry, Reply::kUnsure, kNoUser).is_taken);
  restart(pairs_only());
  const JournalEntry edited = session_->history({})[0].entry;
  EXPECT_EQ(edited.annotator, "ann");
  EXPECT_EQ(edited.editor, "bob");
  EXPECT_EQ(session_->history({})[1].entry.annotator, "bob") << "who took the old answer back";
}

TEST(Annotators, NamesAreTrimmedAndWellFormed) {
  EXPECT_EQ(annotator_named("  ann "), "ann");
  EXPECT_EQ(annotator_named("J\xc3\xb6rg M."), "J\xc3\xb6rg M.");
  EXPECT_EQ(annotator_named("J\u0151rg"), annotator_named("Jo\u030brg")) << "composed or not";
  EXPECT_EQ(annotator_named("\u00a0ann  of\u2003York "), "ann of York");
  EXPECT_EQ(annotator_named("\U00020000\u5f20"), "\U00020000\u5f20");
  for (const std::string& name :
       {std::string(), std::string("  "), std::string("a\nb"), std::string("\x1b[2J"),
        std::string("\xff"), std::string(65, 'x'), std::string("ann\u200b"),
        std::string("\u202enna"), std::string("ann\ufeff"), std::string("a\u0085b"),
        std::string("a\0b", 3), std::string("\xed\xa0\x80"), std::string(5000, 'x')})
    EXPECT_FALSE(annotator_named(name)) << name;
}

TEST_F(Session, EditingReplacesAnAnswerAsAWhole) {
  start(pairs_only());
  const Next next = wait_for_question(*session_, "ann");
  const UserId candidate = next.question->question.candidates[0];
  const Outcome no = session_->answer("ann", next.question->id, Reply::kNo, kNoUser, 1.0);
  ASSERT_TRUE(session_->edit("ann", no.entry, Reply::kYes, candidate).is_taken);
  EXPECT_EQ(session_->status().counts.yes, 1);
  EXPECT_EQ(session_->status().counts.no, 0);
  restart(pairs_only());
  EXPECT_EQ(session_->status().anchors, 1U);
  EXPECT_EQ(session_->history({}).size(), 3U) << "the answer, its undo and the new answer";
}

TEST_F(Session, ImportListsContradictionsAndTakesTheRest) {
  start(pairs_only());
  LineReader lines(bytes_of("a1\tb1\na2\tb1\na3\tb3\t0\na1\tb1\na3\tb3\n"), "more.tsv");
  const ImportReport report = session_->import_labels(lines, "ann");
  EXPECT_EQ(report.added, 2);
  EXPECT_EQ(report.known, 1);
  ASSERT_EQ(report.conflicts.size(), 2U);
  EXPECT_EQ(report.conflicts[0].line, 2U);
  EXPECT_EQ(session_->study().networks().a.name(report.conflicts[0].earlier.a), "a1");
  EXPECT_EQ(report.conflicts[1].earlier_label, Label::kNotAnchor);
}

TEST_F(Session, AnUndoThatWouldContradictALaterAnswerIsRefused) {
  SessionOptions options = pairs_only();
  options.params.overlap = 1.0;
  start(options);
  const Next ann = wait_for_question(*session_, "ann");
  const Question& question = ann.question->question;
  session_->answer("ann", ann.question->id, Reply::kYes, question.candidates[0], 1.0);
  const Next bob = wait_for_question(*session_, "bob");
  const Outcome no = session_->answer("bob", bob.question->id, Reply::kNo, kNoUser, 1.0);
  // Disputed, so the user is free again and an import gives it another partner.
  const auto& networks = session_->study().networks();
  const UserId other_candidate = question.candidates[0] == 0 ? 1 : 0;
  const std::string line =
      fmt::format("{}\t{}\n", networks.a.name(question.user), networks.b.name(other_candidate));
  LineReader lines(bytes_of(line), "import");
  ASSERT_EQ(session_->import_labels(lines, "import").added, 1);
  const Outcome undone = session_->undo("bob", no.entry);
  EXPECT_FALSE(undone.is_taken);
  EXPECT_NE(undone.message.find("An earlier answer says that"), std::string::npos);
  EXPECT_EQ(session_->status().anchors, 1U);
}

TEST_F(Session, FiftyPeopleAtOnceLoseNothingAndRepeatNothing) {
  study_.emplace(Study::create(folder_ / "s.study", twin_rings(400), {}, {}, {}));
  session_.emplace(*study_, common_contacts(),
                   SessionOptions{.params = {.batch_size = 50, .questions = "pair"}});
  wait_for_question(*session_, "person 0");
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> people;
    for (int person = 0; person < 20; ++person)
      people.emplace_back([&, person] {
        const std::string name = fmt::format("person {}", person);
        for (int answers = 0; answers < 8; ++answers) {
          const Next next = wait_for_question(*session_, name);
          if (next.state != Next::State::kQuestion) return;
          taken += answer_truly(*session_, name, *next.question).is_taken ? 1 : 0;
        }
      });
  }
  EXPECT_EQ(taken, 160);
  EXPECT_EQ(session_->status().counts.answers, 160);
  restart(pairs_only());
  EXPECT_EQ(session_->status().counts.answers, 160);
}

TEST_F(Session, SearchFindsNamesWhateverTheirCase) {
  start(pairs_only());
  const auto found = session_->search(Side::kA, "A2", 20);
  EXPECT_EQ(found.size(), 11U);  // a2, a20..a29
}

}  // namespace
}  // namespace dalaup
