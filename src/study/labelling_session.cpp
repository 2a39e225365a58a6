#include "study/labelling_session.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <unordered_set>

#include "study/background_learner.h"
#include "study/journal_writer.h"
#include "study/session_state.h"
#include "study/user_search.h"

namespace dalaup {
namespace {

// What a reply says of the question's user: the pair of a yes, the user alone of a no-partner.
UserPair pair_said(const Question& question, Reply reply, UserId chosen) {
  if (reply == Reply::kYes) return pair_of(question.side, question.user, chosen);
  return reply == Reply::kNoPartner ? no_partner(question.side, question.user) : UserPair{};
}

std::string in_words(const Refusal& refusal, const NetworkPair& networks) {
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

const SessionOptions& checked(const SessionOptions& options) {
  check_fields(options.params);
  check_strategy(options.params);
  return options;
}

constexpr Refusal kUnknown{.kind = Refusal::Kind::kUnknown};

}  // namespace

std::string_view name_of(Next::State state) {
  constexpr std::array<std::string_view, 4> kNames{"question", "learning", "nothing", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

LabellingSession::LabellingSession(Study& study, AlignerFactory make_aligner,
                                   const SessionOptions& options)
    : study_(study),
      options_(checked(options)),
      state_(std::make_unique<SessionState>(load_ledger(study_), options_)),
      ledger_(state_->ledger),
      journal_(std::make_unique<JournalWriter>(study_, [this] { reload_after_failure(); })),
      learner_(std::make_unique<BackgroundLearner>(study_, *journal_, std::move(make_aligner),
                                                   options_, *state_)) {}

LabellingSession::~LabellingSession() = default;

void LabellingSession::reload_after_failure() {
  Ledger ledger = ledger_.emptied();
  ledger.add_all(study_.journal());
  ledger_ = std::move(ledger);
  ++state_->losses;
  state_->desk.note_all_answers();
  changed();
}

void LabellingSession::changed() {
  state_->changed();
  learner_->note_change();
}

Next LabellingSession::next(const std::string& annotator, std::size_t ahead) {
  const Lock lock(state_->mutex);
  std::vector<StudyQuestion> questions = state_->desk.keep_for(annotator, ahead + 1);
  if (!questions.empty()) {
    Next next{.state = Next::State::kQuestion, .question = std::move(questions.front())};
    next.upcoming.assign(std::move_iterator(questions.begin() + 1),
                         std::move_iterator(questions.end()));
    return next;
  }
  learner_->ask_for_more();
  if (learner_->is_busy()) return {.state = Next::State::kLearning, .message = learner_->words()};
  if (!learner_->failure().empty())
    return {.state = Next::State::kFailed, .message = learner_->failure()};
  return {.state = Next::State::kNothing, .message = "Everything worth asking is answered."};
}

// Acknowledged only when the first copy is on disk.
Outcome LabellingSession::taken_before(std::int64_t entry, Lock& lock) {
  const std::int64_t question = ledger_.entry(entry)->question;
  Outcome outcome{.is_taken = true,
                  .entry = entry,
                  .question = question,
                  .is_disputed = question != 0 && ledger_.is_disputed(question)};
  journal_->wait_for(entry, lock);
  return outcome;
}

std::optional<Outcome> LabellingSession::repeated(const std::string& annotator,
                                                  const std::string& request, Lock& lock) {
  const JournalEntry* const earlier = ledger_.brought_by(annotator, request);
  if (earlier == nullptr) return std::nullopt;
  return taken_before(earlier->id, lock);
}

JournalEntry LabellingSession::reply_entry(EntryKind kind, const std::string& annotator,
                                           std::int64_t question_id, Reply reply,
                                           UserId chosen) const {
  JournalEntry entry{.kind = kind, .annotator = annotator, .question = question_id, .reply = reply};
  if (const StudyQuestion* const question = ledger_.question(question_id)) {
    entry.pair = pair_said(question->question, reply, chosen);
    // A no refuses what is still open now: the other candidates were not shown.
    if (reply == Reply::kNo) entry.refused = state_->desk.shown(question_id).question.candidates;
  }
  return entry;
}

Outcome LabellingSession::answer(const std::string& annotator, std::int64_t question_id,
                                 Reply reply, UserId chosen, double seconds,
                                 const std::string& request, const std::string& note) {
  Lock lock(state_->mutex);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  JournalEntry entry = reply_entry(EntryKind::kAnswer, annotator, question_id, reply, chosen);
  entry.seconds = seconds;
  entry.request = request;
  entry.note = note;
  // The same answer again, after a lost reply for example, is acknowledged and not counted twice.
  const JournalEntry* const earlier = ledger_.answer_of(annotator, question_id);
  if (earlier != nullptr && earlier->reply == reply && earlier->pair == entry.pair)
    return taken_before(earlier->id, lock);
  Outcome outcome = take({std::move(entry)}, lock);
  if (outcome.is_taken) state_->desk.release(annotator, question_id);
  return outcome;
}

Outcome LabellingSession::undo(const std::string& annotator, std::optional<std::int64_t> entry,
                               const std::string& request) {
  Lock lock(state_->mutex);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const JournalEntry* const target =
      entry ? ledger_.entry(*entry) : ledger_.last_answer_of(annotator);
  if (target == nullptr) return {.message = "There is nothing to undo.", .refusal = kUnknown};
  const std::int64_t question = target->question;
  const bool is_own = target->annotator == annotator;
  Outcome outcome = take({{.kind = EntryKind::kUndo,
                           .annotator = annotator,
                           .question = question,
                           .undoes = target->id,
                           .request = request}},
                         lock);
  if (outcome.is_taken && question != 0 && is_own) state_->desk.keep_first(annotator, question);
  return outcome;
}

Outcome LabellingSession::edit(const std::string& annotator, std::int64_t entry, Reply reply,
                               UserId chosen, const std::string& request) {
  Lock lock(state_->mutex);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const JournalEntry* const target = ledger_.entry(entry);
  if (target == nullptr || target->kind != EntryKind::kAnswer)
    return {.message = "There is no such answer.", .refusal = kUnknown};
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
  return take({{.kind = EntryKind::kUndo,
                .annotator = annotator,
                .question = target->question,
                .undoes = entry},
               std::move(replacement)},
              lock);
}

Outcome LabellingSession::resolve(const std::string& annotator, std::int64_t question_id,
                                  Reply reply, UserId chosen, const std::string& request) {
  Lock lock(state_->mutex);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  JournalEntry entry = reply_entry(EntryKind::kResolve, annotator, question_id, reply, chosen);
  entry.request = request;
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
      return {.message = in_words(*refusal, study_.networks()),
              .refusal = refusal,
              .question = entry.question};
    }
  }
  for (const JournalEntry& entry : entries) state_->desk.note_answers_to(entry.question);
  Outcome outcome{
      .is_taken = true,
      .entry = entries.back().id,
      .question = entries.back().question,
      .settled = static_cast<std::int64_t>(ledger_.settled_pairs()) - settled_before,
      .is_disputed = entries.back().question != 0 && ledger_.is_disputed(entries.back().question)};
  journal_->write(entries, lock);
  changed();
  return outcome;
}

ImportReport LabellingSession::import_labels(LineReader& lines, const std::string& annotator,
                                             const LabelOptions& options) {
  Lock lock(state_->mutex);
  std::vector<JournalEntry> taken;
  ImportReport report = import_into(ledger_, study_.networks(), lines, annotator, taken, options);
  if (taken.empty()) {
    journal_->wait_for_all(lock);  // what is known already may not be on disk yet
  } else {
    journal_->write(taken, lock);
    changed();
  }
  return report;
}

Outcome LabellingSession::enter(const std::string& annotator, UserPair pair, Reply reply,
                                const std::string& request) {
  Lock lock(state_->mutex);
  if (auto outcome = repeated(annotator, request, lock)) return *outcome;
  const NetworkPair& networks = study_.networks();
  const bool is_pair = pair.a < networks.a.user_count() && pair.b < networks.b.user_count();
  const bool is_alone =
      is_no_partner(pair) && (pair.a < networks.a.user_count() || pair.b < networks.b.user_count());
  if (reply == Reply::kNoPartner ? !is_alone : !is_pair || reply > Reply::kNo)
    return {.message = "There is no such pair.", .refusal = kUnknown};
  const Label label = reply == Reply::kYes ? Label::kAnchor : Label::kNotAnchor;
  if (is_given(ledger_.labels(), pair, label) ||
      (is_pair && ledger_.labels().answer(pair) == label)) {
    journal_->wait_for_all(lock);
    return {.is_taken = true, .message = "That is known already."};
  }
  return take({{.kind = EntryKind::kImport,
                .annotator = annotator,
                .reply = reply,
                .pair = pair,
                .source = "search",
                .request = request}},
              lock);
}

Status LabellingSession::status() const {
  const Lock lock(state_->mutex);
  if (!status_ || status_->event != state_->event) status_ = status_of(*state_, *learner_);
  return *status_;
}

std::vector<HistoryItem> LabellingSession::history(const HistoryFilter& filter) const {
  const Lock lock(state_->mutex);
  return history_of(ledger_, study_.networks(), filter);
}

std::optional<StudyQuestion> LabellingSession::question(std::int64_t id) const {
  const Lock lock(state_->mutex);
  const StudyQuestion* const found = ledger_.question(id);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<PastQuestion> LabellingSession::question_before(std::int64_t id,
                                                              std::int64_t entry) const {
  const Lock lock(state_->mutex);
  return dalaup::question_before(ledger_, id, entry);
}

std::optional<JournalEntry> LabellingSession::entry(std::int64_t id) const {
  const Lock lock(state_->mutex);
  const JournalEntry* const found = ledger_.entry(id);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::vector<JournalEntry> LabellingSession::answers_to(std::int64_t question) const {
  const Lock lock(state_->mutex);
  std::vector<JournalEntry> answers;
  for (const JournalEntry* answer : ledger_.answers_to(question)) answers.push_back(*answer);
  return answers;
}

Evidence LabellingSession::evidence(const StudyQuestion& question, std::size_t candidate,
                                    bool with_model, std::size_t most_contacts,
                                    const LabelSet* labels) const {
  const Lock lock(state_->mutex);
  return evidence_for(
      question.question.pair(candidate), study_.networks(), labels ? *labels : ledger_.labels(),
      with_model ? std::span<const UserPair>(question.likely_same) : std::span<const UserPair>(),
      most_contacts);
}

std::vector<UserId> LabellingSession::search(Side side, std::string_view text, std::size_t most,
                                             bool only_unmatched) const {
  std::unordered_set<UserId> left_out;
  if (only_unmatched) {
    const Lock lock(state_->mutex);
    const LabelSet& labels = ledger_.labels();
    for (const UserPair pair : labels.anchors()) left_out.insert(pair.on(side));
    for (const UserId user : labels.without_partner(side)) left_out.insert(user);
  }
  return find_users(study_.networks().on(side), study_.profiles(side), text, most, left_out);
}

UserView LabellingSession::user(Side side, UserId user, std::size_t most) const {
  UserView view{.side = side, .user = user};
  std::shared_ptr<const Learned> learned;
  LabelSet labels;
  {
    const Lock lock(state_->mutex);
    view.partner = ledger_.labels().partner(side, user);
    view.has_no_partner = ledger_.labels().has_no_partner(side, user);
    learned = learner_->learned();
    if (learned) labels = ledger_.labels();
  }
  if (learned && learned->aligner && view.partner == kNoUser && !view.has_no_partner)
    view.best = best_open_candidates(*learned->aligner, labels, side, user, most);
  return view;
}

std::int64_t LabellingSession::wait_for_change(std::int64_t event, double seconds) {
  Lock lock(state_->mutex);
  state_->event_changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [&] { return state_->event != event; });
  return state_->event;
}

void LabellingSession::wait_until_learned() {
  Lock lock(state_->mutex);
  state_->event_changed.wait(lock, [&] { return !learner_->is_busy(); });
}

}  // namespace dalaup
