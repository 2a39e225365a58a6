#include "study/review.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace dalaup {
namespace {

// What counts as the same answer: none of these and nobody at all do.
using Opinion = std::pair<Reply, UserPair>;
Opinion opinion_of(const JournalEntry& entry) {
  if (entry.reply == Reply::kYes) return {Reply::kYes, entry.pair};
  return {entry.reply == Reply::kUnsure ? Reply::kUnsure : Reply::kNo, UserPair{}};
}

std::optional<Opinion> consensus_of(const std::vector<const JournalEntry*>& answers) {
  std::map<Opinion, std::size_t> votes;
  std::size_t voters = 0;
  for (const JournalEntry* const answer : answers) {
    if (answer->reply == Reply::kSkip) continue;
    if (answer->kind == EntryKind::kResolve) return opinion_of(*answer);
    ++votes[opinion_of(*answer)];
    ++voters;
  }
  if (voters < 2) return std::nullopt;
  const auto most =
      std::ranges::max_element(votes, {}, [](const auto& counted) { return counted.second; });
  return 2 * most->second > voters ? std::optional(most->first) : std::nullopt;
}

bool is_settled(const std::vector<const JournalEntry*>& answers) {
  return std::ranges::any_of(
      answers, [](const JournalEntry* answer) { return answer->kind == EntryKind::kResolve; });
}

bool has_doubt(const std::vector<const JournalEntry*>& answers) {
  const auto says = [&](bool is_unsure) {
    return std::ranges::any_of(answers, [&](const JournalEntry* answer) {
      return answer->reply != Reply::kSkip && (answer->reply == Reply::kUnsure) == is_unsure;
    });
  };
  return says(true) && says(false);
}

// Whether nobody but people of low agreement said something that may be right or wrong.
bool rests_on_low_agreement(const std::vector<const JournalEntry*>& answers,
                            const std::map<std::string, ConsensusAgreement>& people) {
  bool is_answered = false;
  for (const JournalEntry* const answer : answers) {
    if (answer->reply == Reply::kSkip || answer->reply == Reply::kUnsure) continue;
    const auto person = people.find(answer->annotator);
    if (person == people.end() || !person->second.is_low()) return false;
    is_answered = true;
  }
  return is_answered;
}

// Questions of which a person's answer was taken back and another given.
std::set<std::int64_t> changed_questions(const Ledger& ledger) {
  std::set<std::int64_t> changed;
  for (const JournalEntry& entry : ledger.entries()) {
    const JournalEntry* const before =
        entry.kind == EntryKind::kUndo ? ledger.entry(entry.undoes) : nullptr;
    if (before == nullptr || before->kind != EntryKind::kAnswer || before->reply == Reply::kSkip)
      continue;
    for (const JournalEntry* const now : ledger.answers_to(entry.question))
      if (now->annotator == before->annotator && now->reply != Reply::kSkip &&
          opinion_of(*now) != opinion_of(*before))
        changed.insert(entry.question);
  }
  return changed;
}

}  // namespace

std::string_view name_of(ReviewItem::Reason reason) {
  constexpr std::array<std::string_view, 4> kNames{"disputed", "unsure", "changed",
                                                   "low-agreement"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::vector<ReviewItem> review_queue(const Ledger& ledger) {
  std::vector<ReviewItem> queue;
  std::set<std::int64_t> listed;
  const auto list = [&](std::int64_t question, ReviewItem::Reason reason) {
    if (!is_settled(ledger.answers_to(question)) && listed.insert(question).second)
      queue.push_back({question, reason});
  };
  for (const std::int64_t question : ledger.disputes())
    list(question, ReviewItem::Reason::kDisputed);
  for (const std::int64_t question : ledger.answered_questions())
    if (has_doubt(ledger.answers_to(question))) list(question, ReviewItem::Reason::kUnsure);
  for (const std::int64_t question : changed_questions(ledger))
    list(question, ReviewItem::Reason::kChanged);
  const auto people = agreements_with_consensus(ledger);
  for (const std::int64_t question : ledger.answered_questions())
    if (rests_on_low_agreement(ledger.answers_to(question), people))
      list(question, ReviewItem::Reason::kLowAgreement);
  return queue;
}

std::map<std::string, ConsensusAgreement> agreements_with_consensus(const Ledger& ledger) {
  std::map<std::string, ConsensusAgreement> people;
  for (const std::int64_t id : ledger.answered_questions()) {
    const auto answers = ledger.answers_to(id);
    const auto consensus = consensus_of(answers);
    if (!consensus) continue;
    for (const JournalEntry* const answer : answers) {
      if (answer->kind != EntryKind::kAnswer || answer->reply == Reply::kSkip) continue;
      ConsensusAgreement& person = people[answer->annotator];
      ++person.questions;
      person.equal += opinion_of(*answer) == *consensus ? 1 : 0;
    }
  }
  return people;
}

}  // namespace dalaup
