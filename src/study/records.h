#pragma once
// What stands in a study: questions, answers, rounds.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "query/query.h"

namespace dalaup {

// What a person says. No refuses the pairs shown; no-partner says that the asked user has none at
// all. Unsure and skip teach nothing; unsure takes the question away from everybody, skip only from
// whoever skipped it.
enum class Reply : std::uint8_t { kYes, kNo, kUnsure, kSkip, kNoPartner };
std::string_view name_of(Reply reply);
std::optional<Reply> reply_named(std::string_view name);

enum class EntryKind : std::uint8_t { kAnswer, kUndo, kImport, kResolve };
std::string_view name_of(EntryKind kind);
std::optional<EntryKind> entry_kind_named(std::string_view name);

// One line of the journal. Lines are only ever added; undo is a line of its own.
struct JournalEntry {
  std::int64_t id = 0;  // 1, 2, 3, ...
  std::string at = {};  // UTC, such as 2026-01-31T12:00:00.000Z
  EntryKind kind = EntryKind::kAnswer;
  std::string annotator = {};
  std::int64_t question = 0;  // 0: an import or the undo of one
  Reply reply = Reply::kSkip;
  UserPair pair = {};                // of a yes or an import; with kNoUser in it: of a no-partner
  std::vector<UserId> refused = {};  // candidates that a no refuses
  double seconds = 0.0;              // that the person needed
  std::int64_t undoes = 0;           // the entry that an undo takes back
  std::string source = {};           // of an import
  std::string editor = {};           // who entered it, when that was not the annotator
  std::string request = {};          // the client's name for what brought it, if it gave one
  std::string note = {};             // that the person left with the answer
};

// Where a candidate stood when the question was made; ranks count from 1.
struct Standing {
  double rank_of_candidate = 0.0;  // among all candidates of the question's user
  double rank_of_user = 0.0;       // among all candidates of the candidate
};
struct Rival {
  Side side = Side::kA;  // of the rival itself
  UserId user = kNoUser;
  double probability = 0.0;
};

// What an attribute says of a candidate, in the logarithm of the odds; below 0: against it.
struct FieldShare {
  std::string field;
  double ratio = 0.0;
};

struct StudyQuestion {
  std::int64_t id = 0;
  std::int64_t round = 0;
  Question question;
  bool is_overlap = false;              // to be answered by a second person as well
  std::vector<Standing> standings{};    // one per candidate
  std::vector<Rival> rivals{};          // of a pair question: who else fits either user
  std::vector<UserPair> likely_same{};  // contacts the model takes for one person, unlabelled
  std::vector<std::vector<FieldShare>> field_shares{};  // one list per candidate, strongest first
};

// One fit and the batch of questions it led to.
struct Round {
  std::int64_t id = 0;
  std::string at;
  std::string strategy;
  double exploration_probability = 0.0;
  bool explored = false;
  std::int64_t answers = 0;  // in the journal and in force when it was fitted
  std::int64_t anchors = 0;  // known then, imported ones included
  std::int64_t validation_size = 0;
  std::optional<double> precision_at_30;  // over the validation anchors
  std::optional<double> map_at_30;
  std::optional<double> agreement;   // share of users of A whose best candidate stayed the same
  std::optional<double> yes_chance;  // mean chance of a yes over the questions of this round
  std::optional<double> reward;      // what its answers earned its strategy; known one round later
  double seconds = 0.0;              // to fit and choose
  std::string bandit;                // state after choosing, as JSON
};

// The name of a person in one spelling: no blanks around it, one between words, letters composed
// (Unicode's NFC). Nothing for an empty or overlong name, characters that cannot be seen and what
// is no UTF-8.
std::optional<std::string> annotator_named(std::string_view text);
// The same, with ParameterError instead of nothing.
std::string checked_annotator(std::string_view text);
inline constexpr std::size_t kLongestAnnotator = 64;  // bytes

// Now, as journal entries write it.
std::string utc_now();

}  // namespace dalaup
