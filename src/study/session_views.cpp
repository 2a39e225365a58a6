#include "study/session_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "study/background_learner.h"
#include "study/session_state.h"
#include "study/user_search.h"

namespace dalaup {
namespace {

constexpr std::int64_t kRecent = 100;  // answers that say how the next ones will come out

RecentAnswers recent_answers(const Ledger& ledger) {
  RecentAnswers recent;
  const LabelSet& labels = ledger.labels();
  recent.most_yes = static_cast<std::int64_t>(
                        std::min(labels.user_count(Side::kA), labels.user_count(Side::kB))) -
                    static_cast<std::int64_t>(labels.anchors().size());
  const auto& entries = ledger.entries();
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
    const JournalEntry& entry = *at;
    if (recent.answers >= kRecent) break;
    if (entry.kind != EntryKind::kAnswer || !ledger.is_in_force(entry) ||
        entry.reply == Reply::kSkip || entry.reply == Reply::kUnsure)
      continue;
    ++recent.answers;
    recent.yes += entry.reply == Reply::kYes ? 1 : 0;
  }
  return recent;
}

std::vector<AnnotatorStatus> annotators_in(const Ledger& ledger) {
  std::map<std::string, AnnotatorStatus> people;
  for (const JournalEntry& entry : ledger.entries()) {
    if (entry.kind != EntryKind::kAnswer || !ledger.is_in_force(entry)) continue;
    AnnotatorStatus& person = people[entry.annotator];
    person.name = entry.annotator;
    person.answers += entry.reply == Reply::kSkip ? 0 : 1;
    person.yes += entry.reply == Reply::kYes ? 1 : 0;
  }
  std::vector<AnnotatorStatus> annotators;
  const auto consensus = agreements_with_consensus(ledger);
  for (auto& [name, person] : people) {
    if (const auto found = consensus.find(name); found != consensus.end())
      person.consensus = found->second;
    annotators.push_back(std::move(person));
  }
  return annotators;
}

// Everybody an entry speaks of, to be searched.
std::string names_in(const JournalEntry& entry, const Ledger& ledger, const NetworkPair& networks) {
  std::string all;
  if (const StudyQuestion* question = ledger.question(entry.question)) {
    const Question& asked = question->question;
    all += fmt::format("{} ", networks.on(asked.side).name(asked.user));
    for (const UserId candidate : asked.candidates)
      all += fmt::format("{} ", networks.on(other(asked.side)).name(candidate));
  } else if (entry.pair != UserPair{}) {
    all += fmt::format("{} {}", label_name(networks, Side::kA, entry.pair),
                       label_name(networks, Side::kB, entry.pair));
  }
  return lower_case(all);
}

}  // namespace

Status status_of(const SessionState& state, const BackgroundLearner& learner) {
  Status status;
  const Ledger& ledger = state.ledger;
  const LabelSet& labels = ledger.labels();
  status.counts = ledger.counts();
  status.anchors = labels.anchors().size();
  status.without_partner_a = labels.without_partner(Side::kA).size();
  status.without_partner_b = labels.without_partner(Side::kB).size();
  status.settled_pairs = ledger.settled_pairs();
  status.all_pairs = std::uint64_t{labels.user_count(Side::kA)} * labels.user_count(Side::kB);
  status.questions_ready = state.desk.waiting_count();
  status.is_learning = learner.is_learning();
  status.failure = learner.failure();
  status.rounds = learner.rounds();
  status.arms = learner.bandit().arms();
  AuditWords audit;
  if (const auto& learned = learner.learned()) {
    status.progress = learned->progress;
    status.audit = learned->audit.result;
    audit = learned->audit;
  }
  status.advice = advise(learner.rounds(), recent_answers(ledger), status.progress, audit);
  status.annotators = annotators_in(ledger);
  status.review = review_queue(ledger);
  status.agreements = agreements(ledger);
  status.overall = overall_agreement(status.agreements);
  status.disputes = ledger.disputes();
  status.event = state.event;
  return status;
}

std::vector<HistoryItem> history_of(const Ledger& ledger, const NetworkPair& networks,
                                    const HistoryFilter& filter) {
  const std::string text = lower_case(filter.text);
  std::vector<HistoryItem> items;
  const auto& entries = ledger.entries();
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
    const JournalEntry& entry = *at;
    if (items.size() >= filter.most) break;
    if (filter.before != 0 && entry.id >= filter.before) continue;
    if (!filter.annotator.empty() && entry.annotator != filter.annotator) continue;
    const bool in_force = ledger.is_in_force(entry);
    if (filter.only_in_force && !in_force) continue;
    if (filter.reply && (entry.kind == EntryKind::kUndo || entry.reply != *filter.reply)) continue;
    if (!text.empty() && names_in(entry, ledger, networks).find(text) == std::string::npos)
      continue;
    HistoryItem item{.entry = entry, .is_in_force = in_force, .question = {}};
    if (const StudyQuestion* question = ledger.question(entry.question)) item.question = *question;
    items.push_back(std::move(item));
  }
  return items;
}

std::optional<PastQuestion> question_before(const Ledger& ledger, std::int64_t question,
                                            std::int64_t entry) {
  const StudyQuestion* const found = ledger.question(question);
  if (found == nullptr) return std::nullopt;
  Ledger past = ledger.emptied();
  const auto& entries = ledger.entries();
  const auto count = std::clamp<std::int64_t>(entry, 1, std::ssize(entries) + 1) - 1;
  past.add_all({entries.begin(), entries.begin() + count});
  auto open = trimmed_by(past.labels(), *found);
  return PastQuestion{open ? *std::move(open) : *found, past.labels()};
}

std::vector<Rival> best_open_candidates(const Aligner& aligner, const LabelSet& labels, Side side,
                                        UserId user, std::size_t most) {
  std::vector<Rival> best;
  std::vector<float> scores(aligner.networks().on(other(side)).user_count());
  aligner.score_row(side, user, scores);
  for (const Candidate& candidate :
       best_of_row(scores, 2 * most, open_users(labels, other(side)))) {
    const UserPair pair = pair_of(side, user, candidate.user);
    if (best.size() >= most || labels.answer(pair)) continue;
    best.push_back({other(side), candidate.user, aligner.probability(pair)});
  }
  return best;
}

}  // namespace dalaup
