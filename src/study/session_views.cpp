// What a labelling session tells about itself; nothing here changes anything.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <sstream>

#include "study/labelling_session.h"

namespace dalaup {
namespace {

constexpr std::int64_t kRecent = 100;  // answers that say how the next ones will come out

constexpr std::size_t kMostWords = 20;  // of a search: each is looked for in every name

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream all(lower(text));
  for (std::string word; words.size() < kMostWords && all >> word;) words.push_back(word);
  return words;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  return std::ranges::all_of(
      words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

std::vector<UserId> most_connected(const Network& network,
                                   const std::unordered_set<UserId>& left_out, std::size_t most) {
  std::vector<UserId> users;
  for (UserId user = 0; user < network.user_count(); ++user)
    if (!left_out.contains(user)) users.push_back(user);
  const std::size_t count = std::min(most, users.size());
  std::ranges::partial_sort(
      users, users.begin() + static_cast<std::ptrdiff_t>(count), {},
      [&](UserId user) { return std::pair(~network.degree(user), user); });  // most first
  users.resize(count);
  return users;
}

}  // namespace

RecentAnswers LabellingSession::recent_answers() const {
  RecentAnswers recent;
  const LabelSet& labels = ledger_.labels();
  recent.most_yes = static_cast<std::int64_t>(
                        std::min(labels.user_count(Side::kA), labels.user_count(Side::kB))) -
                    static_cast<std::int64_t>(labels.anchors().size());
  const auto& entries = ledger_.entries();
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
    const JournalEntry& entry = *at;
    if (recent.answers >= kRecent) break;
    if (entry.kind != EntryKind::kAnswer || !ledger_.is_in_force(entry) ||
        entry.reply == Reply::kSkip || entry.reply == Reply::kUnsure)
      continue;
    ++recent.answers;
    recent.yes += entry.reply == Reply::kYes ? 1 : 0;
  }
  return recent;
}

Status LabellingSession::fresh_status() const {
  Status status;
  const LabelSet& labels = ledger_.labels();
  status.counts = ledger_.counts();
  status.anchors = labels.anchors().size();
  status.without_partner_a = labels.without_partner(Side::kA).size();
  status.without_partner_b = labels.without_partner(Side::kB).size();
  status.settled_pairs = ledger_.settled_pairs();
  status.all_pairs = std::uint64_t{labels.user_count(Side::kA)} * labels.user_count(Side::kB);
  status.questions_ready = queue_.size();
  status.is_learning = is_learning_;
  status.failure = failure_;
  status.rounds = rounds_;
  status.arms = bandit_.arms();
  status.advice = advise(rounds_, recent_answers(),
                         learned_ ? learned_->progress : std::vector<RoundProgress>{},
                         learned_ ? learned_->audit_words : std::string());
  std::map<std::string, AnnotatorStatus> people;
  for (const JournalEntry& entry : ledger_.entries()) {
    if (entry.kind != EntryKind::kAnswer || !ledger_.is_in_force(entry)) continue;
    AnnotatorStatus& person = people[entry.annotator];
    person.name = entry.annotator;
    person.answers += entry.reply == Reply::kSkip ? 0 : 1;
    person.yes += entry.reply == Reply::kYes ? 1 : 0;
  }
  const auto consensus = agreements_with_consensus(ledger_);
  for (auto& [name, person] : people) {
    if (const auto found = consensus.find(name); found != consensus.end())
      person.consensus = found->second;
    status.annotators.push_back(std::move(person));
  }
  status.review = review_queue(ledger_);
  if (learned_) {
    status.progress = learned_->progress;
    status.audit = learned_->audit_words;
  }
  status.agreements = agreements(ledger_);
  status.overall = overall_agreement(status.agreements);
  status.disputes = ledger_.disputes();
  status.event = event_;
  return status;
}

Status LabellingSession::status() const {
  const Lock lock(mutex_);
  if (!status_) status_ = fresh_status();
  return *status_;
}

std::vector<HistoryItem> LabellingSession::history(const HistoryFilter& filter) const {
  const Lock lock(mutex_);
  const std::string text = lower(filter.text);
  const auto names = [&](const JournalEntry& entry) {
    std::string all;
    const NetworkPair& networks = study_.networks();
    if (const StudyQuestion* question = ledger_.question(entry.question)) {
      const Question& asked = question->question;
      all += fmt::format("{} ", networks.on(asked.side).name(asked.user));
      for (const UserId candidate : asked.candidates)
        all += fmt::format("{} ", networks.on(other(asked.side)).name(candidate));
    } else if (entry.pair != UserPair{}) {
      all += fmt::format("{} {}", label_name(networks, Side::kA, entry.pair),
                         label_name(networks, Side::kB, entry.pair));
    }
    return lower(all);
  };
  std::vector<HistoryItem> items;
  const auto& entries = ledger_.entries();
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
    const JournalEntry& entry = *at;
    if (items.size() >= filter.most) break;
    if (filter.before != 0 && entry.id >= filter.before) continue;
    if (!filter.annotator.empty() && entry.annotator != filter.annotator) continue;
    const bool in_force = ledger_.is_in_force(entry);
    if (filter.only_in_force && !in_force) continue;
    if (filter.reply && (entry.kind == EntryKind::kUndo || entry.reply != *filter.reply)) continue;
    if (!text.empty() && names(entry).find(text) == std::string::npos) continue;
    HistoryItem item{.entry = entry, .is_in_force = in_force, .question = {}};
    if (const StudyQuestion* question = ledger_.question(entry.question)) item.question = *question;
    items.push_back(std::move(item));
  }
  return items;
}

