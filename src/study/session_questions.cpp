// Which question goes to whom: what people hold, what is still worth asking, second opinions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "study/labelling_session.h"

namespace dalaup {

std::string_view name_of(Next::State state) {
  constexpr std::array<std::string_view, 4> kNames{"question", "learning", "nothing", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

// Questions in people's hands, and the users in them: two answers about one user at once could
// contradict.
struct LabellingSession::HeldUsers {
  std::unordered_set<std::int64_t> questions;
  std::unordered_set<UserId> users[2];

  std::unordered_set<UserId>& on(Side side) { return users[side == Side::kA ? 0 : 1]; }
  const std::unordered_set<UserId>& on(Side side) const { return users[side == Side::kA ? 0 : 1]; }
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

LabellingSession::HeldUsers LabellingSession::held_users() const {
  HeldUsers users;
  for (const auto& [annotator, held] : held_)
    for (const Held& one : held)
      if (const StudyQuestion* const question = ledger_.question(one.question))
        users.add(*question);
  return users;
}

// The candidates still open, or nothing when labels settle the question.
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

std::optional<StudyQuestion> LabellingSession::trimmed(const StudyQuestion& question) const {
  return trimmed_by(ledger_.labels(), question);
}

// A second opinion is asked of a settled pair, about all that the first person saw.
StudyQuestion LabellingSession::shown(std::int64_t id) const {
  const StudyQuestion& question = *ledger_.question(id);
  auto open = trimmed(question);
  return open ? *std::move(open) : question;
}

bool LabellingSession::is_askable(const StudyQuestion& question,
                                  const std::string& annotator) const {
  for (const JournalEntry* answer : ledger_.answers_to(question.id))
    if (answer->reply != Reply::kSkip || answer->annotator == annotator) return false;
  return trimmed(question).has_value();
}

bool LabellingSession::wants_second_opinion(const StudyQuestion& question,
                                            const std::string& annotator) const {
  return answered_once_.contains(question.id) && !ledger_.has_answered(annotator, question.id);
}

// Call after the answers to a question changed.
void LabellingSession::note_overlap(std::int64_t id) {
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

void LabellingSession::note_all_overlaps() {
  answered_once_.clear();
  for (const std::int64_t id : ledger_.answered_questions()) note_overlap(id);
}

void LabellingSession::forget_expired(const std::string& apart_from) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [annotator, held] : held_)
    if (annotator != apart_from)
      std::erase_if(held, [&](const Held& one) {
        return std::chrono::duration<double>(now - one.since).count() >= options_.lease_seconds;
      });
  std::erase_if(held_, [](const auto& entry) { return entry.second.empty(); });
}

void LabellingSession::forget_settled_questions() {
  std::erase_if(queue_, [&](std::int64_t id) {
    const auto answers = ledger_.answers_to(id);
    return std::ranges::any_of(answers,
                               [](const auto* answer) { return answer->reply != Reply::kSkip; }) ||
           !trimmed(*ledger_.question(id));
  });
}

// One whose users nobody has open; failing that, and only when this person has nothing to do, one
// whose users somebody has: what the first answer settles the second is then told.
std::optional<std::int64_t> LabellingSession::another_for(const std::string& annotator,
                                                          bool has_none) const {
  const HeldUsers held = held_users();
  if (options_.params.overlap > 0.0)
    for (const std::int64_t id : answered_once_)
      if (!held.questions.contains(id) && !ledger_.has_answered(annotator, id)) return id;
  std::optional<std::int64_t> second_best;
  for (const std::int64_t id : queue_) {
    const StudyQuestion& question = *ledger_.question(id);
    if (held.questions.contains(id) || !is_askable(question, annotator)) continue;
    if (!held.meets(question.question)) return id;
    if (has_none && !second_best) second_best = id;
  }
  return second_best;
}

void LabellingSession::release(const std::string& annotator, std::int64_t question) {
  const auto found = held_.find(annotator);
  if (found == held_.end()) return;
  std::erase_if(found->second, [&](const Held& one) { return one.question == question; });
  if (found->second.empty()) held_.erase(found);
}

// An answer taken back opens its question again; what was kept for later may speak of its users.
void LabellingSession::hold_first(const std::string& annotator, std::int64_t question) {
  HeldUsers reopened;
  reopened.add(*ledger_.question(question));
  std::vector<Held>& held = held_[annotator];
  std::erase_if(held, [&](const Held& one) {
    return reopened.meets(ledger_.question(one.question)->question);
  });
  held.insert(held.begin(), {question, std::chrono::steady_clock::now()});
}

Next LabellingSession::next(const std::string& annotator, std::size_t ahead) {
  const Lock lock(mutex_);
  forget_expired(annotator);
  forget_settled_questions();
  std::vector<Held>& held = held_[annotator];
  std::erase_if(held, [&](const Held& one) {
    const StudyQuestion* const question = ledger_.question(one.question);
    return question == nullptr ||
           !(is_askable(*question, annotator) || wants_second_opinion(*question, annotator));
  });
  while (held.size() < ahead + 1) {
    const auto another = another_for(annotator, held.empty());
    if (!another) break;
    held.push_back({*another, std::chrono::steady_clock::now()});
  }
  if (!held.empty()) {
    Next next{.state = Next::State::kQuestion, .question = shown(held[0].question), .message = {}};
    for (std::size_t place = 1; place < std::min(held.size(), ahead + 1); ++place)
      next.upcoming.push_back(shown(held[place].question));
    return next;
  }
  held_.erase(annotator);
  is_starved_ = true;
  if (wants_to_learn()) wake_learner_.notify_all();
  if (is_learning_ || wants_to_learn()) {
    const std::string task = progress_.words();
    return {
        .state = Next::State::kLearning,
        .question = {},
        .message = fmt::format("The {} questions are being chosen{}{}.",
                               rounds_.empty() ? "first" : "next", task.empty() ? "" : ": ", task)};
  }
  if (!failure_.empty())
    return {.state = Next::State::kFailed, .question = {}, .message = failure_};
  return {.state = Next::State::kNothing,
          .question = {},
          .message = "Everything worth asking is answered."};
}

}  // namespace dalaup
