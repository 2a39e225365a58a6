#include "study/database.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>

namespace dalaup {
namespace {

constexpr int kWaitMilliseconds = 5000;  // for another process in the middle of a transaction

constexpr int kStepsBetweenLooks = 100'000;  // at the clock; a few milliseconds

constexpr int kLongestValue = 256 << 20;  // bytes; parts of a kept model are far shorter

int whole_number(SQLite::Database& database, const std::string& query) {
  return database.execAndGet(query).getInt();
}

int is_late(void* stop_at) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() > *static_cast<const Clock::time_point*>(stop_at) ? 1 : 0;
}

// Tables, indices, triggers and whatever else stands in a file, with the SQL that made them.
using Schema = std::set<std::tuple<std::string, std::string, std::string, std::string>>;
Schema schema_of(SQLite::Database& database) {
  Schema schema;
  SQLite::Statement rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  while (rows.executeStep())
    schema.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                   rows.getColumn(2).getString(), rows.getColumn(3).getString());
  return schema;
}

Schema expected_schema(std::span<const char* const> scripts) {
  SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const char* const script : scripts) memory.exec(script);
  return schema_of(memory);
}

void sync_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_safe = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!is_safe)
    throw InputError(path, 0, fmt::format("cannot be written ({})", std::strerror(errno)));
}

// A new name is safe only when its folder is.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  sync_file(folder.empty() ? "." : folder);
}

// Studies have a write-ahead log and no rollback journal. SQLite would apply one that lies there,
// and delete whatever other file it names.
void refuse_rollback_journal(const std::string& path) {
  const std::string journal = path + "-journal";
  if (file_exists(journal))
    throw InputError(path, 0, fmt::format("found {} beside it, which no study has", journal),
                     "do not use a study that came with such a file: it can delete other files");
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> identity_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>{about.st_dev, about.st_ino};
}

// All of `source` into `target`, which is empty.
void copy_pages(SQLite::Database& source, SQLite::Database& target) {
  SQLite::Backup backup(target, source);
  if (backup.executeStep() != SQLITE_DONE)
    throw SQLite::Exception("the copy did not come to its end", SQLITE_BUSY);
}

}  // namespace

StudyDatabase::StudyDatabase(std::string path, Access access, std::span<const char* const> scripts,
                             double most_seconds)
    : path_(std::move(path)), is_reader_(access == Access::kRead), most_seconds_(most_seconds) {
  try {
    if (access == Access::kCreate && file_exists(path_))
      throw InputError(path_, 0, "found a file of that name, expected none",
                       "dalaup label continues a study; choose another name for a new one");
    if (access != Access::kCreate && !file_exists(path_))
      throw InputError(path_, 0, "there is no such file",
                       "dalaup new STUDY --a FILE --b FILE starts a study");
    if (access != Access::kCreate) refuse_rollback_journal(path_);
    if (!is_reader_ && access != Access::kPeople) take_lock(access);
    start_clock();
    open(access);
    const int version = access == Access::kCreate ? 0 : check_identity(scripts);
    // Another process that labels expects the schema it found.
    if (access == Access::kPeople && version < static_cast<int>(scripts.size())) take_lock(access);
    bring_up_to_date(version, scripts);
  } catch (const SQLite::Exception& error) {
    give_up(access);
    fail(error);
  } catch (...) {
    give_up(access);
    throw;
  }
}

StudyDatabase::~StudyDatabase() {
  tidier_.reset();
  watcher_.reset();
  database_.reset();
  // Only now: closing any descriptor of the file would drop SQLite's own locks on it.
  if (lock_descriptor_ >= 0) close(lock_descriptor_);
}

void StudyDatabase::give_up(Access access) {
  database_.reset();
  if (lock_descriptor_ < 0) return;
  close(lock_descriptor_);
  if (access == Access::kCreate) remove_study(path_);
}

void remove_study(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm"}) std::remove((path + ending).c_str());
}

// flock does not meet SQLite's fcntl locks, so readers come and go while this process labels.
void StudyDatabase::take_lock(Access access) {
  const int create = access == Access::kCreate ? O_CREAT | O_EXCL : 0;
  lock_descriptor_ = ::open(path_.c_str(), O_RDWR | create | O_CLOEXEC, 0644);
  if (lock_descriptor_ < 0) {
    if (errno == EACCES || errno == EROFS || errno == EPERM)
      throw InputError(path_, 0, fmt::format("cannot be written ({})", std::strerror(errno)),
                       "answers need a file and a folder that you may write to");
    throw InputError(path_, 0, fmt::format("cannot be opened ({})", std::strerror(errno)));
  }
  if (flock(lock_descriptor_, LOCK_EX | LOCK_NB) != 0)
    throw StudyInUse(path_, 0, "is in use by another dalaup",
                     "open the address that one printed, or stop it first");
}

