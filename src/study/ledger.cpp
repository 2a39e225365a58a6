#include "study/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "study/study_file.h"

namespace dalaup {
namespace {

bool is_verdict(Reply reply) {
  return reply == Reply::kYes || reply == Reply::kNo || reply == Reply::kNoPartner;
}

Label label_of(Reply reply) { return reply == Reply::kYes ? Label::kAnchor : Label::kNotAnchor; }

Refusal contradiction(const LabelSet::Conflict& conflict) {
  return {.kind = Refusal::Kind::kContradiction, .pair = conflict.pair, .label = conflict.label};
}

std::pair<std::string, std::string> request_of(const JournalEntry& entry) {
  return {entry.editor.empty() ? entry.annotator : entry.editor, entry.request};
}

}  // namespace

bool is_given(const LabelSet& labels, UserPair pair, Label label) {
  if (is_no_partner(pair)) {
    const Side side = pair.a == kNoUser ? Side::kB : Side::kA;
    return labels.has_no_partner(side, pair.on(side));
  }
  return label == Label::kAnchor ? labels.partner(Side::kA, pair.a) == pair.b
                                 : labels.is_negative(pair);
}

const StudyQuestion* Ledger::question(std::int64_t id) const {
  const auto found = questions_.find(id);
  return found == questions_.end() ? nullptr : &found->second;
}

const JournalEntry* Ledger::entry(std::int64_t id) const {
  if (id < 1 || id >= next_id()) return nullptr;
  return &entries_[static_cast<std::size_t>(id - 1)];
}

std::vector<const JournalEntry*> Ledger::answers_to(std::int64_t question) const {
  std::vector<const JournalEntry*> answers;
  const auto found = by_question_.find(question);
  if (found == by_question_.end()) return answers;
  for (const std::int64_t id : found->second) answers.push_back(entry(id));
  return answers;
}

std::optional<Ledger::Verdict> Ledger::verdict(std::int64_t question) const {
  std::optional<Verdict> agreed;
  std::optional<Verdict> resolved;
  bool disputed = false;
  for (const JournalEntry* answer : answers_to(question)) {
    const Verdict verdict{answer->reply, answer->pair, answer->id};
    if (answer->kind == EntryKind::kResolve) {
      resolved = verdict;
      continue;
    }
    if (!is_verdict(answer->reply)) continue;
    if (agreed && !agreed->agrees_with(verdict)) disputed = true;
    if (!agreed || agreed->reply != Reply::kNoPartner) agreed = verdict;
  }
  if (resolved) return is_verdict(resolved->reply) ? resolved : std::nullopt;
  return disputed ? std::nullopt : agreed;
}

bool Ledger::is_disputed(std::int64_t question) const {
  std::optional<Verdict> first;
  bool disputed = false;
  for (const JournalEntry* answer : answers_to(question)) {
    if (answer->kind == EntryKind::kResolve) return false;
    if (!is_verdict(answer->reply)) continue;
    const Verdict verdict{answer->reply, answer->pair, answer->id};
    if (first && !first->agrees_with(verdict)) disputed = true;
    first = verdict;
  }
  return disputed;
}

Ledger Ledger::emptied() const {
  Ledger ledger(labels_.user_count(Side::kA), labels_.user_count(Side::kB));
  ledger.questions_ = questions_;
  return ledger;
}

// What an answer says, as its kind of question has it. A no speaks of the candidates that were
// still open then.
std::vector<ImpliedLabel> Ledger::implied(const JournalEntry& entry) const {
  Question asked = question(entry.question)->question;
  Answer answer = Answer::no();
  if (entry.reply == Reply::kNoPartner)
    answer = Answer::no_partner();
  else if (entry.reply == Reply::kNo)
    asked.candidates = entry.refused;
  else
    for (std::size_t place = 0; place < asked.candidates.size(); ++place)
      if (asked.pair(place) == entry.pair) answer = Answer::yes(place);
  return form_of(asked).labels(asked, answer);
}

std::optional<Refusal> Ledger::enter(const JournalEntry& entry, LabelSet& labels,
                                     std::vector<UserPair>* added) const {
  for (const ImpliedLabel& one : implied(entry)) {
    const bool is_new = !is_given(labels, one.pair, one.label);
    if (const auto conflict = labels.add(one.pair, one.label)) return contradiction(*conflict);
    if (is_new && added != nullptr) added->push_back(one.pair);
  }
  return std::nullopt;
}

std::optional<Refusal> Ledger::check(const JournalEntry& entry) const {
  const Refusal unknown{.kind = Refusal::Kind::kUnknown, .pair = {}};
  if (entry.kind == EntryKind::kUndo) {
    const JournalEntry* const target = this->entry(entry.undoes);
    if (target == nullptr || target->kind == EntryKind::kUndo || target->question != entry.question)
      return unknown;
    if (!is_in_force(*target)) return Refusal{.kind = Refusal::Kind::kTakenBack, .pair = {}};
    return std::nullopt;
  }
  if (entry.kind == EntryKind::kImport) {
    const auto is_user = [&](Side side) { return entry.pair.on(side) < labels_.user_count(side); };
    const bool is_alone = is_no_partner(entry.pair) && (is_user(Side::kA) || is_user(Side::kB));
    const bool is_pair = is_user(Side::kA) && is_user(Side::kB);
    if (!is_verdict(entry.reply) || entry.question != 0 ||
        !(entry.reply == Reply::kNoPartner ? is_alone : is_pair))
      return unknown;
    return std::nullopt;
  }
  const StudyQuestion* const asked = question(entry.question);
  if (asked == nullptr) return unknown;
  if ((entry.reply == Reply::kNoPartner) != is_no_partner(entry.pair)) return unknown;
  if (entry.reply == Reply::kNoPartner &&
      entry.pair != no_partner(asked->question.side, asked->question.user))
    return unknown;
  if (entry.reply == Reply::kYes) {
    const Question& shown = asked->question;
    const bool was_shown = std::ranges::any_of(shown.candidates, [&](UserId candidate) {
      return pair_of(shown.side, shown.user, candidate) == entry.pair;
    });
    if (!was_shown) return unknown;
  }
  for (const UserId candidate : entry.refused)
    if (std::ranges::find(asked->question.candidates, candidate) ==
        asked->question.candidates.end())
      return unknown;
  if (entry.kind == EntryKind::kAnswer && has_answered(entry.annotator, entry.question))
    return Refusal{.kind = Refusal::Kind::kAnswered, .pair = {}};
  return std::nullopt;
}

std::optional<Refusal> Ledger::add(const JournalEntry& entry) {
  if (auto refusal = check(entry)) return refusal;
  const std::optional<Verdict> before =
      entry.question != 0 ? verdict(entry.question) : std::nullopt;
  remember(entry);
  std::optional<Refusal> refusal;
  if (entry.kind == EntryKind::kImport) {
    if (const auto conflict = labels_.add(entry.pair, label_of(entry.reply)))
      refusal = contradiction(*conflict);
  } else if (entry.kind == EntryKind::kUndo) {
    refusal = rebuild();
  } else {
    const std::optional<Verdict> after = verdict(entry.question);
    if (before == after) return std::nullopt;
    if (before) {
      refusal = rebuild();
    } else {
      std::vector<UserPair> added;
      refusal = enter(*this->entry(after->entry), labels_, &added);
      if (refusal)
        for (const UserPair pair : added) labels_.remove(pair);
    }
  }
  if (refusal) forget_last();
  return refusal;
}

void Ledger::put_in_force(const JournalEntry& entry) {
  is_undone_[static_cast<std::size_t>(entry.id - 1)] = false;
  if (entry.question == 0) return;
  auto& ids = by_question_[entry.question];
  ids.insert(std::ranges::lower_bound(ids, entry.id), entry.id);
  if (entry.kind == EntryKind::kAnswer)
    by_person_.insert_or_assign({entry.question, entry.annotator}, entry.id);
}

void Ledger::put_out_of_force(const JournalEntry& entry) {
  is_undone_[static_cast<std::size_t>(entry.id - 1)] = true;
  if (entry.question == 0) return;
  auto& ids = by_question_[entry.question];
  ids.erase(std::ranges::lower_bound(ids, entry.id));
  if (entry.kind == EntryKind::kAnswer) by_person_.erase({entry.question, entry.annotator});
}

void Ledger::remember(const JournalEntry& entry) {
  entries_.push_back(entry);
  is_undone_.push_back(false);
  if (!entry.request.empty()) by_request_.try_emplace(request_of(entry), entry.id);
  if (entry.kind == EntryKind::kUndo)
    put_out_of_force(*this->entry(entry.undoes));
  else
    put_in_force(entries_.back());
}

void Ledger::forget_last() {
  const JournalEntry& entry = entries_.back();
  const auto request = by_request_.find(request_of(entry));
  if (request != by_request_.end() && request->second == entry.id) by_request_.erase(request);
  if (entry.kind == EntryKind::kUndo)
    put_in_force(*this->entry(entry.undoes));
  else
    put_out_of_force(entry);
  is_undone_.pop_back();
  entries_.pop_back();
}

// Labels follow from what is in force at the end, whatever was taken back on the way, so they are
// made once; after every undo that would be quadratic.
std::optional<std::int64_t> Ledger::add_all(std::vector<JournalEntry> entries) {
  for (JournalEntry& entry : entries) {
    if (check(entry)) return entry.id;
    remember(entry);
  }
  if (rebuild()) return next_id() - 1;
  return std::nullopt;
}

const JournalEntry* Ledger::brought_by(const std::string& annotator,
                                       const std::string& request) const {
  const auto found = by_request_.find({annotator, request});
  return request.empty() || found == by_request_.end() ? nullptr : entry(found->second);
}

void Ledger::drop_last() {
  forget_last();
  rebuild();
}

// Labels again from the entries in force, in their order; unchanged when they contradict.
std::optional<Refusal> Ledger::rebuild() {
  LabelSet labels(labels_.user_count(Side::kA), labels_.user_count(Side::kB));
  std::set<std::int64_t> entered;
  for (const JournalEntry& entry : entries_) {
    if (!is_in_force(entry)) continue;
    if (entry.kind == EntryKind::kImport) {
      if (const auto conflict = labels.add(entry.pair, label_of(entry.reply)))
        return contradiction(*conflict);
      continue;
    }
    if (!entered.insert(entry.question).second) continue;
    const auto agreed = verdict(entry.question);
    if (!agreed) continue;
    if (auto refusal = enter(*this->entry(agreed->entry), labels, nullptr)) return refusal;
  }
  labels_ = std::move(labels);
  return std::nullopt;
}

const JournalEntry* Ledger::answer_of(const std::string& annotator, std::int64_t question) const {
  const auto found = by_person_.find({question, annotator});
  return found == by_person_.end() ? nullptr : entry(found->second);
}

std::vector<std::int64_t> Ledger::disputes() const {
  std::vector<std::int64_t> found;
  for (const auto& [question, ids] : by_question_)
    if (ids.size() > 1 && is_disputed(question)) found.push_back(question);
  return found;
}

std::vector<std::int64_t> Ledger::answered_questions() const {
  std::vector<std::int64_t> found;
  for (const auto& [question, ids] : by_question_)
    if (!answers_to(question).empty()) found.push_back(question);
  return found;
}

const JournalEntry* Ledger::last_answer_of(const std::string& annotator) const {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const auto& entry) {
    return entry.kind == EntryKind::kAnswer && entry.annotator == annotator &&
           entry.editor.empty() && is_in_force(entry);
  });
  return last == entries_.rend() ? nullptr : &*last;
}

