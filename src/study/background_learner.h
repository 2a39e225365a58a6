#pragma once
// When to fit and on what, on a thread of its own; what comes of it is put on the desk. Private to
// study.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "study/journal_writer.h"
#include "study/learner.h"
#include "study/learning_progress.h"
#include "study/session_state.h"
#include "study/study_file.h"

namespace dalaup {

// Members are called with the mutex of the state locked, unless they say otherwise.
class BackgroundLearner {
 public:
  // The state, the journal, the study and the options must outlive it. Unlocked.
  BackgroundLearner(Study& study, JournalWriter& journal, AlignerFactory make_aligner,
                    const SessionOptions& options, SessionState& state);
  ~BackgroundLearner();  // unlocked; stops a fit that is under way
  BackgroundLearner(const BackgroundLearner&) = delete;
  BackgroundLearner& operator=(const BackgroundLearner&) = delete;

  // There are new answers.
  void note_change();
  // Somebody found no question left.
  void ask_for_more();
  // A fit is under way or wanted.
  bool is_busy() const { return is_learning_ || wants_to_learn(); }
  bool is_learning() const { return is_learning_; }
  // What is being done, for whoever waits for questions.
  std::string words() const;

  const std::vector<Round>& rounds() const { return rounds_; }
  const Bandit& bandit() const { return bandit_; }
  const std::shared_ptr<const Learned>& learned() const { return learned_; }  // nullptr at first
  const std::string& failure() const { return failure_; }                     // of the last fit

 private:
  struct Fit;

  void load_rounds();
  bool wants_to_learn() const;
  std::size_t refit_after() const;
  std::vector<UserPair> validation_pairs() const;
  LearningTask next_task() const;
  void run();
  void restore_last_model();
  void learn_once(SessionLock& lock);
  Fit begin_fit();
  void fit(Fit& fit);
  void wait_for_journal(Fit& fit, SessionLock& lock);
  void write_round(Fit& fit);
  void take(const Fit& fit);
  void keep_model(const Fit& fit);
  bool was_asked_since(const StudyQuestion& question, std::size_t entries) const;

  Study& study_;
  JournalWriter& journal_;
  AlignerFactory make_aligner_;
  const SessionOptions& options_;
  SessionState& state_;

  std::vector<Round> rounds_;
  Bandit bandit_;
  std::shared_ptr<const Learned> learned_;
  std::int64_t entries_when_fitted_ = -1;
  std::size_t answered_while_learning_ = 0;  // in the last round: the next may need as many
  bool is_learning_ = false;
  bool is_starved_ = false;    // somebody found no question left
  bool may_have_more_ = true;  // the last round stopped at its number of questions
  bool is_tidy_ = false;       // nothing came since the log was moved into the study file
  std::string failure_;
  LearningProgress progress_;

  std::atomic<bool> stopping_{false};
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace dalaup
