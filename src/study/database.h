#pragma once
// The SQLite file behind a study: opening, the schema and its versions, errors in words.
#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/base.h"

namespace dalaup {

inline constexpr int kApplicationId = 0x44414C55;  // "DALU": tells a study from other SQLite files

// Script number n takes a file from schema n to n + 1. Released scripts are never changed.
std::span<const char* const> schema_scripts();

enum class Access : std::uint8_t {
  kCreate,  // the file must not exist
  kLabel,   // reads and writes; one process at a time
  kRead,    // only reads; works while another process labels
};

// Deletes the file and what SQLite keeps beside it.
void remove_study(const std::string& path);

// Every member throws InputError naming the file, what happened and what to do about it. Calls from
// several threads take turns.
class StudyDatabase {
 public:
  StudyDatabase(std::string path, Access access,
                std::span<const char* const> scripts = schema_scripts());
  ~StudyDatabase();
  StudyDatabase(const StudyDatabase&) = delete;
  StudyDatabase& operator=(const StudyDatabase&) = delete;

  const std::string& path() const { return path_; }

  // body(SQLite::Database&), with errors of SQLite in words.
  template <class Body>
  auto read(Body&& body) {
    const std::lock_guard lock(mutex_);
    try {
      return body(*database_);
    } catch (const SQLite::Exception& error) {
      fail(error);
    }
  }
  // The same as one transaction: on disk when it returns, or nothing of it.
  template <class Body>
  void write(Body&& body) {
    read([&](SQLite::Database& database) {
      SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
      body(database);
      transaction.commit();
    });
  }
  // Moves the log into the file, beside whatever is being written. Writes leave that to this, since
  // whoever happened to fill the log would wait for the disk.
  void tidy();

 private:
  [[noreturn]] void fail(const SQLite::Exception& error) const;
  void take_lock(Access access);
  void give_up(Access access);
  void open(Access access);
  void check_identity();
  void bring_up_to_date(std::span<const char* const> scripts);

  std::string path_;
  std::mutex mutex_;
  int lock_descriptor_ = -1;
  bool is_reader_;
  std::unique_ptr<SQLite::Database> database_;
  std::mutex tidying_;
  std::unique_ptr<SQLite::Database> tidier_;  // a connection of its own: it keeps nobody waiting
};

}  // namespace dalaup
