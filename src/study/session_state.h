#pragma once
// What the parts of a labelling session share. Private to study.
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "study/labelling_params.h"
#include "study/ledger.h"
#include "study/question_desk.h"
#include "study/session_views.h"

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

// Views, made from the parts of a session.
class BackgroundLearner;
Status status_of(const SessionState& state, const BackgroundLearner& learner);
std::vector<HistoryItem> history_of(const Ledger& ledger, const NetworkPair& networks,
                                    const HistoryFilter& filter);
// Before this entry of the journal.
std::optional<PastQuestion> question_before(const Ledger& ledger, std::int64_t question,
                                            std::int64_t entry);
// Open users that fit this one best, at most this many.
std::vector<Rival> best_open_candidates(const Aligner& aligner, const LabelSet& labels, Side side,
                                        UserId user, std::size_t most);

}  // namespace dalaup
