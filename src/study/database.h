#pragma once
// The SQLite file behind a study: opening, the schema and its versions, errors in words.
#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/base.h"
#include "study/access.h"
#include "study/rows.h"

namespace dalaup {

inline constexpr int kApplicationId = 0x44414C55;  // "DALU": tells a study from other SQLite files

// Script number n takes a file from schema n to n + 1. Released scripts are never changed.
std::span<const char* const> schema_scripts();

inline constexpr double kMostSeconds = 60.0;  // of one read or write, and a second for every MB

// Every member throws InputError naming the file, what happened and what to do about it. Calls from
// several threads take turns.
class StudyDatabase {
 public:
  StudyDatabase(std::string path, Access access,
                std::span<const char* const> scripts = schema_scripts(),
                double most_seconds = kMostSeconds);
  ~StudyDatabase();
  StudyDatabase(const StudyDatabase&) = delete;
  StudyDatabase& operator=(const StudyDatabase&) = delete;

  const std::string& path() const { return path_; }

  // body(SQLite::Database&), with errors of SQLite in words.
  template <class Body>
  auto read(Body&& body) {
    const std::lock_guard lock(mutex_);
    start_clock();
    try {
      return body(*database_);
    } catch (const SQLite::Exception& error) {
      fail(error);
    } catch (const StudyDamage& damage) {
      fail(damage);
    }
  }
  // The same as one transaction: on disk when it returns, or nothing of it. Throws as well when the
  // file is no longer where it was: what is then written, nobody would find.
  template <class Body>
  void write(Body&& body) {
    read([&](SQLite::Database& database) {
      check_place();
      SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
      body(database);
      transaction.commit();
      check_place();
    });
  }
  // body(SQLite::Database&) when anybody, also another process, changed something since the last
  // call; else nothing. On a connection of its own: never waits for whoever writes.
  template <class Body>
  void when_changed(Body&& body) {
    const std::lock_guard lock(watching_);
    try {
      const std::int64_t now = watched_change();
      if (now == last_change_) return;
      body(*watcher_);
      last_change_ = now;
    } catch (const SQLite::Exception& error) {
      fail(error);
    } catch (const StudyDamage& damage) {
      fail(damage);
    }
  }
  // A copy of all that is in it now, also while another process labels. `path` must not exist.
  void copy_to(const std::string& path);
  // Everything SQLite can check; check at opening is quicker.
  void check_thoroughly();
  // Moves the log into the file, beside whatever is being written. Writes leave that to this, since
  // whoever happened to fill the log would wait for the disk.
  void tidy();

 private:
  // A table may be made to have more rows than anybody can read, by pages that stand in it many
  // times over.
  using Clock = std::chrono::steady_clock;
  void start_clock();
  std::unique_ptr<SQLite::Database> open_wary(const std::string& path, int flags);
  using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
  [[noreturn]] void fail(const SQLite::Exception& error) const;
  [[noreturn]] void fail(const StudyDamage& damage) const;
  void take_lock(Access access);
  void give_up(Access access);
  void open(Access access);
  int check_identity(std::span<const char* const> scripts);
  void bring_up_to_date(int version, std::span<const char* const> scripts);
  void check_place();
  std::int64_t watched_change();

  std::string path_;
  std::mutex mutex_;
  int lock_descriptor_ = -1;
  std::optional<FileIdentity> log_;  // the write-ahead log, once there is one
  bool is_reader_;
  double most_seconds_;
  Clock::time_point stop_at_;  // the statements that run now
  std::unique_ptr<SQLite::Database> database_;
  std::mutex tidying_;
  std::unique_ptr<SQLite::Database> tidier_;  // a connection of its own: it keeps nobody waiting
  std::mutex watching_;
  std::unique_ptr<SQLite::Database> watcher_;
  std::int64_t last_change_ = -1;
};

void remove_study(const std::string& path);  // declared for everybody in study_file.h

}  // namespace dalaup
