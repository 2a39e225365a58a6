#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

#include "byte_feed.h"
#include "fuzz.h"
#include "study/common_contacts.h"
#include "study/learner.h"

// A study changed in its bytes or in its rows: opening, checking and replaying it ends in an
// InputError, or it is sound; then an entry that is added must be there when it is opened again.
namespace dalaup {
namespace {

constexpr std::array kEndings{"", "-wal", "-shm", "-journal"};

struct StudyPath {
  std::string path = "/dev/shm/fuzz-" + std::to_string(getpid()) + ".study";
  ~StudyPath() {
    for (const char* const ending : kEndings) unlink((path + ending).c_str());
  }
};

Network ring(char side, int users) {
  std::string edges;
  for (int user = 0; user < users; ++user)
    edges += side + std::to_string(user) + " " + side + std::to_string((user + 1) % users) + "\n" +
             side + std::to_string(user) + " " + side + std::to_string((user * 7 + 5) % users) +
             "\n";
  LineReader lines(bytes_of(edges), "ring");
  return read_edges(lines, {});
}

// With imports, answers of two people, an undo, rounds and a kept model.
std::string whole_study() {
  const StudyPath file;
  {
    const Profiles profiles{.columns = {"city"}, .rows = {{0, {"Bonn"}}, {3, {"Rome"}}}};
    Study study = Study::create(file.path, {ring('a', 12), ring('b', 12)}, profiles, {}, {});
    LabellingSession session(study, [] { return std::make_unique<CommonContactsAligner>(); },
                             {.params = {.batch_size = 4}});
    LineReader known(bytes_of("a0\tb0\na1\tb1\n"), "known");
    session.import_labels(known, "import");
    for (const char* const name : {"ann", "bob", "ann", "bob"}) {
      session.wait_until_learned();
      const Next next = session.next(name);
      if (next.question) session.answer(name, next.question->id, Reply::kNo, kNoUser, 1.0);
    }
    session.undo("ann");
    session.wait_until_learned();
  }
  return read_all(*open_bytes(file.path));
}

// One cell of a row that is there becomes a number, a text, bytes or nothing.
void change_a_row(SQLite::Database& file, ByteFeed& feed) {
  static constexpr std::array<std::pair<const char*, std::array<const char*, 6>>, 9> kTables{{
      {"settings", {"value", "name", "value", "value", "value", "value"}},
      {"users", {"side", "id", "name", "id", "name", "id"}},
      {"edges", {"side", "source", "target", "weight", "source", "target"}},
      {"profiles", {"side", "id", "cells", "cells", "id", "cells"}},
      {"rounds", {"id", "bandit", "strategy", "seconds", "answers", "agreement"}},
      {"questions", {"kind", "side", "user", "score", "details", "round"}},
      {"journal", {"kind", "reply", "a", "refused", "undoes", "question"}},
      {"models", {"round", "entries", "parts", "round", "entries", "parts"}},
      {"model_parts", {"round", "part", "bytes", "bytes", "bytes", "bytes"}},
  }};
  const auto& [table, columns] = kTables[feed.take<std::uint8_t>() % kTables.size()];
  const char* const column = columns[feed.take<std::uint8_t>() % columns.size()];
  const int row = feed.take<std::uint8_t>() % 40;
  const std::string where =
      std::string(" FROM ") + table + " LIMIT 1 OFFSET " + std::to_string(row);
  const std::string key = std::string(column) + " IS (SELECT " + column + where + ")";
  const std::uint8_t kind = feed.take<std::uint8_t>() % 8;
  if (kind == 0)
    return static_cast<void>(file.exec(std::string("DELETE FROM ") + table + " WHERE " + key));
  SQLite::Statement update(
      file, std::string("UPDATE OR IGNORE ") + table + " SET " + column + " = ? WHERE " + key);
  const std::string text = kind >= 5 ? feed.text() : std::string();
  if (kind <= 2) update.bind(1, static_cast<std::int64_t>(feed.take<std::int8_t>()));
  if (kind == 3) update.bind(1, feed.take<std::int64_t>());
  if (kind == 4) update.bind(1, feed.take<double>());
  if (kind == 5 || kind == 6) update.bind(1, text);
  if (kind == 7) update.bind(1, text.data(), static_cast<int>(text.size()));
  update.exec();
}

void change_rows(const std::string& path, ByteFeed& feed) {
  SQLite::Database file(path, SQLite::OPEN_READWRITE);
  std::vector<std::pair<std::string, std::string>> triggers;
  {
    SQLite::Statement rows(file, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    while (rows.executeStep())
      triggers.emplace_back(rows.getColumn(0).getString(), rows.getColumn(1).getString());
  }
  for (const auto& [name, sql] : triggers) file.exec("DROP TRIGGER " + name);
  file.exec(
      "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
  if (feed.take<std::uint8_t>() % 2 == 0) file.exec("UPDATE journal SET hash = ''");
  for (int changes = 0; changes < 4 && !feed.is_empty(); ++changes) change_a_row(file, feed);
  for (const auto& [name, sql] : triggers) file.exec(sql);
}

void change_bytes(std::string& bytes, ByteFeed& feed) {
  for (int changes = 0; changes < 16 && !feed.is_empty(); ++changes)
    bytes[feed.below(bytes.size())] = static_cast<char>(feed.take<std::uint8_t>());
}

// All that opening a session reads.
void replay(const Study& study) {
  study.check();
  load_ledger(study);
  if (const auto kept = study.kept_model()) {
    kept_progress(kept->bytes);
    try {
      restore_model(
          kept->bytes, [] { return std::make_unique<CommonContactsAligner>(); }, study.networks());
    } catch (const InputError&) {  // it is made anew
    }
  }
}

void use(const std::string& path) {
  std::int64_t entries = 0;
  {
    Study study = Study::open(path, Access::kLabel);
    replay(study);
    entries = static_cast<std::int64_t>(study.journal().size());
    const JournalEntry added{.id = entries + 1,
                             .at = utc_now(),
                             .kind = EntryKind::kImport,
                             .annotator = "fuzz",
                             .reply = Reply::kNo,
                             .pair = {0, 0},
                             .refused = {},
                             .source = "fuzz"};
    study.append(std::span(&added, 1));
  }
  const Study again = Study::open(path, Access::kRead);
  if (static_cast<std::int64_t>(again.journal().size()) != entries + 1) std::abort();
}

}  // namespace
}  // namespace dalaup

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static const std::string whole = whole_study();
  ByteFeed feed(data, size);
  const StudyPath file;
  const bool by_rows = feed.take<std::uint8_t>() % 4 != 0;
  std::string bytes = whole;
  if (!by_rows) change_bytes(bytes, feed);
  std::ofstream(file.path, std::ios::binary | std::ios::trunc) << bytes;
  if (by_rows) {
    try {
      change_rows(file.path, feed);
    } catch (const SQLite::Exception&) {  // not even SQLite takes it
      return 0;
    }
  }
  try {
    use(file.path);
  } catch (const InputError&) {
  }
  return 0;
}
