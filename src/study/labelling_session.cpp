#include "study/labelling_session.h"

#include <fmt/format.h>

#include <algorithm>

namespace dalaup {

LabellingSession::LabellingSession(Study& study, AlignerFactory make_aligner,
                                   const SessionOptions& options)
    : study_(study),
      make_aligner_(std::move(make_aligner)),
      options_(options),
      ledger_(study.networks().a.user_count(), study.networks().b.user_count()) {
  check_fields(options_.params);
  check_strategy(options_.params);
  load();
  learner_ = std::thread([this] { learn_in_background(); });
}

LabellingSession::~LabellingSession() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  wake_learner_.notify_all();
  event_changed_.notify_all();
  learner_.join();
}

void LabellingSession::load() {
  rounds_ = study_.rounds();
  const LabellingParams& params = options_.params;
  const Bandit fresh(arms_of(params.strategy, split_names("arms", params.arms)));
  bandit_ = rounds_.empty() ? fresh : Bandit::from_json(rounds_.back().bandit);
  const auto names = [](const Bandit& bandit) {
    std::vector<std::string> all;
    for (const Arm& arm : bandit.arms()) all.push_back(arm.name);
    return all;
  };
  if (names(bandit_) != names(fresh)) bandit_ = fresh;  // begun with another strategy
  ledger_ = load_ledger(study_);
  note_all_overlaps();
  if (!rounds_.empty())
    for (const StudyQuestion& question : study_.questions_of_round(rounds_.back().id)) {
      ledger_.know(question);
      const std::string& form = options_.params.questions;  // may differ from the last session's
      if (form == "auto" || form == name_of(question.question.kind)) queue_.push_back(question.id);
    }
}

void LabellingSession::reload_after_failure() {
  Ledger ledger = ledger_.emptied();
  for (const JournalEntry& entry : study_.journal()) ledger.add(entry);
  ledger_ = std::move(ledger);
  note_all_overlaps();
  changed();
}

void LabellingSession::changed() {
  ++event_;
  status_.reset();
  event_changed_.notify_all();
  if (wants_to_learn()) wake_learner_.notify_all();
}

// The candidates a no refuses are those still open now: the others were not shown.
static std::vector<UserId> refused_by(Reply reply, const std::optional<StudyQuestion>& open,
                                      const StudyQuestion* question) {
  if (reply != Reply::kNo || question == nullptr) return {};
  return open ? open->question.candidates : question->question.candidates;
}

Outcome LabellingSession::answer(const std::string& annotator, std::int64_t question_id,
                                 Reply reply, UserId chosen, double seconds) {
  Lock lock(mutex_);
  const StudyQuestion* const question = ledger_.question(question_id);
  JournalEntry entry{.at = {},
                     .kind = EntryKind::kAnswer,
                     .annotator = annotator,
                     .question = question_id,
                     .reply = reply,
                     .pair = {},
                     .refused = {},
                     .seconds = seconds,
                     .source = {}};
  if (question != nullptr) {
    if (reply == Reply::kYes)
      entry.pair = pair_of(question->question.side, question->question.user, chosen);
    entry.refused = refused_by(reply, trimmed(*question), question);
    // A repeated request, after a lost reply for example, is acknowledged and not counted twice.
    for (const JournalEntry* earlier : ledger_.answers_to(question_id))
      if (earlier->kind == EntryKind::kAnswer && earlier->annotator == annotator &&
          earlier->reply == reply && earlier->pair == entry.pair)
        return {.is_taken = true,
                .message = {},
                .refusal = {},
                .entry = earlier->id,
                .question = question_id,
                .is_disputed = ledger_.is_disputed(question_id)};
  }
  Outcome outcome = take({std::move(entry)}, lock);
  if (outcome.is_taken) release(annotator, question_id);
  return outcome;
}

Outcome LabellingSession::undo(const std::string& annotator, std::optional<std::int64_t> entry) {
  Lock lock(mutex_);
  const JournalEntry* const target =
      entry ? ledger_.entry(*entry) : ledger_.last_answer_of(annotator);
  if (target == nullptr)
    return {.message = "There is nothing to undo.",
            .refusal = Refusal{.kind = Refusal::Kind::kUnknown, .pair = {}}};
  const std::int64_t question = target->question;
  const bool is_own = target->annotator == annotator;
  Outcome outcome = take({{.at = {},
                           .kind = EntryKind::kUndo,
                           .annotator = annotator,
                           .question = question,
                           .pair = {},
                           .refused = {},
                           .undoes = target->id,
                           .source = {}}},
                         lock);
  if (outcome.is_taken && question != 0 && is_own) hold_first(annotator, question);
  return outcome;
}

