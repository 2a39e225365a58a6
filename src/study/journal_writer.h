#pragma once
// Puts journal entries on disk, those of several people in one write: with 50 people a write each
// would take too long. Private to study.
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "study/study_file.h"

namespace dalaup {

// Belongs to a session and is called with the session's mutex locked; waiting lets it go.
class JournalWriter {
 public:
  using Lock = std::unique_lock<std::mutex>;
  // `on_failure` is called, with the mutex locked, when a write failed and entries are lost.
  JournalWriter(Study& study, std::function<void()> on_failure)
      : study_(study), on_failure_(std::move(on_failure)) {}

  // Returns when the entries are on disk. Throws InputError when they cannot be written; neither
  // are then any that came after them.
  void write(const std::vector<JournalEntry>& entries, Lock& lock);
  // The same for an entry that somebody else is about to write.
  void wait_for(std::int64_t entry, Lock& lock);
  // The same for all that came in so far.
  void wait_for_all(Lock& lock);

 private:
  struct Write {
    bool is_done = false;
    std::int64_t first_entry = 0;
    std::int64_t last_entry = 0;
    std::optional<Error> failure;
  };
  void finish(std::shared_ptr<Write> write, Lock& lock);
  void write_batch(Lock& lock);

  Study& study_;
  std::function<void()> on_failure_;
  std::condition_variable written_;
  std::vector<JournalEntry> waiting_;
  std::shared_ptr<Write> under_way_;                               // nullptr: none is
  std::shared_ptr<Write> next_write_ = std::make_shared<Write>();  // of what is waiting
};

}  // namespace dalaup
