#pragma once
// What the parts of a labelling session share. Private to study.
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "study/labelling_params.h"
#include "study/ledger.h"
#include "study/question_desk.h"

namespace dalaup {

// The mutex guards the rest.
struct SessionState {
  SessionState(Ledger journal, const SessionOptions& options)
      : ledger(std::move(journal)),
        desk(ledger, options.params.overlap > 0.0, options.lease_seconds) {
    desk.note_all_answers();
  }

  void changed() {
    ++event;
    event_changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable event_changed;
  std::int64_t event = 1;   // of the latest change
  std::int64_t losses = 0;  // times that entries could not be written and were taken out again
  Ledger ledger;
  QuestionDesk desk;
};
using SessionLock = std::unique_lock<std::mutex>;

}  // namespace dalaup
