#include "study/journal_writer.h"

#include <utility>

namespace dalaup {

void JournalWriter::write(const std::vector<JournalEntry>& entries, Lock& lock) {
  waiting_.insert(waiting_.end(), entries.begin(), entries.end());
  next_write_->first_entry = waiting_.front().id;
  next_write_->last_entry = waiting_.back().id;
  finish(next_write_, lock);
}

void JournalWriter::wait_for(std::int64_t entry, Lock& lock) {
  for (const std::shared_ptr<Write>& write : {under_way_, next_write_})
    if (write && entry >= write->first_entry && entry <= write->last_entry)
      return finish(write, lock);
}

void JournalWriter::wait_for_all(Lock& lock) {
  if (!waiting_.empty())
    finish(next_write_, lock);
  else if (under_way_)
    finish(under_way_, lock);
}

// Whoever comes first writes for all who are waiting; the others come back when that is on disk.
void JournalWriter::finish(std::shared_ptr<Write> write, Lock& lock) {
  while (!write->is_done) {
    if (under_way_)
      written_.wait(lock);
    else
      write_batch(lock);
  }
  if (write->failure) throw InputError(write->failure->what(), write->failure->hint());
}

void JournalWriter::write_batch(Lock& lock) {
  const std::shared_ptr<Write> write = std::exchange(next_write_, std::make_shared<Write>());
  under_way_ = write;
  const std::vector<JournalEntry> batch = std::exchange(waiting_, {});
  lock.unlock();
  std::optional<Error> failure;
  try {
    study_.append(batch);
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& error) {
    failure = Error(error.what());
  }
  lock.lock();
  under_way_.reset();
  write->is_done = true;
  if (failure) {
    // What came in meanwhile stands on entries that are not there.
    write->failure = next_write_->failure = failure;
    next_write_->is_done = true;
    next_write_ = std::make_shared<Write>();
    waiting_.clear();
    on_failure_();
  }
  written_.notify_all();
}

}  // namespace dalaup
