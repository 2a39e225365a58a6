#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "study/database.h"
#include "study_support.h"

namespace dalaup {
namespace {

Study new_study(const std::string& path, const Settings& settings = {}) {
  return Study::create(path, twin_rings(12), {}, {}, settings);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

// What a child process without rights or space says.
std::string message_in_child(const std::function<void()>& prepare,
                             const std::function<void()>& action) {
  int channel[2];
  if (pipe(channel) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    const std::string message = message_of(action);
    const auto written = write(channel[1], message.data(), message.size());
    _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  close(channel[1]);
  std::string message;
  char buffer[512];
  for (ssize_t count; (count = read(channel[0], buffer, sizeof(buffer))) > 0;)
    message.append(buffer, static_cast<std::size_t>(count));
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return message;
}

TEST(StudyFile, KeepsNetworksProfilesAndSettings) {
  const TemporaryFolder folder;
  NetworkPair networks{network_of("zoe 'x\nq\"q zoe\nloner\n"), network_of("b a 2.5\nc b", true)};
  Profiles profiles{.columns = {"city", "born"}, .rows = {{1, {"<Köln>", "1990"}}}};
  Settings settings;
  settings.set("method", std::string("propagation"));
  settings.set("batch_size", std::int64_t{7});
  { Study::create(folder / "s.study", networks, profiles, {}, settings); }
  const Study study = Study::open(folder / "s.study", Access::kRead);
  ASSERT_EQ(study.networks().a.user_count(), 4U);
  for (UserId user = 0; user < 4; ++user)
    EXPECT_EQ(study.networks().a.name(user), networks.a.name(user));
  EXPECT_EQ(study.networks().a.both().users, networks.a.both().users);
  EXPECT_TRUE(study.networks().b.is_directed());
  EXPECT_EQ(study.networks().b.out().users, networks.b.out().users);
  EXPECT_EQ(study.networks().b.out().weights, networks.b.out().weights);
  EXPECT_EQ(study.profiles(Side::kA).columns, profiles.columns);
  EXPECT_EQ(study.profiles(Side::kA).rows.at(1), profiles.rows.at(1));
  EXPECT_EQ(study.settings(), settings);
}

TEST(StudyFile, KeepsTheLastModelOnly) {
  const TemporaryFolder folder;
  Study study = new_study(folder / "s.study");
  EXPECT_FALSE(study.kept_model());
  std::string large(1000000, 'x');  // several parts
  for (std::size_t place = 0; place < large.size(); place += 7)
    large[place] = static_cast<char>(place % 251);
  study.keep_model({.round = 1, .entries = 4, .bytes = large + "old"});
  study.keep_model({.round = 2, .entries = 9, .bytes = large});
  const auto kept = study.kept_model();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->round, 2);
  EXPECT_EQ(kept->entries, 9);
  EXPECT_EQ(kept->bytes, large);
}

TEST(StudyFile, RefusesToReplaceAFile) {
  const TemporaryFolder folder;
  new_study(folder / "s.study");
  EXPECT_NE(message_of([&] { new_study(folder / "s.study"); }).find("found a file of that name"),
            std::string::npos);
  EXPECT_NO_THROW(Study::open(folder / "s.study", Access::kLabel));
}

TEST(StudyFile, SaysWhatIsWrongWithAForeignOrMissingFile) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of([&] {
              Study::open(folder / "none.study", Access::kLabel);
            }).find("there is no such file"),
            std::string::npos);
  std::ofstream(folder / "text.study") << std::string(5000, 'x');
  EXPECT_NE(message_of([&] {
              Study::open(folder / "text.study", Access::kLabel);
            }).find("found another kind of file"),
            std::string::npos);
  {
    SQLite::Database(folder / "other.study", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x)");
  }
  EXPECT_NE(message_of([&] {
              Study::open(folder / "other.study", Access::kLabel);
            }).find("expected a study of dalaup"),
            std::string::npos);
}

TEST(StudyFile, RefusesAFileOfANewerVersionAndLeavesItAlone) {
  const TemporaryFolder folder;
  new_study(folder / "s.study");
  { SQLite::Database(folder / "s.study", SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99"); }
  const std::string before = content_of(folder / "s.study");
  EXPECT_NE(message_of([&] {
              Study::open(folder / "s.study", Access::kLabel);
            }).find("found schema version 99, expected at most"),
            std::string::npos);
  EXPECT_EQ(content_of(folder / "s.study"), before);
}

TEST(StudyFile, BringsAnOlderSchemaUpToDateInOneStep) {
  const TemporaryFolder folder;
  const std::vector<const char*> old{"CREATE TABLE t (x)"};
  const std::vector<const char*> good{old[0], "ALTER TABLE t ADD COLUMN y"};
  const std::vector<const char*> bad{old[0], "ALTER TABLE t ADD COLUMN z; SELECT nonsense"};
  { StudyDatabase(folder / "s.study", Access::kCreate, old); }
  EXPECT_THROW(StudyDatabase(folder / "s.study", Access::kLabel, bad), InputError);
  const auto columns = [](SQLite::Database& database) {
    return database.execAndGet("SELECT count(*) FROM pragma_table_info('t')").getInt();
  };
  EXPECT_EQ(StudyDatabase(folder / "s.study", Access::kLabel, old).read(columns), 1);
  EXPECT_EQ(StudyDatabase(folder / "s.study", Access::kLabel, good).read(columns), 2);
}

TEST(StudyFile, IsLabelledByOneProcessAtATimeAndReadByMore) {
  const TemporaryFolder folder;
  const Study first = new_study(folder / "s.study");
  EXPECT_NE(message_of([&] {
              Study::open(folder / "s.study", Access::kLabel);
            }).find("is in use by another dalaup"),
            std::string::npos);
  EXPECT_NO_THROW(Study::open(folder / "s.study", Access::kRead));
}

TEST(StudyFile, SaysWhenAnotherProgramHoldsIt) {
  const TemporaryFolder folder;
  new_study(folder / "s.study");
  SQLite::Database other(folder / "s.study", SQLite::OPEN_READWRITE);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE t (x)");
  const std::string message =
      message_in_child([] {}, [&] { Study::open(folder / "s.study", Access::kRead); });
  EXPECT_NE(message.find("is locked by another program"), std::string::npos) << message;
}

TEST(StudyFile, NoticesADamagedPage) {
  const TemporaryFolder folder;
  new_study(folder / "s.study");
  {
    std::fstream file(folder / "s.study", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 2 + 10);
    file << std::string(3000, '\xee');
  }
  const std::string before = content_of(folder / "s.study");
  const std::string message = message_of([&] { Study::open(folder / "s.study", Access::kLabel); });
  EXPECT_NE(message.find("the file is damaged"), std::string::npos) << message;
  EXPECT_EQ(content_of(folder / "s.study"), before);
}

TEST(StudyFile, SaysWhenItMayNotBeWritten) {
  const TemporaryFolder folder;
  new_study(folder / "s.study");
  chmod(folder.path().c_str(), 0555);
  chmod((folder / "s.study").c_str(), 0444);
  const auto become_nobody = [] {
    if (getuid() == 0 && setuid(65534) != 0) _exit(1);
  };
  const std::string message =
      message_in_child(become_nobody, [&] { Study::open(folder / "s.study", Access::kLabel); });
  EXPECT_NE(message.find("cannot be written"), std::string::npos) << message;
  EXPECT_EQ(
      message_in_child(become_nobody, [&] { Study::open(folder / "s.study", Access::kRead); }),
      "no error");
  chmod(folder.path().c_str(), 0755);
}

TEST(StudyFile, AFullDiskRefusesTheAnswerAndKeepsThoseBefore) {
  const TemporaryFolder folder;
  { new_study(folder / "s.study"); }
  const auto entries = [](std::int64_t from, int count) {
    std::vector<JournalEntry> made;
    for (int more = 0; more < count; ++more)
      made.push_back({.id = from + more,
                      .at = utc_now(),
                      .kind = EntryKind::kImport,
                      .annotator = "a",
                      .reply = Reply::kNo,
                      .pair = {0, 1},
                      .refused = {},
                      .source = "f"});
    return made;
  };
  const auto limit_files = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const std::string message = message_in_child(limit_files, [&] {
    Study study = Study::open(folder / "s.study", Access::kLabel);
    study.append(entries(1, 3));
    study.append(entries(4, 20000));
  });
  EXPECT_NE(message.find("the last change was not saved"), std::string::npos) << message;
  EXPECT_EQ(Study::open(folder / "s.study", Access::kLabel).journal().size(), 3U);
}

TEST(StudyFile, TheJournalOnlyGrows) {
  const TemporaryFolder folder;
  Study study = new_study(folder / "s.study");
  study.append(std::vector<JournalEntry>{{.id = 1,
                                          .at = utc_now(),
                                          .kind = EntryKind::kImport,
                                          .annotator = "a",
                                          .reply = Reply::kYes,
                                          .pair = {0, 0},
                                          .refused = {},
                                          .source = "f"}});
  SQLite::Database other(folder / "s.study", SQLite::OPEN_READWRITE);
  EXPECT_THROW(other.exec("DELETE FROM journal"), SQLite::Exception);
  EXPECT_THROW(other.exec("UPDATE journal SET reply = 'no'"), SQLite::Exception);
}

JournalEntry negative(std::int64_t id, UserId b) {
  return {.id = id,
          .at = utc_now(),
          .kind = EntryKind::kImport,
          .annotator = "a",
          .reply = Reply::kNo,
          .pair = {0, b},
          .refused = {},
          .source = "f"};
}

TEST(StudyFile, AMovedDeletedOrReplacedStudyTakesNothing) {
  const TemporaryFolder folder;
  for (const char* const what : {"moved", "deleted", "replaced", "log deleted"}) {
    const std::string path = folder / fmt::format("{}.study", what);
    Study study = new_study(path);
    study.append(std::vector{negative(1, 1)});
    const std::string action = what;
    if (action == "moved") std::rename(path.c_str(), (path + ".old").c_str());
    if (action == "deleted") std::remove(path.c_str());
    if (action == "log deleted") std::remove((path + "-wal").c_str());
    if (action == "replaced") {
      std::rename(path.c_str(), (path + ".old").c_str());
      std::ofstream(path) << "another";
    }
    const std::string message = message_of([&] { study.append(std::vector{negative(2, 2)}); });
    EXPECT_NE(message.find("the last change was not taken"), std::string::npos) << what << message;
    if (action != "moved") continue;
    std::rename((path + ".old").c_str(), path.c_str());
    EXPECT_NO_THROW(study.append(std::vector{negative(2, 2)})) << "back in its place";
  }
}

TEST(StudyFile, ManyUndosLoadInLinearTime) {
  const TemporaryFolder folder;
  Study study = new_study(folder / "s.study");
  std::vector<JournalEntry> entries;
  for (std::int64_t id = 1; id <= 100000; id += 2) {
    entries.push_back(negative(id, 1));
    JournalEntry undo = negative(id + 1, 1);
    undo.kind = EntryKind::kUndo;
    undo.undoes = id;
    undo.pair = {};
    entries.push_back(undo);
  }
  study.append(entries);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(load_ledger(study).counts().imported, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST(StudyFile, ManyAnswersToOneQuestionLoadInLinearTime) {
  Ledger ledger(2, 2);
  StudyQuestion question;
  question.id = 1;
  question.question.candidates = {0};
  question.question.probabilities = {0.5};
  ledger.know(question);
  std::vector<JournalEntry> entries;
  for (std::int64_t id = 1; id <= 100000; ++id) {
    JournalEntry answer = negative(id, 1);
    answer.kind = EntryKind::kAnswer;
    answer.annotator = std::to_string(id);
    answer.question = 1;
    answer.pair = {};
    answer.refused = {0};
    entries.push_back(answer);
  }
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(ledger.add_all(entries), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_TRUE(ledger.has_answered("77777", 1));
  EXPECT_FALSE(ledger.has_answered("0", 1));
}

TEST(Profiles, ReadQuotedCellsAndRefuseShortRows) {
  const TemporaryFolder folder;
  const Network network = network_of("ann bob");
  dalaup::Run run;
  std::ofstream(folder / "p.csv")
      << "name,city,about\nann,\"Köln, Rhein\",\"says \"\"hi\"\"\nbye\"\n"
         "bob,,\nstranger,x,y\n";
  const Profiles profiles = read_profiles(folder / "p.csv", network, run);
  EXPECT_EQ(profiles.columns, (std::vector<std::string>{"city", "about"}));
  EXPECT_EQ(profiles.rows.at(0), (std::vector<std::string>{"Köln, Rhein", "says \"hi\"\nbye"}));
  EXPECT_FALSE(profiles.rows.contains(1));  // nothing is known of bob
  std::ofstream(folder / "q.csv") << "name,city\nann\n";
  EXPECT_NE(message_of([&] {
              read_profiles(folder / "q.csv", network, run);
            }).find("q.csv:2: found 1 column, expected 2"),
            std::string::npos);
}

}  // namespace
}  // namespace dalaup
