#pragma once
// What a labelling session tells about itself; nothing here changes anything.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/advice.h"
#include "study/agreement.h"
#include "study/ledger.h"
#include "study/review.h"

namespace dalaup {

struct AnnotatorStatus {
  std::string name;
  std::int64_t answers = 0;
  std::int64_t yes = 0;
  ConsensusAgreement consensus;
};

struct Status {
  LedgerCounts counts;
  std::uint64_t anchors = 0;
  std::uint64_t without_partner_a = 0;  // users known to have none
  std::uint64_t without_partner_b = 0;
  std::uint64_t settled_pairs = 0;
  std::uint64_t all_pairs = 0;
  std::size_t questions_ready = 0;
  bool is_learning = false;
  std::string failure;  // of the last fit
  std::vector<Round> rounds;
  std::vector<Arm> arms;
  Advice advice;
  std::vector<RoundProgress> progress;  // one per fit, as far as they are known
  std::string audit;                    // what a final audit found, in words
  std::vector<ReviewItem> review;
  std::vector<AnnotatorStatus> annotators;
  std::vector<Agreement> agreements;
  Agreement overall;
  std::vector<std::int64_t> disputes;  // questions
  std::int64_t event = 0;              // of the latest change
};

struct HistoryItem {
  JournalEntry entry;
  bool is_in_force = false;
  std::optional<StudyQuestion> question;
};
struct HistoryFilter {
  std::string annotator;  // empty: everybody
  std::optional<Reply> reply;
  std::string text;  // in a user's name
  bool only_in_force = false;
  std::int64_t before = 0;  // entries older than this one; 0: from the newest
  std::size_t most = 50;
};

struct UserView {
  Side side = Side::kA;
  UserId user = kNoUser;
  UserId partner = kNoUser;
  bool has_no_partner = false;
  std::vector<Rival> best = {};  // candidates on the other side
};

// A question as somebody saw it, and what was known then.
struct PastQuestion {
  StudyQuestion question;
  LabelSet labels;
};

}  // namespace dalaup