void StudyDatabase::start_clock() {
  double seconds = most_seconds_;
  for (const char* const ending : {"", "-wal"}) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path_ + ending, missing);
    if (!missing) seconds += 1e-6 * static_cast<double>(bytes);
  }
  stop_at_ = Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// A study may come from a stranger: nothing in it may run, nothing may reach beyond it, and nothing
// may go on for ever.
std::unique_ptr<SQLite::Database> StudyDatabase::open_wary(const std::string& path, int flags) {
  auto database = std::make_unique<SQLite::Database>(path, flags, kWaitMilliseconds);
  sqlite3* const handle = database->getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_progress_handler(handle, kStepsBetweenLooks, is_late, &stop_at_);
  return database;
}

void StudyDatabase::open(Access access) {
  if (!is_reader_) {
    database_ = open_wary(
        path_, SQLite::OPEN_READWRITE | (access == Access::kCreate ? SQLite::OPEN_CREATE : 0));
    if (sqlite3_db_readonly(database_->getHandle(), "main") == 1)
      throw InputError(path_, 0, "cannot be written",
                       "answers need a file and a folder that you may write to");
    if (access != Access::kCreate) return;
    database_->exec("PRAGMA journal_mode = WAL");
    return;
  }
  database_ = open_wary(path_, SQLite::OPEN_READONLY);
  try {
    whole_number(*database_, "PRAGMA user_version");
  } catch (const SQLite::Exception& error) {
    // A folder that may not be written has no place for the index of the write-ahead log.
    const bool read_only_folder =
        error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
    if (!read_only_folder || file_exists(path_ + "-wal")) throw;
    database_ =
        open_wary("file:" + path_ + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  }
}

// Gives the version of its schema. Nothing of the file is used before its schema is known to be
// ours.
int StudyDatabase::check_identity(std::span<const char* const> scripts) {
  if (whole_number(*database_, "PRAGMA application_id") != kApplicationId)
    throw InputError(path_, 0, "found another kind of file, expected a study of dalaup",
                     "dalaup new STUDY --a FILE --b FILE starts a study");
  const int newest = static_cast<int>(scripts.size());
  const int version = whole_number(*database_, "PRAGMA user_version");
  if (version > newest)
    throw InputError(path_, 0,
                     fmt::format("found schema version {}, expected at most {}", version, newest),
                     "the file was written by a newer dalaup; use that one");
  if (version < 1)
    throw InputError(path_, 0,
                     fmt::format("found schema version {}, expected 1 to {}", version, newest),
                     "the file was changed by another program; restore a copy");
  const Schema found = schema_of(*database_);
  const Schema expected = expected_schema(scripts.first(static_cast<std::size_t>(version)));
  for (const auto& part : found)
    if (!expected.contains(part))
      throw InputError(
          path_, 0,
          fmt::format("found a {} \"{}\" that no study has", std::get<0>(part), std::get<1>(part)),
          "do not use this file: another program changed it");
  if (found.size() != expected.size())
    throw InputError(path_, 0, "a table of the study is missing",
                     "the file was changed by another program; restore a copy");
  const std::string state = database_->execAndGet("PRAGMA quick_check(1)").getString();
  if (state != "ok")
    throw InputError(path_, 0, fmt::format("the file is damaged ({})", state),
                     "nothing was changed; restore a copy, or try: sqlite3 STUDY .recover");
  return version;
}

void StudyDatabase::bring_up_to_date(int version, std::span<const char* const> scripts) {
  const int newest = static_cast<int>(scripts.size());
  if (version < newest && is_reader_) {  // an older file is read through a newer copy in memory
    auto memory = open_wary(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    copy_pages(*database_, *memory);
    database_ = std::move(memory);
  }
  if (!is_reader_)
    database_->exec(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0");
  if (version == newest) return;
  SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
  for (int script = version; script < newest; ++script)
    database_->exec(scripts[static_cast<std::size_t>(script)]);
  database_->exec(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
  transaction.commit();
}

// A study that was moved, deleted or replaced while it is open would take answers into nowhere.
void StudyDatabase::check_place() {
  if (lock_descriptor_ < 0) return;
  struct stat about {};
  const bool is_known = fstat(lock_descriptor_, &about) == 0;
  const auto there = identity_of(path_);
  const auto log = identity_of(path_ + "-wal");
  if (!log_) log_ = log;
  if (is_known && there == FileIdentity{about.st_dev, about.st_ino} && (!log_ || log == log_))
    return;
  throw InputError(path_, 0,
                   there ? "was replaced while it is in use; the last change was not taken"
                         : "was moved or deleted while it is in use; the last change was not taken",
                   "put it back under this name with its -wal file; dalaup backup copies a study "
                   "that is in use");
}

void StudyDatabase::copy_to(const std::string& path) {
  if (file_exists(path))
    throw InputError(path, 0, "found a file of that name, expected none",
                     "choose another name for the copy");
  { const AtomicFile probe(path); }  // may be written, and takes away what a killed copy left
  const std::string temporary = fmt::format("{}.{}-0.tmp", path, getpid());
  try {
    read([&](SQLite::Database& database) {
      SQLite::Database copy(temporary, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                            kWaitMilliseconds);
      copy_pages(database, copy);
      copy.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    });
    sync_file(temporary);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      throw InputError(path, 0, fmt::format("cannot be created ({})", std::strerror(errno)));
    sync_folder_of(path);
  } catch (...) {
    remove_study(temporary);
    throw;
  }
  remove_study(temporary);
}

void StudyDatabase::check_thoroughly() {
  read([&](SQLite::Database& database) {
    const std::string state = database.execAndGet("PRAGMA integrity_check(1)").getString();
    if (state != "ok") throw StudyDamage(state);
    SQLite::Statement strangers(database, "PRAGMA foreign_key_check");
    if (strangers.executeStep())
      throw StudyDamage(fmt::format("a row of {} speaks of one that is not there in {}",
                                    strangers.getColumn(0).getString(),
                                    strangers.getColumn(2).getString()));
  });
}

void StudyDatabase::tidy() {
  const std::lock_guard lock(tidying_);
  try {
    if (!tidier_) tidier_ = std::make_unique<SQLite::Database>(path_, SQLite::OPEN_READWRITE);
    tidier_->exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (const SQLite::Exception&) {
    // Nothing is lost: what is in the log counts, and whoever writes next is told about the disk.
  }
}

// SQLite's own number for what other connections changed; never negative.
std::int64_t StudyDatabase::watched_change() {
  if (!watcher_) {
    watcher_ = open_wary(path_, SQLite::OPEN_READONLY);
    sqlite3_progress_handler(watcher_->getHandle(), 0, nullptr, nullptr);  // the clock is of others
  }
  return watcher_->execAndGet("PRAGMA data_version").getInt64();
}

void StudyDatabase::fail(const StudyDamage& damage) const {
  throw InputError(path_, 0, damage.what(),
                   "the file was changed by another program, or damaged; restore a copy");
}

void StudyDatabase::fail(const SQLite::Exception& error) const {
  const int code = error.getErrorCode() & 0xff;
  switch (code) {
    case SQLITE_FULL:
      throw InputError(path_, 0, "the disk is full; the last change was not saved",
                       "free some space and try again; everything before is safe");
    case SQLITE_IOERR:
      throw InputError(
          path_, 0,
          fmt::format("the disk refused ({}); the last change was not saved", error.what()),
          "check the disk and its quota; everything before is safe");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw InputError(path_, 0, "cannot be written",
                       "answers need a file and a folder that you may write to");
    case SQLITE_CANTOPEN:
      throw InputError(path_, 0, "cannot be opened",
                       "the folder must be writable too: SQLite keeps its log beside the study");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw InputError(path_, 0, "is locked by another program",
                       "close that program and try again; nothing was changed");
    case SQLITE_CORRUPT:
      throw InputError(path_, 0, fmt::format("the file is damaged ({})", error.what()),
                       "nothing was changed; restore a copy, or try: sqlite3 STUDY .recover");
    case SQLITE_INTERRUPT:
      throw InputError(path_, 0, "was read for longer than a file of its size can take",
                       "do not use this file: another program changed it to do harm");
    case SQLITE_NOTADB:
      throw InputError(path_, 0, "found another kind of file, expected a study of dalaup",
                       "dalaup new STUDY --a FILE --b FILE starts a study");
    default:
      throw InputError(path_, 0, fmt::format("the database refused: {}", error.what()));
  }
}

}  // namespace dalaup
