// The learning half of a labelling session: when to fit, on what, and what becomes of the
// questions.
#include <sys/resource.h>

#include <algorithm>
#include <future>

#include "study/labelling_session.h"

namespace dalaup {
namespace {

constexpr std::chrono::seconds kIdle{2};  // without an answer, until the log is tidied

// People come first: whoever waits for a question does not wait for the fit's share of the
// processor. On Linux this concerns the calling thread and those it starts, which must therefore
// not hold a lock that answers need.
void step_back() {
  constexpr int kNiceness = 5;
  setpriority(PRIO_PROCESS, 0, kNiceness);
}

}  // namespace

std::size_t LabellingSession::refit_after() const {
  return std::max<std::size_t>(static_cast<std::size_t>(options_.params.batch_size),
                               2 * held_.size());
}

bool LabellingSession::wants_to_learn() const {
  if (stopping_ || is_learning_) return false;
  const auto entries = static_cast<std::int64_t>(ledger_.entries().size());
  if (entries_when_fitted_ < 0) return true;
  const std::int64_t since = entries - entries_when_fitted_;
  if (!failure_.empty()) return since > 0;  // the same labels would fail again
  // What a final audit says holds for the model it was drawn from.
  if (!rounds_.empty() && rounds_.back().strategy == kFinalAudit) return is_starved_;
  if (is_starved_ && may_have_more_) return true;
  if (is_starved_) return since > 0;
  return since >= static_cast<std::int64_t>(refit_after());
}

// A share of the imported anchors, the same ones in every round.
std::vector<UserPair> LabellingSession::validation_pairs() const {
  std::vector<UserPair> imported;
  for (const JournalEntry& entry : ledger_.entries())
    if (entry.kind == EntryKind::kImport && entry.reply == Reply::kYes &&
        ledger_.is_in_force(entry))
      imported.push_back(entry.pair);
  if (imported.size() < static_cast<std::size_t>(options_.params.measuring_from)) return {};
  std::erase_if(imported, [&](UserPair pair) {
    Random random(options_.seed, "validation", key_of(pair));
    return random.uniform() >= options_.params.measuring_share;
  });
  return imported;
}

LearningTask LabellingSession::learning_task() const {
  const LabelSet& labels = ledger_.labels();
  LearningTask task{
      .fitted = learned_ ? learned_->aligner : nullptr,
      .training = labels,
      .validation = validation_pairs(),
      .pool = Pool(labels.user_count(Side::kA), labels.user_count(Side::kB)),
      .bandit = bandit_,
      .last_best = learned_ ? learned_->best : std::vector<UserId>{},
      .question_count = std::max(static_cast<std::size_t>(options_.params.reserve) * refit_after(),
                                 refit_after() + 3 * answered_while_learning_),
      .round = {}};
  for (const UserPair pair : task.validation) task.training.remove(pair);
  task.pool.close(task.validation);
  const auto block = [&](std::int64_t id) {
    const StudyQuestion* const question = ledger_.question(id);
    if (question == nullptr) return;
    for (std::size_t place = 0; place < question->question.candidates.size(); ++place)
      task.pool.block(question->question.pair(place));
  };
  for (const std::int64_t id : ledger_.answered_questions()) block(id);
  for (const auto& [annotator, held] : held_)
    for (const Held& one : held) block(one.question);
  if (learned_) {
    task.progress = learned_->progress;
    task.last_matching = learned_->matching;
    task.audit_words = learned_->audit_words;
    task.answers_at_audit = learned_->answers_at_audit;
  }
  if (!rounds_.empty()) task.last_strategy = rounds_.back().strategy;
  task.answers = past_answers();
  task.round.id = static_cast<std::int64_t>(rounds_.size());
  task.round.answers = ledger_.counts().answers;
  task.round.anchors = static_cast<std::int64_t>(labels.anchors().size());
  return task;
}

std::vector<PastAnswer> LabellingSession::past_answers() const {
  std::vector<PastAnswer> answers;
  for (const JournalEntry& entry : ledger_.entries()) {
    const bool says_something = entry.reply != Reply::kSkip && entry.reply != Reply::kUnsure;
    if (entry.kind != EntryKind::kAnswer || !says_something || !ledger_.is_in_force(entry))
      continue;
    const Question& question = ledger_.question(entry.question)->question;
    Answer answer = entry.reply == Reply::kNoPartner ? Answer::no_partner() : Answer::no();
    for (std::size_t place = 0; place < question.candidates.size(); ++place)
      if (entry.reply == Reply::kYes && question.pair(place) == entry.pair)
        answer = Answer::yes(place);
    answers.push_back({question, answer, entry.seconds});
  }
  return answers;
}

void LabellingSession::learn_in_background() {
  restore_last_model();
  Lock lock(mutex_);
  while (!stopping_) {
    if (wants_to_learn()) {
      learn_once(lock);
      continue;
    }
    if (wake_learner_.wait_for(lock, kIdle) == std::cv_status::timeout) tidy_when_idle(lock);
  }
}

// A copy of the file alone, without its log, then lacks nothing.
void LabellingSession::tidy_when_idle(Lock& lock) {
  if (tidied_event_ == event_) return;
  tidied_event_ = event_;
  lock.unlock();
  study_.tidy();
  lock.lock();
}

// What the last session learned, so that nothing has to be fitted before the next batch is due.
void LabellingSession::restore_last_model() {
  std::shared_ptr<Learned> learned;
  std::int64_t entries = -1;
  try {
    const auto kept = study_.kept_model();
    if (!kept) return;
    learned = restore_model(kept->bytes, make_aligner_, study_.networks());
    entries = kept->entries;
  } catch (const Error&) {
    return;  // damaged or of another version: it is fitted anew
  }
  const Lock lock(mutex_);
  learned_ = learned;
  if (!queue_.empty()) entries_when_fitted_ = entries;  // otherwise questions are chosen from it
  changed();
}

void LabellingSession::keep_model(const Learned& learned, std::int64_t entries) {
  if (!learned.aligner) return;
  try {
    study_.keep_model({.round = learned.round.id, .entries = entries, .bytes = kept_form(learned)});
  } catch (const Error&) {
    // Only convenience is lost; whoever answers next is told about the disk.
  }
  study_.tidy();
}

// A pair that was skipped, left unsure or put before somebody while the questions were being chosen
// may be among them.
bool LabellingSession::was_asked_since(const StudyQuestion& question, std::size_t entries) const {
  const auto pairs_of = [](const Question& one) {
    std::vector<UserPair> pairs;
    for (std::size_t place = 0; place < one.candidates.size(); ++place)
      pairs.push_back(one.pair(place));
    return pairs;
  };
  const std::vector<UserPair> pairs = pairs_of(question.question);
  const auto meets = [&](std::int64_t id) {
    const StudyQuestion* const earlier = ledger_.question(id);
    if (earlier == nullptr || earlier->id == question.id) return false;
    const std::vector<UserPair> others = pairs_of(earlier->question);
    return std::ranges::find_first_of(others, pairs) != others.end();
  };
  for (std::size_t i = entries; i < ledger_.entries().size(); ++i)
    if (meets(ledger_.entries()[i].question)) return true;
  for (const auto& [annotator, held] : held_)
    if (std::ranges::any_of(held, [&](const Held& one) { return meets(one.question); }))
      return true;
  return false;
}

void LabellingSession::learn_once(Lock& lock) {
  const LearningTask task = learning_task();
  const auto entries = static_cast<std::int64_t>(ledger_.entries().size());
  // After a restart without new answers the questions of the last round are still the right ones.
  const bool keeps_questions = !learned_ && !queue_.empty() && !rounds_.empty() &&
                               rounds_.back().answers == task.round.answers &&
                               rounds_.back().anchors == task.round.anchors;
  std::optional<Round> last;
  if (!rounds_.empty() && rounds_.back().answers < task.round.answers) last = rounds_.back();
  is_learning_ = true;
  is_starved_ = false;
  changed();
  lock.unlock();

  std::shared_ptr<Learned> learned;
  std::string failure;
  try {
    learned =
        std::make_shared<Learned>(std::async(std::launch::async, [&] {
                                    step_back();
                                    Run run({.threads = options_.threads,
                                             .seed = options_.seed,
                                             .progress = &progress_,
                                             .cancelled = &stopping_});
                                    return learn(task, make_aligner_, study_.networks(),
                                                 options_.params, last ? &*last : nullptr, run);
                                  }).get());
    if (!keeps_questions)
      study_.add_round(learned->round, learned->questions, last ? &*last : nullptr);
  } catch (const Cancelled&) {
  } catch (const Error& error) {
    failure = error.hint().empty() ? error.what() : std::string(error.what()) + "; " + error.hint();
  } catch (const std::exception& error) {
    failure = error.what();
  }

  lock.lock();
  is_learning_ = false;
  entries_when_fitted_ = entries;
  answered_while_learning_ = ledger_.entries().size() - static_cast<std::size_t>(entries);
  if (!failure.empty()) failure_ = failure;
  if (learned && failure.empty()) {
    failure_.clear();
    learned_ = learned;
    if (!keeps_questions) {
      if (last) rounds_.back() = *last;
      rounds_.push_back(learned->round);
      bandit_ = learned->bandit;
      may_have_more_ = learned->questions.size() >= task.question_count;
      queue_.clear();
      for (const StudyQuestion& question : learned->questions) {
        ledger_.know(question);
        if (!was_asked_since(question, static_cast<std::size_t>(entries)))
          queue_.push_back(question.id);
      }
    }
  }
  changed();
  if (!learned || !failure.empty()) return;
  lock.unlock();
  keep_model(*learned, entries);
  lock.lock();
}

void LabellingSession::wait_until_learned() {
  Lock lock(mutex_);
  event_changed_.wait(lock, [&] { return stopping_ || (!is_learning_ && !wants_to_learn()); });
}

}  // namespace dalaup
