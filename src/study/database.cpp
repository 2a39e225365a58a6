#include "study/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace dalaup {
namespace {

constexpr int kWaitMilliseconds = 5000;  // for another process in the middle of a transaction

int whole_number(SQLite::Database& database, const std::string& query) {
  return database.execAndGet(query).getInt();
}

}  // namespace

StudyDatabase::StudyDatabase(std::string path, Access access, std::span<const char* const> scripts)
    : path_(std::move(path)), is_reader_(access == Access::kRead) {
  try {
    if (access == Access::kCreate && file_exists(path_))
      throw InputError(path_, 0, "found a file of that name, expected none",
                       "dalaup label continues a study; choose another name for a new one");
    if (access != Access::kCreate && !file_exists(path_))
      throw InputError(path_, 0, "there is no such file",
                       "dalaup new STUDY --a FILE --b FILE starts a study");
    if (!is_reader_) take_lock(access);
    open(access);
    if (access != Access::kCreate) check_identity();
    bring_up_to_date(scripts);
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
    throw InputError(path_, 0, "is in use by another dalaup",
                     "open the address that one printed, or stop it first");
}

void StudyDatabase::open(Access access) {
  if (!is_reader_) {
    database_ = std::make_unique<SQLite::Database>(
        path_, SQLite::OPEN_READWRITE | (access == Access::kCreate ? SQLite::OPEN_CREATE : 0),
        kWaitMilliseconds);
    if (sqlite3_db_readonly(database_->getHandle(), "main") == 1)
      throw InputError(path_, 0, "cannot be written",
                       "answers need a file and a folder that you may write to");
    if (access == Access::kLabel) return;
    database_->exec("PRAGMA journal_mode = WAL");
    return;
  }
  database_ = std::make_unique<SQLite::Database>(path_, SQLite::OPEN_READONLY, kWaitMilliseconds);
  try {
    whole_number(*database_, "PRAGMA user_version");
  } catch (const SQLite::Exception& error) {
    // A folder that may not be written has no place for the index of the write-ahead log.
    const bool read_only_folder =
        error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
    if (!read_only_folder || file_exists(path_ + "-wal")) throw;
    database_ = std::make_unique<SQLite::Database>("file:" + path_ + "?immutable=1",
                                                   SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                                                   kWaitMilliseconds);
  }
}

void StudyDatabase::check_identity() {
  if (whole_number(*database_, "PRAGMA application_id") != kApplicationId)
    throw InputError(path_, 0, "found another kind of file, expected a study of dalaup",
                     "dalaup new STUDY --a FILE --b FILE starts a study");
  const std::string state = database_->execAndGet("PRAGMA quick_check(1)").getString();
  if (state != "ok")
    throw InputError(path_, 0, fmt::format("the file is damaged ({})", state),
                     "nothing was changed; restore a copy, or try: sqlite3 STUDY .recover");
}

void StudyDatabase::bring_up_to_date(std::span<const char* const> scripts) {
  const int newest = static_cast<int>(scripts.size());
  const int version = whole_number(*database_, "PRAGMA user_version");
  if (version > newest)
    throw InputError(path_, 0,
                     fmt::format("found schema version {}, expected at most {}", version, newest),
                     "the file was written by a newer dalaup; use that one");
  if (version < newest && is_reader_)
    throw InputError(path_, 0, fmt::format("found schema version {}, expected {}", version, newest),
                     "dalaup label STUDY brings an older study up to date");
  if (!is_reader_)
    database_->exec(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0");
  if (version == newest) return;
  SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
  for (int script = version; script < newest; ++script) database_->exec(scripts[script]);
  database_->exec(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
  transaction.commit();
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
    case SQLITE_NOTADB:
      throw InputError(path_, 0, "found another kind of file, expected a study of dalaup",
                       "dalaup new STUDY --a FILE --b FILE starts a study");
    default:
      throw InputError(path_, 0, fmt::format("the database refused: {}", error.what()));
  }
}

}  // namespace dalaup
