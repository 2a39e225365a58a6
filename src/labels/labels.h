#pragma once
// Labels: which pairs are known to be one person, which are known not to be, and what follows.
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"

namespace dalaup {

struct UserPair {
  UserId a = kNoUser;
  UserId b = kNoUser;
  UserId on(Side side) const { return side == Side::kA ? a : b; }
  auto operator<=>(const UserPair&) const = default;
};
// The pair of `user` on `side` with `partner` on the other.
constexpr UserPair pair_of(Side side, UserId user, UserId partner) {
  return side == Side::kA ? UserPair{user, partner} : UserPair{partner, user};
}
constexpr std::uint64_t key_of(UserPair pair) { return (std::uint64_t{pair.a} << 32) | pair.b; }

enum class Label : std::uint8_t { kNotAnchor = 0, kAnchor = 1 };

// The answer "this user has no partner" is the pair of the user with kNoUser, labelled kNotAnchor.
constexpr UserPair no_partner(Side side, UserId user) { return pair_of(side, user, kNoUser); }
constexpr bool is_no_partner(UserPair pair) { return (pair.a == kNoUser) != (pair.b == kNoUser); }

// Owns the interlock: one anchor pair (a, b) implies that every other pair with a or with b is not
// one. Implied answers are looked up, never stored.
class LabelSet {
 public:
  LabelSet() = default;
  LabelSet(UserId users_a, UserId users_b)
      : partners_{std::vector<UserId>(users_a, kNoUser), std::vector<UserId>(users_b, kNoUser)} {}

  // The earlier answer that refuses the new one; the set is then unchanged. Its pair may be a
  // no_partner.
  struct Conflict {
    UserPair pair;
    Label label;
  };
  std::optional<Conflict> add(UserPair pair, Label label);
  // Takes a given answer and all it implied back; false when that pair was never answered itself.
  bool remove(UserPair pair);

  // What is known of a pair, given or implied.
  std::optional<Label> answer(UserPair pair) const;
  UserId partner(Side side, UserId user) const { return partners_[index(side)][user]; }
  bool is_anchored(Side side, UserId user) const { return partner(side, user) != kNoUser; }
  bool has_no_partner(Side side, UserId user) const { return alone_[index(side)].contains(user); }
  // Neither its partner nor that it has none is known.
  bool is_open(Side side, UserId user) const {
    return !is_anchored(side, user) && !has_no_partner(side, user);
  }
  bool is_negative(UserPair pair) const { return negatives_.contains(key_of(pair)); }  // given only

  std::span<const UserPair> anchors() const { return anchors_; }  // in the order they were added
  std::span<const UserPair> negatives() const { return negative_list_; }
  std::span<const UserId> without_partner(Side side) const { return alone_list_[index(side)]; }
  UserId user_count(Side side) const { return static_cast<UserId>(partners_[index(side)].size()); }

 private:
  static std::size_t index(Side side) { return side == Side::kA ? 0 : 1; }
  std::vector<UserId> partners_[2];
  std::vector<UserPair> anchors_;
  std::vector<UserPair> negative_list_;
  std::unordered_set<std::uint64_t> negatives_;
  std::vector<UserId> alone_list_[2];
  std::unordered_set<UserId> alone_[2];
};

// Users of `side` that have no known partner and may have one, in id order.
std::vector<UserId> unanchored_users(const LabelSet& labels, Side side);
// For each user of `side`: may it still be a candidate (no known partner, not known to have none)?
std::vector<bool> open_users(const LabelSet& labels, Side side);

// One row of a labels or truth file, names unchecked.
struct LabelRow {
  std::string a;
  std::string b;
  Label label = Label::kAnchor;
  std::size_t line = 0;
};
// Rows of a labels or truth file: two names and an optional label, in any table that can be
// understood (docs/use/files.md). Throws InputError with file and line.
class LabelReader {
 public:
  explicit LabelReader(const std::string& path, const TableOptions& options = {})
      : table_(path, options, TableKind::kLabels) {}
  LabelReader(std::unique_ptr<ByteSource> source, const std::string& name,
              const TableOptions& options = {})
      : table_(std::move(source), name, options, TableKind::kLabels) {}