Outcome LabellingSession::edit(const std::string& annotator, std::int64_t entry, Reply reply,
                               UserId chosen) {
  Lock lock(mutex_);
  const JournalEntry* const target = ledger_.entry(entry);
  if (target == nullptr || target->kind != EntryKind::kAnswer)
    return {.message = "There is no such answer.",
            .refusal = Refusal{.kind = Refusal::Kind::kUnknown, .pair = {}}};
  const Question& question = ledger_.question(target->question)->question;
  JournalEntry replacement = *target;
  replacement.reply = reply;
  replacement.pair =
      reply == Reply::kYes ? pair_of(question.side, question.user, chosen) : UserPair{};
  replacement.refused = reply == Reply::kNo ? question.candidates : std::vector<UserId>{};
  std::erase_if(replacement.refused, [&](UserId candidate) {
    const UserId partner = ledger_.labels().partner(other(question.side), candidate);
    return partner != kNoUser && partner != question.user;  // somebody else's: not refused here
  });
  return take({{.at = {},
                .kind = EntryKind::kUndo,
                .annotator = annotator,
                .question = target->question,
                .pair = {},
                .refused = {},
                .undoes = entry,
                .source = {}},
               std::move(replacement)},
              lock);
}

Outcome LabellingSession::resolve(const std::string& annotator, std::int64_t question_id,
                                  Reply reply, UserId chosen) {
  Lock lock(mutex_);
  const StudyQuestion* const question = ledger_.question(question_id);
  JournalEntry entry{.at = {},
                     .kind = EntryKind::kResolve,
                     .annotator = annotator,
                     .question = question_id,
                     .reply = reply,
                     .pair = {},
                     .refused = {},
                     .source = {}};
  if (question != nullptr) {
    if (reply == Reply::kYes)
      entry.pair = pair_of(question->question.side, question->question.user, chosen);
    entry.refused = refused_by(reply, trimmed(*question), question);
  }
  return take({std::move(entry)}, lock);
}

Outcome LabellingSession::take(std::vector<JournalEntry> entries, Lock& lock) {
  const auto settled_before = static_cast<std::int64_t>(ledger_.settled_pairs());
  const std::int64_t first = ledger_.next_id();
  const std::string now = utc_now();
  for (JournalEntry& entry : entries) {
    entry.id = ledger_.next_id();
    entry.at = now;
    if (const auto refusal = ledger_.add(entry)) {
      while (ledger_.next_id() > first) ledger_.drop_last();  // all of them or none
      return {
          .message = refusal_in_words(*refusal), .refusal = refusal, .question = entry.question};
    }
  }
  for (const JournalEntry& entry : entries) note_overlap(entry.question);
  const Outcome outcome{
      .is_taken = true,
      .message = {},
      .refusal = {},
      .entry = entries.back().id,
      .question = entries.back().question,
      .settled = static_cast<std::int64_t>(ledger_.settled_pairs()) - settled_before,
      .is_disputed = entries.back().question != 0 && ledger_.is_disputed(entries.back().question)};
  unwritten_.insert(unwritten_.end(), entries.begin(), entries.end());
  make_durable(lock);
  changed();
  return outcome;
}

// Whoever comes first writes for all who are waiting; the others come back when that is on disk.
void LabellingSession::make_durable(Lock& lock) {
  const std::shared_ptr<Write> mine = next_write_;
  while (!mine->is_done) {
    if (is_writing_) {
      written_.wait(lock);
      continue;
    }
    is_writing_ = true;
    next_write_ = std::make_shared<Write>();
    const std::vector<JournalEntry> batch = std::exchange(unwritten_, {});
    lock.unlock();
    std::optional<Error> failure;
    try {
      study_.append(batch);
    } catch (const Error& error) {
      failure = error;
    }
    lock.lock();
    is_writing_ = false;
    mine->is_done = true;
    if (failure) {
      // What came in meanwhile stands on entries that are not there.
      mine->failure = next_write_->failure = failure;
      next_write_->is_done = true;
      next_write_ = std::make_shared<Write>();
      unwritten_.clear();
      reload_after_failure();
    }
    written_.notify_all();
  }
  if (mine->failure) throw InputError(mine->failure->what(), mine->failure->hint());
}

std::string LabellingSession::refusal_in_words(const Refusal& refusal) const {
  const NetworkPair& networks = study_.networks();
  switch (refusal.kind) {
    case Refusal::Kind::kContradiction:
      return fmt::format("An earlier answer says that {} and {} are {}.",
                         networks.a.name(refusal.pair.a), networks.b.name(refusal.pair.b),
                         refusal.label == Label::kAnchor ? "one person" : "not one person");
    case Refusal::Kind::kAnswered:
      return "You have answered this question already.";
    case Refusal::Kind::kTakenBack:
      return "That answer was taken back already.";
    case Refusal::Kind::kUnknown:
      break;
  }
  return "There is no such question, candidate or entry.";
}

}  // namespace dalaup
