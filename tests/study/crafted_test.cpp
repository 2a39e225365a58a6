#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <fstream>

#include "study/study_support.h"

// Studies from strangers: made by hand to do harm, or damaged. None may crash, hang or lose an
// answer; each is refused in words.
namespace dalaup {
namespace {

// With answers, an undo, an import and a round of questions of either kind.
class Crafted : public testing::Test {
 protected:
  void SetUp() override {
    NetworkPair networks = twin_rings(30);
    const Profiles profiles{.columns = {"city"}, .rows = {{0, {"Köln"}}, {3, {"Bonn"}}}};
    Study study = Study::create(whole_, networks, profiles, {}, {});
    LabellingSession session(study, common_contacts(), {.params = {.batch_size = 2}});
    import_known(session, 3);
    for (int answer = 0; answer < 4; ++answer) {
      const Next next = wait_for_question(session, "ann");
      ASSERT_TRUE(next.question);
      ASSERT_TRUE(answer_truly(session, "ann", *next.question).is_taken);
    }
    session.undo("ann");
    session.wait_until_learned();
  }

  // A copy changed by hand; the study's own triggers are taken off and put on again around it.
  std::string changed(const std::string& sql) {
    const std::string path = folder_ / "changed.study";
    std::filesystem::copy_file(whole_, path, std::filesystem::copy_options::overwrite_existing);
    SQLite::Database file(path, SQLite::OPEN_READWRITE);
    std::vector<std::pair<std::string, std::string>> triggers;
    {
      SQLite::Statement rows(file, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
      while (rows.executeStep())
        triggers.emplace_back(rows.getColumn(0).getString(), rows.getColumn(1).getString());
    }
    for (const auto& [name, text] : triggers) file.exec("DROP TRIGGER " + name);
    file.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    file.exec(sql);
    for (const auto& [name, text] : triggers) file.exec(text);
    return path;
  }
  static std::string problem_of(const std::string& path) {
    try {
      Study::open(path, Access::kLabel).check();
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  void expect_refused(const std::string& sql, const std::string& words) {
    const std::string path = changed(sql);
    const std::string problem = problem_of(path);
    EXPECT_NE(problem.find(words), std::string::npos) << sql << "\n" << problem;
    EXPECT_EQ(problem.find(path), 0U) << "the file is named: " << problem;
  }

  TemporaryFolder folder_;
  std::string whole_ = folder_ / "s.study";
};

TEST_F(Crafted, AWholeStudyIsSound) { EXPECT_EQ(problem_of(changed("SELECT 1")), ""); }

TEST_F(Crafted, NetworksAndProfilesAreChecked) {
  expect_refused("UPDATE edges SET target = 99999 WHERE rowid = 1", "user of an edge: found 99999");
  expect_refused("UPDATE edges SET source = -1 WHERE rowid = 2", "user of an edge: found -1");
  expect_refused("UPDATE edges SET source = 'x' WHERE rowid = 2", "user of an edge: found x");
  expect_refused("UPDATE edges SET target = 4294967299 WHERE rowid = 1", "user of an edge");
  expect_refused("UPDATE edges SET weight = -1 WHERE rowid = 1", "weight of an edge");
  expect_refused("UPDATE edges SET weight = 9e999 WHERE rowid = 1", "weight of an edge");
  expect_refused("UPDATE edges SET weight = 1e300 WHERE rowid = 1", "weight of an edge");
  expect_refused("UPDATE edges SET side = 7 WHERE rowid = 1", "edges: found 7");
  expect_refused("UPDATE users SET name = 'a0' WHERE side = 0 AND id = 4", "found user a0 twice");
  expect_refused("DELETE FROM users WHERE side = 1 AND id = 3", "id of a user: found 4");
  expect_refused("UPDATE users SET id = 4294967296 WHERE side = 0 AND id = 29", "id of a user");
  expect_refused("DELETE FROM users WHERE side = 0", "user of an edge");
  expect_refused("INSERT INTO profiles VALUES (0, 30, '[\"x\"]')", "user of a profile: found 30");
  expect_refused("UPDATE profiles SET cells = '[]'", "found 0 cells, expected 1");
  expect_refused("UPDATE profiles SET cells = '[1]'", "expected a list of texts");
  expect_refused("UPDATE profiles SET cells = '[[[['", "expected a list of texts");
  expect_refused("UPDATE profiles SET cells = x'00ff'", "a profile: found bytes");
  expect_refused("UPDATE settings SET value = '{' WHERE name = 'settings'", "settings");
  expect_refused("DELETE FROM settings WHERE name = 'created'", "found no setting \"created\"");
}

TEST_F(Crafted, RoundsAndQuestionsAreChecked) {
  const auto with = [](const char* name, const char* value) {
    return fmt::format("UPDATE questions SET details = json_set(details, '$.{}', json('{}'))", name,
                       value);
  };
  expect_refused("UPDATE rounds SET id = id + 5", "speaks of one that is not there");
  expect_refused("UPDATE rounds SET bandit = x'00'", "bandit of a round");
  expect_refused("UPDATE rounds SET seconds = 9e999", "seconds of a round");
  expect_refused("UPDATE questions SET user = 30", "user of a question: found 30");
  expect_refused("UPDATE questions SET user = -1", "user of a question: found -1");
  expect_refused("UPDATE questions SET side = 2", "side of a question");
  expect_refused("UPDATE questions SET kind = 'riddle'", "kind of a question: found riddle");
  expect_refused("UPDATE questions SET score = 9e999", "score of a question");
  expect_refused("UPDATE questions SET details = '{}'", "damaged details");
  expect_refused("UPDATE questions SET details = '['", "damaged details");
  expect_refused(with("candidates", "[]"), "found no candidates");
  expect_refused(with("candidates", "[30,30,30]"), "question ");
  expect_refused(with("candidates", "[-1]"), "expected the id of a user");
  expect_refused(with("candidates", "[4294967296]"), "expected the id of a user");
  expect_refused(with("candidates", "[1.5]"), "expected the id of a user");
  expect_refused(with("probabilities", "[]"), "found 0 probabilities");
  expect_refused(with("ranks", "[[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]]"), "7 ranks");
  expect_refused(with("rivals", R"([["A",30,0.5]])"), "rival: found user 30");
  expect_refused(with("likely_same", "[[1,30]]"), "contact: found user 30");
  expect_refused(with("fields", "[[],[],[],[],[],[],[]]"), "found those of 7 candidates");
  expect_refused(with("fields", R"([[["city","much"]]])"), "damaged details");
  expect_refused(with("fields", "3"), "damaged details");
  expect_refused("UPDATE questions SET round = 99", "speaks of one that is not there");
}

TEST_F(Crafted, TheJournalIsChecked) {
  const auto change = [](const char* what, int entry) {
    return fmt::format("UPDATE journal SET hash = ''; UPDATE journal SET {} WHERE id = {}", what,
                       entry);
  };
  expect_refused("UPDATE journal SET reply = 'no' WHERE id = 4", "does not have the hash");
  expect_refused("UPDATE journal SET annotator = 'bob' WHERE id = 5", "does not have the hash");
  expect_refused("DELETE FROM journal WHERE id = 2", "id of a journal entry: found 3");
  expect_refused("UPDATE journal SET hash = '' WHERE id = 5", "does not have the hash");
  expect_refused(change("id = 99", 2), "id of a journal entry");
  expect_refused(change("kind = 'rumour'", 2), "CHECK constraint failed");
  expect_refused(change("reply = 'maybe'", 2), "CHECK constraint failed");
  expect_refused(change("a = 30", 2), "user of an answer: found 30");
  expect_refused(change("a = NULL", 2), "found one user, expected a pair");
  expect_refused(change("a = NULL, b = NULL", 2), "entry 2 of the journal does not fit");
  expect_refused(change("question = 1", 2), "entry 2 of the journal does not fit");
  expect_refused(change("question = 99999", 4), "speaks of one that is not there");
  expect_refused(change("refused = '1 x'", 4), "refused candidates");
  expect_refused(change("refused = '-1'", 4), "refused candidates");
  expect_refused(change("refused = '1  2'", 4), "refused candidates");
  expect_refused(change("seconds = 9e999", 4), "seconds of a journal entry");
  expect_refused(change("undoes = 77", 8), "speaks of one that is not there");
  expect_refused(change("undoes = 8", 8), "of the journal does not fit");
  expect_refused(change("undoes = 1", 8), "of the journal does not fit");
  expect_refused("DELETE FROM journal WHERE id > 1", "in the journal, expected at least");
}

TEST_F(Crafted, NothingInTheFileRuns) {
  expect_refused("CREATE TRIGGER quiet BEFORE INSERT ON journal BEGIN SELECT RAISE (IGNORE); END",
                 "found a trigger \"quiet\" that no study has");
  expect_refused(
      "CREATE VIEW endless AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
      "SELECT x FROM n",
      "found a view \"endless\"");
  expect_refused(
      "ALTER TABLE rounds RENAME TO old_rounds; CREATE VIEW rounds AS WITH RECURSIVE n (id) AS "
      "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n, old_rounds",
      "that no study has");
  expect_refused("CREATE INDEX slow ON users (hex(zeroblob(id)))", "found a index \"slow\"");
  expect_refused("DROP INDEX questions_of_round", "is missing");
  expect_refused("PRAGMA user_version = -1", "found schema version -1");
  expect_refused("PRAGMA user_version = 0", "found schema version 0");
  expect_refused("PRAGMA user_version = 1", "that no study has");
}

TEST_F(Crafted, ADamagedStudyIsRefusedOrSoundButNeverACrash) {
  std::string bytes = content_of(whole_);
  const std::string path = folder_ / "damaged.study";
  Random random(from_environment("DALAUP_SEED", 7));
  int refused = 0;
  for (int attempt = 0; attempt < 150; ++attempt) {
    std::string damaged = bytes;
    const auto changes = 1 + random.below(20);
    for (std::uint64_t change = 0; change < changes; ++change)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (attempt % 5 == 0) damaged.resize(random.below(damaged.size()));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    refused += problem_of(path).empty() ? 0 : 1;
    for (const char* const ending : {"-wal", "-shm"}) std::filesystem::remove(path + ending);
  }
  EXPECT_GT(refused, 30);
}

// The journal of a study from before entries had hashes, editors and requests.
TEST_F(Crafted, AnOlderStudyIsReadAsItIsAndBroughtUpToDateWhenLabelled) {
  const std::string path = changed(
      "DROP TABLE people; ALTER TABLE journal DROP COLUMN note; "
      "ALTER TABLE journal DROP COLUMN hash; ALTER TABLE journal DROP COLUMN request; "
      "ALTER TABLE journal DROP COLUMN editor; PRAGMA user_version = 2");
  const std::string before = content_of(path);
  EXPECT_EQ(load_ledger(Study::open(path, Access::kRead)).entries().size(), 8U);
  EXPECT_EQ(content_of(path), before);
  {
    Study study = Study::open(path, Access::kLabel);
    LabellingSession session(study, common_contacts(), {.params = {.batch_size = 5}});
    const Next next = wait_for_question(session, "bob");
    ASSERT_TRUE(next.question);
    EXPECT_TRUE(answer_truly(session, "bob", *next.question).is_taken);
  }
  EXPECT_EQ(problem_of(path), "");
  EXPECT_EQ(load_ledger(Study::open(path, Access::kRead)).entries().size(), 9U);
  SQLite::Database(path, SQLite::OPEN_READWRITE)
      .exec(
          "DROP TRIGGER journal_keeps_lines; UPDATE journal SET reply = 'no' WHERE id = 1;"
          "CREATE TRIGGER journal_keeps_lines BEFORE UPDATE ON journal\n"
          "BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END");
  EXPECT_NE(problem_of(path).find("entry 9 of the journal does not have the hash"),
            std::string::npos)
      << "the first hash covers what came before it";
}

TEST_F(Crafted, ACopyMadeWhileLabellingIsWhole) {
  Study study = Study::open(whole_, Access::kLabel);
  study.append(std::vector<JournalEntry>{{.id = 9,
                                          .at = utc_now(),
                                          .kind = EntryKind::kImport,
                                          .annotator = "a",
                                          .reply = Reply::kNo,
                                          .pair = {20, 25},
                                          .refused = {},
                                          .source = "f"}});
  Study::open(whole_, Access::kRead).copy_to(folder_ / "copy.study");
  EXPECT_EQ(problem_of(folder_ / "copy.study"), "");
  EXPECT_EQ(Study::open(folder_ / "copy.study", Access::kRead).journal_hash(),
            study.journal_hash());
  EXPECT_THROW(study.copy_to(folder_ / "copy.study"), InputError);
}

}  // namespace
}  // namespace dalaup
