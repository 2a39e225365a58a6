#include "study/question_desk.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace dalaup {
namespace {

// Questions in people's hands, and the users in them: two answers about one user at once could
// contradict.
struct HeldUsers {
  std::unordered_set<std::int64_t> questions;
  std::array<std::unordered_set<UserId>, 2> users;

  std::unordered_set<UserId>& on(Side side) { return users[index_of(side)]; }
  const std::unordered_set<UserId>& on(Side side) const { return users[index_of(side)]; }
  void add(const StudyQuestion& question) {
    questions.insert(question.id);
    on(question.question.side).insert(question.question.user);
    on(other(question.question.side))
        .insert(question.question.candidates.begin(), question.question.candidates.end());
  }
  bool meets(const Question& question) const {
    const auto& far = on(other(question.side));
    return on(question.side).contains(question.user) ||
           std::ranges::any_of(question.candidates,
                               [&](UserId user) { return far.contains(user); });
  }
};

}  // namespace

std::optional<StudyQuestion> trimmed_by(const LabelSet& labels, const StudyQuestion& question) {
  if (!labels.is_open(question.question.side, question.question.user)) return std::nullopt;
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

// A second opinion is asked of a settled pair, about all that the first person saw.
StudyQuestion QuestionDesk::shown(std::int64_t id) const {
  const StudyQuestion& question = *ledger_.question(id);
  auto open = trimmed(question);
  return open ? *std::move(open) : question;
}

bool QuestionDesk::is_askable(const StudyQuestion& question, const std::string& annotator) const {
  for (const JournalEntry* answer : ledger_.answers_to(question.id))
    if (answer->reply != Reply::kSkip || answer->annotator == annotator) return false;
  return trimmed(question).has_value();
}

bool QuestionDesk::wants_second_opinion(const StudyQuestion& question,
                                        const std::string& annotator) const {
  return answered_once_.contains(question.id) && !ledger_.has_answered(annotator, question.id);
}

void QuestionDesk::note_answers_to(std::int64_t id) {
  const StudyQuestion* const question = ledger_.question(id);
  if (question == nullptr || !question->is_overlap) return;
  const auto answers = ledger_.answers_to(id);
  const bool once = answers.size() == 1 && answers[0]->kind == EntryKind::kAnswer &&
                    answers[0]->reply != Reply::kSkip;
  if (once)
    answered_once_.insert(id);
  else
    answered_once_.erase(id);
}

void QuestionDesk::note_all_answers() {
  answered_once_.clear();
  for (const std::int64_t id : ledger_.answered_questions()) note_answers_to(id);
}

void QuestionDesk::forget_expired(const std::string& apart_from) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [annotator, held] : held_)
    if (annotator != apart_from)
      std::erase_if(held, [&](const Held& one) {
        return std::chrono::duration<double>(now - one.since).count() >= lease_seconds_;
      });
  std::erase_if(held_, [](const auto& entry) { return entry.second.empty(); });
}

void QuestionDesk::forget_settled() {
  std::erase_if(waiting_, [&](std::int64_t id) {
    const auto answers = ledger_.answers_to(id);
    return std::ranges::any_of(answers,
                               [](const auto* answer) { return answer->reply != Reply::kSkip; }) ||
           !trimmed(*ledger_.question(id));
  });
}

// One whose users nobody has open; failing that, and only when this person has nothing to do, one
// whose users somebody has: what the first answer settles the second is then told.
std::optional<std::int64_t> QuestionDesk::another_for(const std::string& annotator,
                                                      bool has_none) const {
  HeldUsers held;
  for (const std::int64_t id : this->held()) held.add(*ledger_.question(id));
  if (asks_second_opinions_)
    for (const std::int64_t id : answered_once_)
      if (!held.questions.contains(id) && !ledger_.has_answered(annotator, id)) return id;
  std::optional<std::int64_t> second_best;
  for (const std::int64_t id : waiting_) {
    const StudyQuestion& question = *ledger_.question(id);
    if (held.questions.contains(id) || !is_askable(question, annotator)) continue;
    if (!held.meets(question.question)) return id;
    if (has_none && !second_best) second_best = id;
  }
  return second_best;
}

void QuestionDesk::release(const std::string& annotator, std::int64_t question) {
  const auto found = held_.find(annotator);
  if (found == held_.end()) return;
  std::erase_if(found->second, [&](const Held& one) { return one.question == question; });
  if (found->second.empty()) held_.erase(found);
}

// An answer taken back opens its question again; what was kept for later may speak of its users.
void QuestionDesk::keep_first(const std::string& annotator, std::int64_t question) {
  HeldUsers reopened;
  reopened.add(*ledger_.question(question));
  std::vector<Held>& held = held_[annotator];
  std::erase_if(held, [&](const Held& one) {
    return reopened.meets(ledger_.question(one.question)->question);
  });
  held.insert(held.begin(), {question, std::chrono::steady_clock::now()});
}

std::vector<std::int64_t> QuestionDesk::held() const {
  std::vector<std::int64_t> questions;
  for (const auto& [annotator, held] : held_)
    for (const Held& one : held) questions.push_back(one.question);
  return questions;
}

std::vector<StudyQuestion> QuestionDesk::keep_for(const std::string& annotator, std::size_t most) {
  forget_expired(annotator);
  forget_settled();
  std::vector<Held>& held = held_[annotator];
  std::erase_if(held, [&](const Held& one) {
    const StudyQuestion& question = *ledger_.question(one.question);
    return !is_askable(question, annotator) && !wants_second_opinion(question, annotator);
  });
  while (held.size() < most) {
    const auto another = another_for(annotator, held.empty());
    if (!another) break;
    held.push_back({*another, std::chrono::steady_clock::now()});
  }
  std::vector<StudyQuestion> questions;
  for (const Held& one : held)
    if (questions.size() < most) questions.push_back(shown(one.question));
  if (held.empty()) held_.erase(annotator);
  return questions;
}

}  // namespace dalaup
