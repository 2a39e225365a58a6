#include "study/background_learner.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <future>

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

std::vector<PastAnswer> past_answers(const Ledger& ledger) {
  std::vector<PastAnswer> answers;
  for (const JournalEntry& entry : ledger.entries()) {
    const bool says_something = entry.reply != Reply::kSkip && entry.reply != Reply::kUnsure;
    if (entry.kind != EntryKind::kAnswer || !says_something || !ledger.is_in_force(entry)) continue;
    const Question& question = ledger.question(entry.question)->question;
    Answer answer = entry.reply == Reply::kNoPartner ? Answer::no_partner() : Answer::no();
    for (std::size_t place = 0; place < question.candidates.size(); ++place)
      if (entry.reply == Reply::kYes && question.pair(place) == entry.pair)
        answer = Answer::yes(place);
    answers.push_back({question, answer, entry.seconds});
  }
  return answers;
}

// Why the work failed; empty when it did not, or was cancelled.
template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const Cancelled&) {
  } catch (const Error& error) {
    return error.hint().empty() ? error.what() : std::string(error.what()) + "; " + error.hint();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::vector<UserPair> pairs_of(const Question& question) {
  std::vector<UserPair> pairs;
  for (std::size_t place = 0; place < question.candidates.size(); ++place)
    pairs.push_back(question.pair(place));
  return pairs;
}

}  // namespace

// One fit from what is known before it to what came of it.
struct BackgroundLearner::Fit {
  LearningTask task;
  std::int64_t entries = 0;   // of the journal that it knows
  std::int64_t losses = 0;    // of the session when it began
  std::optional<Round> last;  // the round before, when its reward becomes known
  bool keeps_questions = false;
  std::shared_ptr<Learned> learned = nullptr;
  std::string failure = {};

  bool is_good() const { return learned != nullptr && failure.empty(); }
};

BackgroundLearner::BackgroundLearner(Study& study, JournalWriter& journal,
                                     AlignerFactory make_aligner, const SessionOptions& options,
                                     SessionState& state)
    : study_(study),
      journal_(journal),
      make_aligner_(std::move(make_aligner)),
      options_(options),
      state_(state) {
  load_rounds();
  thread_ = std::thread([this] { run(); });
}

