#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "labels/labels.h"
#include "labels/user_lookup.h"

namespace dalaup {

bool LabelReader::next(LabelRow& row) {
  TableReader::Row cells;
  if (!table_.next(cells)) return false;
  if (cells.first.empty() || cells.second.empty())
    throw InputError(name(), cells.line,
                     fmt::format("found {}, expected two user names and an optional label",
                                 cells.first.empty() ? "an empty name" : quoted(cells.first)),
                     "such as \"alice<TAB>bob\" or \"alice,bob,0\"");
  if (!cells.third.empty() && cells.third != "0" && cells.third != "1")
    throw InputError(
        name(), cells.line,
        fmt::format("found label {}, expected 1 (one person) or 0 (not)", quoted(cells.third)),
        "leave the third column out for pairs that are one person");
  row = {std::move(cells.first), std::move(cells.second),
         cells.third == "0" ? Label::kNotAnchor : Label::kAnchor, cells.line};
  return true;
}

namespace {

[[noreturn]] void throw_conflict(const LabelSet::Conflict& conflict, const FoundLabel& found,
                                 std::size_t earlier, const std::string& name,
                                 const NetworkPair& networks) {
  throw InputError(name, found.line,
                   fmt::format("found ({}, {}) labelled {}, but line {} labels ({}, {}) {}",
                               quoted(label_name(networks, Side::kA, found.pair)),
                               quoted(label_name(networks, Side::kB, found.pair)),
                               found.label == Label::kAnchor ? 1 : 0, earlier,
                               quoted(label_name(networks, Side::kA, conflict.pair)),
                               quoted(label_name(networks, Side::kB, conflict.pair)),
                               conflict.label == Label::kAnchor ? 1 : 0),
                   conflict.pair == found.pair
                       ? "one of the two is wrong: remove it"
                       : "a user has at most one partner; remove the wrong line");
}

// "*" stands for everybody: with the label 0 it says that the other has no partner. A user of that
// name is meant where there is one.
bool stands_for_all(std::string_view name, const Network& network) {
  return name == "*" && network.find(name) == kNoUser;
}

void check_star(const LabelRow& row, bool is_twice, const std::string& name) {
  if (row.label == Label::kNotAnchor && !is_twice) return;
  throw InputError(name, row.line,
                   fmt::format("found \"*\" {}, expected it beside one user with label 0",
                               is_twice ? "twice" : "with label 1"),
                   "\"alice<TAB>*<TAB>0\" says that alice has no partner");
}

}  // namespace

std::string_view label_name(const NetworkPair& networks, Side side, UserPair pair) {
  return pair.on(side) == kNoUser ? "*" : networks.on(side).name(pair.on(side));
}

void add_label(LabelSet& labels, UserPair pair, Label label, const NetworkPair& networks,
               const std::string& where, const std::string& hint) {
  const auto conflict = labels.add(pair, label);
  if (!conflict) return;
  throw InputError(
      where, 0,
      fmt::format("found ({}, {}) labelled {}, but the model knows ({}, {}) as {}",
                  quoted(label_name(networks, Side::kA, pair)),
                  quoted(label_name(networks, Side::kB, pair)), label == Label::kAnchor ? 1 : 0,
                  quoted(label_name(networks, Side::kA, conflict->pair)),
                  quoted(label_name(networks, Side::kB, conflict->pair)),
                  conflict->label == Label::kAnchor ? 1 : 0),
      hint);
}

namespace {

// Methods draw samples of labels, so what they learn must not depend on the order of lines.
LabelSet in_order_of_users(const LabelSet& labels) {
  LabelSet sorted(labels.user_count(Side::kA), labels.user_count(Side::kB));
  const auto add = [&](std::span<const UserPair> pairs, Label label) {
    std::vector<UserPair> order(pairs.begin(), pairs.end());
    std::ranges::sort(order);
    for (const UserPair pair : order) sorted.add(pair, label);
  };
  add(labels.anchors(), Label::kAnchor);
  add(labels.negatives(), Label::kNotAnchor);
  for (const Side side : {Side::kA, Side::kB}) {
    const auto alone = labels.without_partner(side);
    std::vector<UserId> order(alone.begin(), alone.end());
    std::ranges::sort(order);
    for (const UserId user : order) sorted.add(no_partner(side, user), Label::kNotAnchor);
  }
  return sorted;
}

}  // namespace

std::vector<FoundLabel> find_labels(LabelReader& rows, const NetworkPair& networks,
                                    const LabelOptions& options, LabelNotes* notes) {
  std::vector<FoundLabel> found;
  UserLookup users(networks, options.ignore_case);
  LabelRow row;
  while (rows.next(row)) {
    const bool all_a = stands_for_all(row.a, networks.a);
    const bool all_b = stands_for_all(row.b, networks.b);
    if (all_a || all_b) check_star(row, all_a && all_b, rows.name());
    const UserPair pair{all_a ? kNoUser : users.find(row.a, Side::kA, row.line),
                        all_b ? kNoUser : users.find(row.b, Side::kB, row.line)};
    if ((!all_a && pair.a == kNoUser) || (!all_b && pair.b == kNoUser))
      users.count_unknown_row();
    else
      found.push_back({pair, row.label, row.line});
  }
  if (!options.skip_unknown) users.throw_if_unknown(rows.name(), rows.form());
  if (found.empty())
    throw InputError(rows.name(), 0,
                     users.unknown_rows() == 0
                         ? "found no labels, expected at least one line"
                         : fmt::format("found {} of users the networks do not have",
                                       counted(users.unknown_rows(), "label", "labels, all")),
                     "such as \"alice<TAB>bob\": a user of A and its partner in B");
  if (notes != nullptr) *notes = {rows.form().words(), users.unknown_rows(), users.found_by_case()};
  return found;
}

LabelSet read_labels(LabelReader& rows, const NetworkPair& networks, const LabelOptions& options,
                     LabelNotes* notes) {
  LabelSet labels(networks.a.user_count(), networks.b.user_count());
  std::unordered_map<std::uint64_t, std::size_t> line_of;
  for (const FoundLabel& one : find_labels(rows, networks, options, notes)) {
    if (const auto conflict = labels.add(one.pair, one.label))
      throw_conflict(*conflict, one, line_of[key_of(conflict->pair)], rows.name(), networks);
    line_of.try_emplace(key_of(one.pair), one.line);
  }
  return in_order_of_users(labels);
}

LabelSet read_labels(const std::string& path, const NetworkPair& networks,
                     const LabelOptions& options, LabelNotes* notes) {
  LabelReader rows(path, options.table);
  return read_labels(rows, networks, options, notes);
}

std::vector<UserPair> read_truth(const std::string& path, const NetworkPair& networks,
                                 const LabelOptions& options, LabelNotes* notes) {
  const LabelSet labels = read_labels(path, networks, options, notes);
  if (labels.anchors().empty())
    throw InputError(path, 0, "found no anchor pairs (label 1), expected at least one");
  return {labels.anchors().begin(), labels.anchors().end()};
}

std::string written_name(std::string_view name) {
  if (!name.starts_with('#') && !name.starts_with('"')) return std::string(name);
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

void put_quoted_first(std::vector<std::string>& lines) {
  std::stable_partition(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with('"') || line.find("\t\"") != std::string::npos;
  });
}

void write_labels(const std::string& path, const LabelSet& labels, const NetworkPair& networks) {
  std::vector<std::string> lines;
  const auto write = [&](std::span<const UserPair> pairs, int label) {
    for (const UserPair pair : pairs)
      lines.push_back(fmt::format("{}\t{}\t{}\n", written_name(networks.a.name(pair.a)),
                                  written_name(networks.b.name(pair.b)), label));
  };
  write(labels.anchors(), 1);
  write(labels.negatives(), 0);
  for (const UserId user : labels.without_partner(Side::kA))
    lines.push_back(fmt::format("{}\t*\t0\n", written_name(networks.a.name(user))));
  for (const UserId user : labels.without_partner(Side::kB))
    lines.push_back(fmt::format("*\t{}\t0\n", written_name(networks.b.name(user))));
  put_quoted_first(lines);
  AtomicFile file(path);
  for (const std::string& line : lines) file.write(line);
  file.commit();
}

}  // namespace dalaup
