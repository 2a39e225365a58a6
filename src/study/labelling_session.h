#pragma once
// People answering questions of one study, several at a time, while the model learns on a thread of
// its own. Knows nothing of HTTP or terminals.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "study/advice.h"
#include "study/agreement.h"
#include "study/evidence.h"
#include "study/import.h"
#include "study/journal_writer.h"
#include "study/learner.h"
#include "study/learning_progress.h"
#include "study/ledger.h"
#include "study/review.h"
#include "study/study_file.h"

namespace dalaup {

struct SessionOptions {
  LabellingParams params;
  int threads = 1;
  std::uint64_t seed = 1;
  double lease_seconds = 600.0;  // after which a question kept for one person may go to another
};

struct Next {
  enum class State : std::uint8_t {
    kQuestion,
    kLearning,  // the first questions are being chosen; ask again soon
    kNothing,   // everything worth asking is answered
    kFailed,    // the model cannot be fitted; see `message`
  };
  State state = State::kLearning;
  std::optional<StudyQuestion> question;  // candidates settled meanwhile are left out
  std::string message;
  // What this person will be asked after that, so that a front end need not wait. They share no
  // user with each other or with `question`: no answer to one settles another.
  std::vector<StudyQuestion> upcoming = {};
};
std::string_view name_of(Next::State state);

struct Outcome {
  bool is_taken = false;
  std::string message;             // why not, for people
  std::optional<Refusal> refusal;  // why not, for programs
  std::int64_t entry = 0;          // of the journal
  std::int64_t question = 0;       // that was answered, or that an undo opened again
  std::int64_t settled = 0;        // pairs settled by this; negative after an undo
  bool is_disputed = false;        // somebody answered otherwise
};

struct AnnotatorStatus {
  std::string name;
  std::int64_t answers = 0;
  std::int64_t yes = 0;
  ConsensusAgreement consensus;
};

struct Status {
  LedgerCounts counts;
  std::uint64_t anchors = 0;
  std::uint64_t without_partner_a = 0;  // users known to have none
  std::uint64_t without_partner_b = 0;
  std::uint64_t settled_pairs = 0;
  std::uint64_t all_pairs = 0;
  std::size_t questions_ready = 0;
  bool is_learning = false;
  std::string failure;  // of the last fit
  std::vector<Round> rounds;
  std::vector<Arm> arms;
  Advice advice;
  std::vector<RoundProgress> progress;  // one per fit, as far as they are known
  std::string audit;                    // what a final audit found, in words
  std::vector<ReviewItem> review;
  std::vector<AnnotatorStatus> annotators;
  std::vector<Agreement> agreements;
  Agreement overall;
  std::vector<std::int64_t> disputes;  // questions
  std::int64_t event = 0;              // of the latest change
};

struct HistoryItem {
  JournalEntry entry;
  bool is_in_force = false;
  std::optional<StudyQuestion> question;
};
struct HistoryFilter {
  std::string annotator;  // empty: everybody
  std::optional<Reply> reply;
  std::string text;  // in a user's name
  bool only_in_force = false;
  std::int64_t before = 0;  // entries older than this one; 0: from the newest
  std::size_t most = 50;
};

struct UserView {
  Side side = Side::kA;
  UserId user = kNoUser;
  UserId partner = kNoUser;
  bool has_no_partner = false;
  std::vector<Rival> best;  // candidates on the other side
};

// The candidates that `labels` leave open, or nothing when they settle the question.
std::optional<StudyQuestion> trimmed_by(const LabelSet& labels, const StudyQuestion& question);

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
  struct PastQuestion {
    StudyQuestion question;
    LabelSet labels;
  };
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
  struct Held {
    std::int64_t question = 0;
    std::chrono::steady_clock::time_point since;
  };
  struct HeldUsers;
  using Lock = std::unique_lock<std::mutex>;

  void load();
  Outcome take(std::vector<JournalEntry> entries, Lock& lock);
  Outcome taken_before(std::int64_t entry, Lock& lock);
  std::optional<Outcome> repeated(const std::string& annotator, const std::string& request,
                                  Lock& lock);
  void reload_after_failure();
  bool is_askable(const StudyQuestion& question, const std::string& annotator) const;
  bool wants_second_opinion(const StudyQuestion& question, const std::string& annotator) const;
  std::optional<StudyQuestion> trimmed(const StudyQuestion& question) const;
  std::unordered_set<UserId> matched_users(Side side) const;
  HeldUsers held_users() const;
  void forget_expired(const std::string& apart_from);
  void forget_settled_questions();
  std::optional<std::int64_t> another_for(const std::string& annotator, bool has_none) const;
  StudyQuestion shown(std::int64_t question) const;
  void release(const std::string& annotator, std::int64_t question);
  void hold_first(const std::string& annotator, std::int64_t question);
  void note_overlap(std::int64_t question);
  void note_all_overlaps();
  std::vector<UserPair> validation_pairs() const;
  LearningTask learning_task() const;
  bool wants_to_learn() const;
  void learn_in_background();
  void learn_once(Lock& lock);
  bool was_asked_since(const StudyQuestion& question, std::size_t entries) const;
  void tidy_when_idle(Lock& lock);
  void restore_last_model();
  void keep_model(const Learned& learned, std::int64_t entries);
  std::size_t refit_after() const;
  std::vector<PastAnswer> past_answers() const;
  RecentAnswers recent_answers() const;
  Status fresh_status() const;
  std::string refusal_in_words(const Refusal& refusal) const;
  void changed();

  Study& study_;
  AlignerFactory make_aligner_;
  SessionOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_learner_;
  std::condition_variable event_changed_;

  Ledger ledger_;
  std::deque<std::int64_t> queue_;                 // of the latest round, best first
  std::map<std::string, std::vector<Held>> held_;  // by person, in the order they are shown
  std::set<std::int64_t> answered_once_;           // overlap questions with one opinion so far
  std::vector<Round> rounds_;
  Bandit bandit_;
  std::shared_ptr<const Learned> learned_;
  std::int64_t entries_when_fitted_ = -1;
  std::int64_t tidied_event_ = 0;            // the log was moved into the file then
  std::size_t answered_while_learning_ = 0;  // in the last round: the next may need as many
  bool is_learning_ = false;
  LearningProgress progress_;
  bool is_starved_ = false;    // somebody found no question left
  bool may_have_more_ = true;  // the last round stopped at its number of questions
  std::string failure_;
  std::int64_t event_ = 1;
  mutable std::optional<Status> status_;  // of event_

  JournalWriter journal_;

  std::atomic<bool> stopping_{false};
  std::thread learner_;
};

}  // namespace dalaup