BackgroundLearner::~BackgroundLearner() {
  {
    const SessionLock lock(state_.mutex);
    stopping_ = true;
    state_.changed();
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundLearner::load_rounds() {
  const LabellingParams& params = options_.params;
  rounds_ = study_.rounds();
  const Bandit fresh(arms_of(params.strategy, split_names("arms", params.arms)));
  bandit_ = rounds_.empty() ? fresh : Bandit::from_json(rounds_.back().bandit);
  if (!std::ranges::equal(bandit_.arms(), fresh.arms(), {}, &Arm::name, &Arm::name))
    bandit_ = fresh;  // begun with another strategy
  if (rounds_.empty()) return;
  std::vector<std::int64_t> waiting;
  for (const StudyQuestion& question : study_.questions_of_round(rounds_.back().id)) {
    state_.ledger.know(question);
    const std::string& form = params.questions;  // may differ from the last session's
    if (form == "auto" || form == name_of(question.question.kind)) waiting.push_back(question.id);
  }
  state_.desk.put(std::move(waiting));
}

void BackgroundLearner::note_change() {
  is_tidy_ = false;
  if (wants_to_learn()) wake_.notify_all();
}

void BackgroundLearner::ask_for_more() {
  is_starved_ = true;
  if (wants_to_learn()) wake_.notify_all();
}

std::string BackgroundLearner::words() const {
  const std::string task = progress_.words();
  return fmt::format("The {} questions are being chosen{}{}.", rounds_.empty() ? "first" : "next",
                     task.empty() ? "" : ": ", task);
}

std::size_t BackgroundLearner::refit_after() const {
  return std::max<std::size_t>(static_cast<std::size_t>(options_.params.batch_size),
                               2 * state_.desk.people_count());
}

bool BackgroundLearner::wants_to_learn() const {
  if (stopping_ || is_learning_) return false;
  const auto entries = static_cast<std::int64_t>(state_.ledger.entries().size());
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
std::vector<UserPair> BackgroundLearner::validation_pairs() const {
  std::vector<UserPair> imported;
  for (const JournalEntry& entry : state_.ledger.entries())
    if (entry.kind == EntryKind::kImport && entry.reply == Reply::kYes &&
        state_.ledger.is_in_force(entry))
      imported.push_back(entry.pair);
  if (imported.size() < static_cast<std::size_t>(options_.params.measuring_from)) return {};
  std::erase_if(imported, [&](UserPair pair) {
    Random random(options_.seed, "validation", key_of(pair));
    return random.uniform() >= options_.params.measuring_share;
  });
  return imported;
}

LearningTask BackgroundLearner::next_task() const {
  const Ledger& ledger = state_.ledger;
  const LabelSet& labels = ledger.labels();
  LearningTask task{
      .last = learned_ ? learned_ : std::make_shared<const Learned>(),
      .training = labels,
      .validation = validation_pairs(),
      .pool = Pool(labels.user_count(Side::kA), labels.user_count(Side::kB)),
      .bandit = bandit_,
      .answers = past_answers(ledger),
      .last_strategy = rounds_.empty() ? std::string() : rounds_.back().strategy,
      .question_count = std::max(static_cast<std::size_t>(options_.params.reserve) * refit_after(),
                                 refit_after() + 3 * answered_while_learning_)};
  for (const UserPair pair : task.validation) task.training.remove(pair);
  task.pool.close(task.validation);
  for (const std::vector<std::int64_t>& asked : {ledger.answered_questions(), state_.desk.held()})
    for (const std::int64_t id : asked)
      if (const StudyQuestion* const question = ledger.question(id))
        for (const UserPair pair : pairs_of(question->question)) task.pool.block(pair);
  task.round.id = static_cast<std::int64_t>(rounds_.size());
  task.round.answers = ledger.counts().answers;
  task.round.anchors = static_cast<std::int64_t>(labels.anchors().size());
  return task;
}

void BackgroundLearner::run() {
  restore_last_model();
  SessionLock lock(state_.mutex);
  while (!stopping_) {
    if (wants_to_learn()) {
      learn_once(lock);
    } else if (wake_.wait_for(lock, kIdle) == std::cv_status::timeout && !is_tidy_) {
      is_tidy_ = true;
      lock.unlock();
      study_.tidy();  // a copy of the file alone, without its log, then lacks nothing
      lock.lock();
    }
  }
}

// What the last session learned, so that nothing has to be fitted before the next batch is due.
void BackgroundLearner::restore_last_model() {
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
  const SessionLock lock(state_.mutex);
  learned_ = learned;
  // Otherwise questions are chosen from it.
  if (state_.desk.waiting_count() > 0) entries_when_fitted_ = entries;
  state_.changed();
}

void BackgroundLearner::learn_once(SessionLock& lock) {
  Fit fit = begin_fit();
  lock.unlock();
  this->fit(fit);
  lock.lock();
  wait_for_journal(fit, lock);
  lock.unlock();
  write_round(fit);
  lock.lock();
  take(fit);
  if (!fit.is_good()) return;
  lock.unlock();
  keep_model(fit);
  lock.lock();
}

BackgroundLearner::Fit BackgroundLearner::begin_fit() {
  Fit fit{.task = next_task(),
          .entries = static_cast<std::int64_t>(state_.ledger.entries().size()),
          .losses = state_.losses,
          .last = {}};
  const Round& round = fit.task.round;
  if (!rounds_.empty()) {
    const Round& last = rounds_.back();
    if (last.answers < round.answers) fit.last = last;
    // After a restart without new answers the questions of the last round are still the right ones.
    fit.keeps_questions = !learned_ && state_.desk.waiting_count() > 0 &&
                          last.answers == round.answers && last.anchors == round.anchors;
  }
  is_learning_ = true;
  is_starved_ = false;
  state_.changed();
  return fit;
}

// Unlocked.
void BackgroundLearner::fit(Fit& fit) {
  Round* const last = fit.last ? &*fit.last : nullptr;
  const auto learn_apart = [&] {
    step_back();
    Run run({.threads = options_.threads,
             .seed = options_.seed,
             .progress = &progress_,
             .cancelled = &stopping_});
    return learn(fit.task, make_aligner_, study_.networks(), options_.params, last, run);
  };
  fit.failure = failure_of([&] {
    fit.learned = std::make_shared<Learned>(std::async(std::launch::async, learn_apart).get());
  });
}

// A fit may know answers that are still being written. Nothing of it goes to disk before they do,
// and nothing at all if they could not be written: a study never speaks of entries it does not
// have.
void BackgroundLearner::wait_for_journal(Fit& fit, SessionLock& lock) {
  try {
    journal_.wait_for_all(lock);
  } catch (const Error&) {  // whoever gave them is told; counted as a loss
  }
  if (state_.losses != fit.losses) fit.learned.reset();
}

// Unlocked.
void BackgroundLearner::write_round(Fit& fit) {
  if (!fit.is_good() || fit.keeps_questions) return;
  fit.failure = failure_of([&] {
    study_.add_round(fit.learned->round, fit.learned->questions, fit.last ? &*fit.last : nullptr);
  });
}

void BackgroundLearner::take(const Fit& fit) {
  const auto entries = static_cast<std::size_t>(fit.entries);
  is_learning_ = false;
  entries_when_fitted_ = state_.losses == fit.losses ? fit.entries : -1;
  answered_while_learning_ = std::max(state_.ledger.entries().size(), entries) - entries;
  if (!fit.failure.empty()) failure_ = fit.failure;
  if (fit.is_good()) {
    failure_.clear();
    learned_ = fit.learned;
  }
  if (fit.is_good() && !fit.keeps_questions) {
    if (fit.last) rounds_.back() = *fit.last;
    rounds_.push_back(learned_->round);
    bandit_ = learned_->bandit;
    may_have_more_ = learned_->questions.size() >= fit.task.question_count;
    std::vector<std::int64_t> waiting;
    for (const StudyQuestion& question : learned_->questions) {
      state_.ledger.know(question);
      if (!was_asked_since(question, entries)) waiting.push_back(question.id);
    }
    state_.desk.put(std::move(waiting));
  }
  is_tidy_ = false;
  state_.changed();
}

// Unlocked.
void BackgroundLearner::keep_model(const Fit& fit) {
  if (!fit.learned->aligner) return;
  try {
    study_.keep_model(
        {.round = fit.learned->round.id, .entries = fit.entries, .bytes = kept_form(*fit.learned)});
  } catch (const Error&) {
    // Only convenience is lost; whoever answers next is told about the disk.
  }
  study_.tidy();
}

// A pair that was skipped, left unsure or put before somebody while the questions were being chosen
// may be among them.
bool BackgroundLearner::was_asked_since(const StudyQuestion& question, std::size_t entries) const {
  const Ledger& ledger = state_.ledger;
  const std::vector<UserPair> pairs = pairs_of(question.question);
  const auto meets = [&](std::int64_t id) {
    const StudyQuestion* const earlier = ledger.question(id);
    if (earlier == nullptr || earlier->id == question.id) return false;
    const std::vector<UserPair> others = pairs_of(earlier->question);
    return std::ranges::find_first_of(others, pairs) != others.end();
  };
  for (std::size_t i = entries; i < ledger.entries().size(); ++i)
    if (meets(ledger.entries()[i].question)) return true;
  return std::ranges::any_of(state_.desk.held(), meets);
}

}  // namespace dalaup
