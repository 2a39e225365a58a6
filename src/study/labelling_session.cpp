#include "study/labelling_session.h"

#include <fmt/format.h>

#include <algorithm>

namespace dalaup {

LabellingSession::LabellingSession(Study& study, AlignerFactory make_aligner,
                                   const SessionOptions& options)
    : study_(study),
      make_aligner_(std::move(make_aligner)),
      options_(options),
      ledger_(study.networks().a.user_count(), study.networks().b.user_count()),
      journal_(study, [this] { reload_after_failure(); }) {
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
  ledger.add_all(study_.journal());
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

// What a reply says of the question's user: the pair of a yes, the user alone of a no-partner.
static UserPair pair_said(const Question& question, Reply reply, UserId chosen) {
  if (reply == Reply::kYes) return pair_of(question.side, question.user, chosen);
  return reply == Reply::kNoPartner ? no_partner(question.side, question.user) : UserPair{};
}

// The candidates a no refuses are those still open now: the others were not shown.
static std::vector<UserId> refused_by(Reply reply, const std::optional<StudyQuestion>& open,
                                      const StudyQuestion* question) {
  if (reply != Reply::kNo || question == nullptr) return {};
  return open ? open->question.candidates : question->question.candidates;
}

// Acknowledged only when the first copy is on disk.
Outcome LabellingSession::taken_before(std::int64_t entry, Lock& lock) {
  const std::int64_t question = ledger_.entry(entry)->question;
  const Outcome outcome{.is_taken = true,
                        .message = {},
                        .refusal = {},
                        .entry = entry,
                        .question = question,
                        .is_disputed = question != 0 && ledger_.is_disputed(question)};
  journal_.wait_for(entry, lock);
  return outcome;
}

std::optional<Outcome> LabellingSession::repeated(const std::string& annotator,
                                                  const std::string& request, Lock& lock) {
  const JournalEntry* const earlier = ledger_.brought_by(annotator, request);
  if (earlier == nullptr) return std::nullopt;
  return taken_before(earlier->id, lock);
}

Outcome LabellingSession::answer(const std::string& annotator, std::int64_t question_id,
                                 Reply reply, UserId chosen, double seconds,
                                 const std::string& request, const std::string& note) {
  Lock lock(mutex_);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const StudyQuestion* const question = ledger_.question(question_id);
  JournalEntry entry{.at = {},
                     .kind = EntryKind::kAnswer,
                     .annotator = annotator,
                     .question = question_id,
                     .reply = reply,
                     .pair = {},
                     .refused = {},
                     .seconds = seconds,
                     .source = {},
                     .request = request,
                     .note = note};
  if (question != nullptr) {
    entry.pair = pair_said(question->question, reply, chosen);
    entry.refused = refused_by(reply, trimmed(*question), question);
    // A repeated request, after a lost reply for example, is acknowledged and not counted twice.
    const JournalEntry* const earlier = ledger_.answer_of(annotator, question_id);
    if (earlier != nullptr && earlier->reply == reply && earlier->pair == entry.pair)
      return taken_before(earlier->id, lock);
  }
  Outcome outcome = take({std::move(entry)}, lock);
  if (outcome.is_taken) release(annotator, question_id);
  return outcome;
}

Outcome LabellingSession::undo(const std::string& annotator, std::optional<std::int64_t> entry,
                               const std::string& request) {
  Lock lock(mutex_);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
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
                           .source = {},
                           .request = request}},
                         lock);
  if (outcome.is_taken && question != 0 && is_own) hold_first(annotator, question);
  return outcome;
}

Outcome LabellingSession::edit(const std::string& annotator, std::int64_t entry, Reply reply,
                               UserId chosen, const std::string& request) {
  Lock lock(mutex_);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const JournalEntry* const target = ledger_.entry(entry);
  if (target == nullptr || target->kind != EntryKind::kAnswer)
    return {.message = "There is no such answer.",
            .refusal = Refusal{.kind = Refusal::Kind::kUnknown, .pair = {}}};
  const Question& question = ledger_.question(target->question)->question;
  JournalEntry replacement = *target;
  replacement.reply = reply;
  replacement.editor = annotator == target->annotator ? std::string() : annotator;
  replacement.request = request;
  replacement.pair = pair_said(question, reply, chosen);
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
                                  Reply reply, UserId chosen, const std::string& request) {
  Lock lock(mutex_);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const StudyQuestion* const question = ledger_.question(question_id);
  JournalEntry entry{.at = {},
                     .kind = EntryKind::kResolve,
                     .annotator = annotator,
                     .question = question_id,
                     .reply = reply,
                     .pair = {},
                     .refused = {},
                     .source = {},
                     .request = request};
  if (question != nullptr) {
    entry.pair = pair_said(question->question, reply, chosen);
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
  journal_.write(entries, lock);
  changed();
  return outcome;
}

std::string LabellingSession::refusal_in_words(const Refusal& refusal) const {
  const NetworkPair& networks = study_.networks();
  switch (refusal.kind) {
    case Refusal::Kind::kContradiction:
      if (is_no_partner(refusal.pair))
        return fmt::format(
            "An earlier answer says that {} has no partner.",
            label_name(networks, refusal.pair.a == kNoUser ? Side::kB : Side::kA, refusal.pair));
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
