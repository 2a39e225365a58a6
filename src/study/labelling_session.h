#pragma once
// People answering questions of one study, several at a time, while the model learns on a thread of
// its own. Knows nothing of HTTP or terminals. The parts of it: a desk of questions, a journal, a
// learner in the background and views.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "study/evidence.h"
#include "study/import.h"
#include "study/labelling_params.h"
#include "study/session_views.h"
#include "study/study_file.h"

namespace dalaup {

struct Next {
  enum class State : std::uint8_t {
    kQuestion,
    kLearning,  // the first questions are being chosen; ask again soon
    kNothing,   // everything worth asking is answered
    kFailed,    // the model cannot be fitted; see `message`
  };
  State state = State::kLearning;
  std::optional<StudyQuestion> question = {};  // candidates settled meanwhile are left out
  std::string message = {};
  // What this person will be asked after that, so that a front end need not wait. They share no
  // user with each other or with `question`: no answer to one settles another.
  std::vector<StudyQuestion> upcoming = {};
};
std::string_view name_of(Next::State state);

struct Outcome {
  bool is_taken = false;
  std::string message = {};             // why not, for people
  std::optional<Refusal> refusal = {};  // why not, for programs
  std::int64_t entry = 0;               // of the journal
  std::int64_t question = 0;            // that was answered, or that an undo opened again
  std::int64_t settled = 0;             // pairs settled by this; negative after an undo
  bool is_disputed = false;             // somebody answered otherwise
};

class BackgroundLearner;
class JournalWriter;
struct SessionState;

// All members may be called from any thread. They throw InputError when the study file cannot be
// read or written; an answer is then not taken.
class LabellingSession {
 public:
  LabellingSession(Study& study, AlignerFactory make_aligner, const SessionOptions& options);
  ~LabellingSession();
  LabellingSession(const LabellingSession&) = delete;
  LabellingSession& operator=(const LabellingSession&) = delete;

  // The question this person has open, or the best one nobody else has; and up to `ahead` more that
  // are then kept for this person.
  Next next(const std::string& annotator, std::size_t ahead = 0);
  // On disk when it returns. `chosen` is the candidate of a yes. Here and below, `request` is the
  // client's name for this call: repeated, it gives what it brought the first time, and nothing is
  // entered twice, even when that was taken back since.
  Outcome answer(const std::string& annotator, std::int64_t question, Reply reply, UserId chosen,
                 double seconds, const std::string& request = {}, const std::string& note = {});
  // Takes an entry back, by default the person's last answer, whose question is then open again.
  Outcome undo(const std::string& annotator, std::optional<std::int64_t> entry = std::nullopt,
               const std::string& request = {});
  // Replaces an answer in force by another; the new one stands under both names.
  Outcome edit(const std::string& annotator, std::int64_t entry, Reply reply, UserId chosen,
               const std::string& request = {});
  // Settles a dispute.
  Outcome resolve(const std::string& annotator, std::int64_t question, Reply reply, UserId chosen,
                  const std::string& request = {});
  // Labels from a file; those that contradict are listed and left out.
  ImportReport import_labels(LineReader& lines, const std::string& annotator,
                             const LabelOptions& options = {});
  // A pair somebody found without being asked: yes or no; or a user and kNoUser: no-partner.
  Outcome enter(const std::string& annotator, UserPair pair, Reply reply,
                const std::string& request = {});

  Status status() const;
  std::vector<HistoryItem> history(const HistoryFilter& filter) const;
  std::optional<StudyQuestion> question(std::int64_t id) const;
  // The question as whoever made this entry saw it, and what was known then.
  std::optional<PastQuestion> question_before(std::int64_t id, std::int64_t entry) const;
  std::vector<JournalEntry> answers_to(std::int64_t question) const;
  std::optional<JournalEntry> entry(std::int64_t id) const;
  // From what is known now, or from `labels`.
  Evidence evidence(const StudyQuestion& question, std::size_t candidate, bool with_model,
                    std::size_t most_contacts, const LabelSet* labels = nullptr) const;
  // Users whose name or profile has every word of `text`, names first; those with most contacts
  // when there is none.
  std::vector<UserId> search(Side side, std::string_view text, std::size_t most,
                             bool only_unmatched = false) const;
  UserView user(Side side, UserId user, std::size_t most) const;

  // Waits until something changed after `event`; gives the number of the latest change.
  std::int64_t wait_for_change(std::int64_t event, double seconds);
  // Waits until no fit is under way or wanted; for tests and exports.
  void wait_until_learned();

  const Study& study() const { return study_; }
  const LabellingParams& params() const { return options_.params; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // An answer or a resolution; a question that nobody knows is left to the ledger to refuse.
  JournalEntry reply_entry(EntryKind kind, const std::string& annotator, std::int64_t question,
                           Reply reply, UserId chosen) const;
  Outcome take(std::vector<JournalEntry> entries, Lock& lock);
  Outcome taken_before(std::int64_t entry, Lock& lock);
  std::optional<Outcome> repeated(const std::string& annotator, const std::string& request,
                                  Lock& lock);
  void reload_after_failure();
  void changed();

  Study& study_;
  const SessionOptions options_;
  std::unique_ptr<SessionState> state_;
  Ledger& ledger_;  // of the state
  std::unique_ptr<JournalWriter> journal_;
  std::unique_ptr<BackgroundLearner> learner_;
  mutable std::optional<Status> status_;  // the latest that somebody asked for
};

}  // namespace dalaup
