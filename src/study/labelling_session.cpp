#include "study/labelling_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

namespace dalaup {

std::string_view name_of(Next::State state) {
  constexpr std::array<std::string_view, 4> kNames{"question", "learning", "nothing", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

LabellingSession::LabellingSession(Study& study, AlignerFactory make_aligner,
                                   const SessionOptions& options)
    : study_(study),
      make_aligner_(std::move(make_aligner)),
      options_(options),
      ledger_(study.networks().a.user_count(), study.networks().b.user_count()) {
  check_fields(options_.params);
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
  bandit_ = rounds_.empty() ? Bandit(LoopParams{}.arms) : Bandit::from_json(rounds_.back().bandit);
  ledger_ = load_ledger(study_);
  if (!rounds_.empty())
    for (const StudyQuestion& question : study_.questions_of_round(rounds_.back().id)) {
      ledger_.know(question);
      queue_.push_back(question.id);
    }
}

void LabellingSession::reload_after_failure() {
  Ledger ledger = ledger_.emptied();
  for (const JournalEntry& entry : study_.journal()) ledger.add(entry);
  ledger_ = std::move(ledger);
  changed();
}

void LabellingSession::changed() {
  ++event_;
  status_.reset();
  event_changed_.notify_all();
  if (wants_to_learn()) wake_learner_.notify_all();
}

// The candidates still open, or nothing when labels settle the question.
std::optional<StudyQuestion> LabellingSession::trimmed(const StudyQuestion& question) const {
  const LabelSet& labels = ledger_.labels();
  if (labels.is_anchored(question.question.side, question.question.user)) return std::nullopt;
  StudyQuestion open = question;
  open.question.candidates.clear();
  open.question.probabilities.clear();
  open.standings.clear();
  for (std::size_t place = 0; place < question.question.candidates.size(); ++place) {
    if (labels.answer(question.question.pair(place))) continue;
    open.question.candidates.push_back(question.question.candidates[place]);
    open.question.probabilities.push_back(question.question.probabilities[place]);
    if (place < question.standings.size()) open.standings.push_back(question.standings[place]);
  }
  if (open.question.candidates.empty()) return std::nullopt;
  return open;
}

bool LabellingSession::is_askable(const StudyQuestion& question,
                                  const std::string& annotator) const {
  for (const JournalEntry* answer : ledger_.answers_to(question.id))
    if (answer->reply != Reply::kSkip || answer->annotator == annotator) return false;
  return trimmed(question).has_value();
}

bool LabellingSession::is_leased(std::int64_t question, const std::string& apart_from) const {
  const auto now = std::chrono::steady_clock::now();
  return std::ranges::any_of(leases_, [&](const auto& entry) {
    const auto& [annotator, lease] = entry;
    return annotator != apart_from && lease.question == question &&
           std::chrono::duration<double>(now - lease.since).count() < options_.lease_seconds;
  });
}

// Somebody else is looking at one of these users: two answers at once could contradict.
bool LabellingSession::meets_open_question(const Question& question,
                                           const std::string& annotator) const {
  const auto touches = [](const Question& asked, Side side, UserId user) {
    return asked.side == side ? asked.user == user
                              : std::ranges::find(asked.candidates, user) != asked.candidates.end();
  };
  for (const auto& [other_annotator, lease] : leases_) {
    if (other_annotator == annotator || !is_leased(lease.question, annotator)) continue;
    const StudyQuestion* const open = ledger_.question(lease.question);
    if (open == nullptr) continue;
    if (touches(open->question, question.side, question.user)) return true;
    for (const UserId candidate : question.candidates)
      if (touches(open->question, other(question.side), candidate)) return true;
  }
  return false;
}

std::optional<std::int64_t> LabellingSession::second_opinion_for(
    const std::string& annotator) const {
  if (options_.params.overlap <= 0.0) return std::nullopt;
  for (const std::int64_t id : ledger_.answered_questions()) {
    const StudyQuestion* const question = ledger_.question(id);
    const auto answers = ledger_.answers_to(id);
    if (!question->is_overlap || answers.size() != 1 || answers[0]->annotator == annotator ||
        answers[0]->reply == Reply::kSkip || answers[0]->kind != EntryKind::kAnswer)
      continue;
    if (!is_leased(id, annotator)) return id;
  }
  return std::nullopt;
}

std::optional<std::int64_t> LabellingSession::pick_for(const std::string& annotator) {
  if (const auto lease = leases_.find(annotator); lease != leases_.end()) {
    const StudyQuestion* const open = ledger_.question(lease->second.question);
    const bool is_second = open != nullptr && open->is_overlap &&
                           !ledger_.answers_to(open->id).empty() &&
                           !ledger_.has_answered(annotator, open->id);
    if (open != nullptr && (is_askable(*open, annotator) || is_second)) return open->id;
    leases_.erase(lease);
  }
  if (const auto second = second_opinion_for(annotator)) return second;
  std::erase_if(queue_, [&](std::int64_t id) {
    const StudyQuestion& question = *ledger_.question(id);
    return !trimmed(question) ||
           std::ranges::any_of(ledger_.answers_to(id),
                               [](const auto* answer) { return answer->reply != Reply::kSkip; });
  });
  for (const std::int64_t id : queue_) {
    const StudyQuestion& question = *ledger_.question(id);
    if (is_askable(question, annotator) && !is_leased(id, annotator) &&
        !meets_open_question(question.question, annotator))
      return id;
  }
  return std::nullopt;
}

Next LabellingSession::next(const std::string& annotator) {
  Lock lock(mutex_);
  if (const auto id = pick_for(annotator)) {
    auto& lease = leases_[annotator];
    if (lease.question != *id) lease = {*id, std::chrono::steady_clock::now()};
    const StudyQuestion& question = *ledger_.question(*id);
    auto open = trimmed(question);  // a second opinion is asked of a settled pair
    return {.state = Next::State::kQuestion,
            .question = open ? std::move(open) : question,
            .message = {}};
  }
  is_starved_ = true;
  if (wants_to_learn()) wake_learner_.notify_all();
  if (is_learning_ || wants_to_learn())
    return {.state = Next::State::kLearning,
            .question = {},
            .message = "The next questions are being chosen."};
  if (!failure_.empty())
    return {.state = Next::State::kFailed, .question = {}, .message = failure_};
  return {.state = Next::State::kNothing,
          .question = {},
          .message = "Everything worth asking is answered."};
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
  if (const auto lease = leases_.find(annotator);
      outcome.is_taken && lease != leases_.end() && lease->second.question == question_id)
    leases_.erase(lease);
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
  if (outcome.is_taken && question != 0 && is_own)
    leases_[annotator] = {question, std::chrono::steady_clock::now()};
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
  std::optional<Ledger> before;  // several entries are taken together or not at all
  if (entries.size() > 1) before = ledger_;
  const std::string now = utc_now();
  for (JournalEntry& entry : entries) {
    entry.id = ledger_.next_id();
    entry.at = now;
    if (const auto refusal = ledger_.add(entry)) {
      if (before) ledger_ = std::move(*before);
      return {
          .message = refusal_in_words(*refusal), .refusal = refusal, .question = entry.question};
    }
  }
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