std::optional<StudyQuestion> LabellingSession::question(std::int64_t id) const {
  const Lock lock(mutex_);
  const StudyQuestion* const found = ledger_.question(id);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<LabellingSession::PastQuestion> LabellingSession::question_before(
    std::int64_t id, std::int64_t entry) const {
  const Lock lock(mutex_);
  const StudyQuestion* const found = ledger_.question(id);
  if (found == nullptr) return std::nullopt;
  Ledger past = ledger_.emptied();
  const auto& entries = ledger_.entries();
  const auto count = std::clamp<std::int64_t>(entry, 1, std::ssize(entries) + 1) - 1;
  past.add_all({entries.begin(), entries.begin() + count});
  auto open = trimmed_by(past.labels(), *found);
  return PastQuestion{open ? *std::move(open) : *found, past.labels()};
}

std::optional<JournalEntry> LabellingSession::entry(std::int64_t id) const {
  const Lock lock(mutex_);
  const JournalEntry* const found = ledger_.entry(id);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::vector<JournalEntry> LabellingSession::answers_to(std::int64_t question) const {
  const Lock lock(mutex_);
  std::vector<JournalEntry> answers;
  for (const JournalEntry* answer : ledger_.answers_to(question)) answers.push_back(*answer);
  return answers;
}

Evidence LabellingSession::evidence(const StudyQuestion& question, std::size_t candidate,
                                    bool with_model, std::size_t most_contacts,
                                    const LabelSet* labels) const {
  const Lock lock(mutex_);
  return evidence_for(
      question.question.pair(candidate), study_.networks(), labels ? *labels : ledger_.labels(),
      with_model ? std::span<const UserPair>(question.likely_same) : std::span<const UserPair>(),
      most_contacts);
}

std::unordered_set<UserId> LabellingSession::matched_users(Side side) const {
  const Lock lock(mutex_);
  std::unordered_set<UserId> matched;
  for (const UserPair pair : ledger_.labels().anchors()) matched.insert(pair.on(side));
  for (const UserId user : ledger_.labels().without_partner(side)) matched.insert(user);
  return matched;
}

std::vector<UserId> LabellingSession::search(Side side, std::string_view text, std::size_t most,
                                             bool only_unmatched) const {
  const Network& network = study_.networks().on(side);
  const std::unordered_set<UserId> left_out =
      only_unmatched ? matched_users(side) : std::unordered_set<UserId>{};
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return most_connected(network, left_out, most);
  std::vector<UserId> found;
  const auto add_where = [&](const auto& text_of) {
    for (UserId user = 0; user < network.user_count() && found.size() < most; ++user)
      if (!left_out.contains(user) && has_all(text_of(user), words) &&
          std::ranges::find(found, user) == found.end())
        found.push_back(user);
  };
  if (const UserId exact = network.find(text); exact != kNoUser && !left_out.contains(exact))
    found.push_back(exact);
  add_where([&](UserId user) { return lower(network.name(user)); });
  const Profiles& profiles = study_.profiles(side);
  if (!profiles.rows.empty())
    add_where([&](UserId user) {
      std::string all = lower(network.name(user));
      if (const auto row = profiles.rows.find(user); row != profiles.rows.end())
        for (const std::string& cell : row->second) all += '\n' + lower(cell);
      return all;
    });
  return found;
}

UserView LabellingSession::user(Side side, UserId user, std::size_t most) const {
  UserView view{.side = side, .user = user, .partner = kNoUser, .best = {}};
  std::shared_ptr<const Learned> learned;
  LabelSet labels;
  {
    const Lock lock(mutex_);
    view.partner = ledger_.labels().partner(side, user);
    view.has_no_partner = ledger_.labels().has_no_partner(side, user);
    learned = learned_;
    if (learned) labels = ledger_.labels();
  }
  if (!learned || !learned->aligner || view.partner != kNoUser || view.has_no_partner) return view;
  std::vector<float> scores(study_.networks().on(other(side)).user_count());
  learned->aligner->score_row(side, user, scores);
  for (const Candidate& candidate :
       best_of_row(scores, 2 * most, open_users(labels, other(side)))) {
    const UserPair pair = pair_of(side, user, candidate.user);
    if (view.best.size() >= most || labels.answer(pair)) continue;
    view.best.push_back({other(side), candidate.user, learned->aligner->probability(pair)});
  }
  return view;
}

std::int64_t LabellingSession::wait_for_change(std::int64_t event, double seconds) {
  Lock lock(mutex_);
  event_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return stopping_ || event_ != event; });
  return event_;
}

}  // namespace dalaup