std::uint64_t Ledger::settled_pairs() const {
  const std::uint64_t users_a = labels_.user_count(Side::kA);
  const std::uint64_t users_b = labels_.user_count(Side::kB);
  const std::uint64_t anchors = labels_.anchors().size();
  const std::uint64_t open_a = users_a - anchors - labels_.without_partner(Side::kA).size();
  const std::uint64_t open_b = users_b - anchors - labels_.without_partner(Side::kB).size();
  const auto open_negatives = std::ranges::count_if(labels_.negatives(), [&](UserPair pair) {
    return labels_.is_open(Side::kA, pair.a) && labels_.is_open(Side::kB, pair.b);
  });
  return users_a * users_b - open_a * open_b + static_cast<std::uint64_t>(open_negatives);
}

Ledger load_ledger(const Study& study) {
  Ledger ledger(study.networks().a.user_count(), study.networks().b.user_count());
  for (const StudyQuestion& question : study.answered_questions()) ledger.know(question);
  if (const auto wrong = ledger.add_all(study.journal()))
    throw InputError(study.path(), 0,
                     fmt::format("entry {} of the journal does not fit those before it", *wrong),
                     "the file was changed by another program; restore a copy");
  return ledger;
}

LedgerCounts Ledger::counts() const {
  LedgerCounts counts;
  for (const JournalEntry& entry : entries_) {
    if (!is_in_force(entry) || entry.kind == EntryKind::kResolve) continue;
    if (entry.kind == EntryKind::kImport) {
      ++counts.imported;
      continue;
    }
    if (entry.reply == Reply::kSkip) {
      ++counts.skipped;
      continue;
    }
    ++counts.answers;
    counts.yes += entry.reply == Reply::kYes ? 1 : 0;
    counts.no += entry.reply == Reply::kNo ? 1 : 0;
    counts.no_partner += entry.reply == Reply::kNoPartner ? 1 : 0;
    counts.unsure += entry.reply == Reply::kUnsure ? 1 : 0;
  }
  return counts;
}

}  // namespace dalaup
