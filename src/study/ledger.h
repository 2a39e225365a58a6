#pragma once
// What the journal amounts to: the labels in force, who answered what, what is disputed. It is
// rebuilt from the journal alone, so nothing else has to be kept consistent with it.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "labels/labels.h"
#include "study/records.h"

namespace dalaup {

// Why an entry cannot be taken; nothing was changed.
struct Refusal {
  enum class Kind : std::uint8_t {
    kContradiction,  // an earlier answer says otherwise: `pair` and `label`
    kAnswered,       // this person has answered the question already
    kUnknown,        // no such question, entry or candidate
    kTakenBack,      // the entry is no longer in force
  };
  Kind kind = Kind::kUnknown;
  UserPair pair = {};
  Label label = Label::kAnchor;
};

struct LedgerCounts {
  std::int64_t answers = 0;  // in force, skips left out
  std::int64_t yes = 0;
  std::int64_t no = 0;
  std::int64_t no_partner = 0;
  std::int64_t unsure = 0;
  std::int64_t skipped = 0;
  std::int64_t imported = 0;
};

// Whether exactly this was answered; what follows from other answers does not count.
bool is_given(const LabelSet& labels, UserPair pair, Label label);

class Ledger {
 public:
  Ledger(UserId users_a, UserId users_b) : labels_(users_a, users_b) {}

  // The same questions, no entries.
  Ledger emptied() const;

  // Questions must be known before entries speak of them.
  void know(const StudyQuestion& question) { questions_.insert_or_assign(question.id, question); }
  const StudyQuestion* question(std::int64_t id) const;

  // Takes the entry, or refuses it. Contradictions come from answers to other questions; two people
  // who answer one question differently make a dispute, which labels nothing until resolved.
  std::optional<Refusal> add(const JournalEntry& entry);
  // Takes the last entry out again, as if it had never been added.
  void drop_last();
  // Takes a whole journal, in one go; gives the first entry that does not fit.
  std::optional<std::int64_t> add_all(std::vector<JournalEntry> entries);

  std::int64_t next_id() const { return static_cast<std::int64_t>(entries_.size()) + 1; }
  const std::vector<JournalEntry>& entries() const { return entries_; }
  bool is_in_force(const JournalEntry& entry) const {
    return entry.kind != EntryKind::kUndo && !is_undone_[static_cast<std::size_t>(entry.id - 1)];
  }
  const JournalEntry* entry(std::int64_t id) const;

  const LabelSet& labels() const { return labels_; }
  // Pairs that no longer need asking because labels settle them.
  std::uint64_t settled_pairs() const;
  LedgerCounts counts() const;

  // Entries in force about a question, oldest first; resolutions included.
  std::vector<const JournalEntry*> answers_to(std::int64_t question) const;
  // This person's answer to the question that is in force; nullptr when there is none.
  const JournalEntry* answer_of(const std::string& annotator, std::int64_t question) const;
  bool has_answered(const std::string& annotator, std::int64_t question) const {
    return answer_of(annotator, question) != nullptr;
  }
  bool is_disputed(std::int64_t question) const;
  std::vector<std::int64_t> disputes() const;
  // Questions with at least one entry in force.
  std::vector<std::int64_t> answered_questions() const;
  // What a request of this person brought; nullptr when it brought nothing yet.
  const JournalEntry* brought_by(const std::string& annotator, const std::string& request) const;
  // The latest answer of this person that is still in force.
  const JournalEntry* last_answer_of(const std::string& annotator) const;

 private:
  // What people agree on for one question; nothing while open, disputed, skipped or unsure.
  struct Verdict {
    Reply reply;
    UserPair pair;
    std::int64_t entry;  // that says so
    bool operator==(const Verdict& other) const {
      return reply == other.reply && pair == other.pair;
    }
    // Whoever says that a user has no partner also says that it is none of those shown.
    bool agrees_with(const Verdict& other) const {
      return (reply != Reply::kYes && other.reply != Reply::kYes) || *this == other;
    }
  };
  std::optional<Verdict> verdict(std::int64_t question) const;
  std::optional<Refusal> check(const JournalEntry& entry) const;
  std::vector<ImpliedLabel> implied(const JournalEntry& entry) const;
  std::optional<Refusal> enter(const JournalEntry& entry, LabelSet& labels,
                               std::vector<UserPair>* added) const;
  std::optional<Refusal> rebuild();
  void put_in_force(const JournalEntry& entry);
  void put_out_of_force(const JournalEntry& entry);
  void remember(const JournalEntry& entry);
  void forget_last();

  std::vector<JournalEntry> entries_;
  std::vector<bool> is_undone_;
  std::unordered_map<std::int64_t, StudyQuestion> questions_;
  std::map<std::int64_t, std::vector<std::int64_t>> by_question_;  // entries in force, by id
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> by_person_;  // and question: answers
  std::map<std::pair<std::string, std::string>, std::int64_t> by_request_;  // person and request
  LabelSet labels_;
};

}  // namespace dalaup