  bool next(LabelRow& row);
  const std::string& name() const { return table_.name(); }
  const TableForm& form() const { return table_.form(); }

 private:
  TableReader table_;
};

struct LabelOptions {
  TableOptions table = {};
  bool skip_unknown = false;  // rows with users the networks do not have are left out
  bool ignore_case = false;   // names may differ in the case of A to Z
};
// What was read, besides the labels.
struct LabelNotes {
  std::string understood;      // how the file was read
  std::size_t skipped = 0;     // rows left out
  std::size_t other_case = 0;  // names found by ignoring their case
};

// The user's name, or "*" where the pair says that the other has no partner.
std::string_view label_name(const NetworkPair& networks, Side side, UserPair pair);

// Adds the label. Throws InputError at `where` that names both answers when an earlier one refuses
// it; the hint is the caller's.
void add_label(LabelSet& labels, UserPair pair, Label label, const NetworkPair& networks,
               const std::string& where, const std::string& hint = {});
// Calls visit(pair, label) with every label: anchors, negatives, then users without a partner.
template <class Visit>
void for_each_label(const LabelSet& labels, Visit&& visit) {
  for (const UserPair pair : labels.anchors()) visit(pair, Label::kAnchor);
  for (const UserPair pair : labels.negatives()) visit(pair, Label::kNotAnchor);
  for (const Side side : {Side::kA, Side::kB})
    for (const UserId user : labels.without_partner(side))
      visit(no_partner(side, user), Label::kNotAnchor);
}

// A row of a label file with the users it names; a<TAB>*<TAB>0 and *<TAB>b<TAB>0 say that a user
// has no partner.
struct FoundLabel {
  UserPair pair;
  Label label = Label::kAnchor;
  std::size_t line = 0;
};
// Throws InputError with file and line for a file without any label and for unknown users, of whom
// it lists the first ten with the closest names. Contradictions are left to the caller.
std::vector<FoundLabel> find_labels(LabelReader& rows, const NetworkPair& networks,
                                    const LabelOptions& options = {}, LabelNotes* notes = nullptr);
// The same added up; also throws InputError for contradictions, naming the earlier line.
LabelSet read_labels(const std::string& path, const NetworkPair& networks,
                     const LabelOptions& options = {}, LabelNotes* notes = nullptr);
LabelSet read_labels(LabelReader& rows, const NetworkPair& networks,
                     const LabelOptions& options = {}, LabelNotes* notes = nullptr);
// The anchor pairs of a truth file, with the same checks; label-0 lines are left out.
std::vector<UserPair> read_truth(const std::string& path, const NetworkPair& networks,
                                 const LabelOptions& options = {}, LabelNotes* notes = nullptr);

// A name as it stands in a label file: in quotes where it begins with # or a quote, so that reading
// takes it neither for a comment nor for a quoted cell.
std::string written_name(std::string_view name);
// Lines with such names go above the others: whether cells are quoted is seen from the first lines.
void put_quoted_first(std::vector<std::string>& lines);
void write_labels(const std::string& path, const LabelSet& labels, const NetworkPair& networks);

void save_labels(ArchiveWriter& archive, const LabelSet& labels);
LabelSet load_labels(const ArchiveReader& archive, const NetworkPair& networks);
LabelSet load_labels(ArchiveFile& archive, UserId users_a, UserId users_b);

// Parts of a truth file as in the paper: labels to begin with, to validate, to test; the rest is
// the pool that may be asked about.
struct SplitSizes {
  std::size_t initial = 100;
  std::size_t validation = 300;
  std::size_t test = 600;
};
struct Split {
  std::vector<UserPair> initial;
  std::vector<UserPair> validation;
  std::vector<UserPair> test;
  std::vector<UserPair> pool;
};
// Throws ParameterError when the truth is smaller than the parts together.
Split split_truth(std::span<const UserPair> truth, const SplitSizes& sizes, Random random);

}  // namespace dalaup
