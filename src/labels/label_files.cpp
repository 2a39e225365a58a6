#include <fmt/format.h>

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

[[noreturn]] void throw_conflict(const LabelSet::Conflict& conflict, const LabelRow& row,
                                 UserPair pair, std::size_t earlier, const std::string& name,
                                 const NetworkPair& networks) {
  throw InputError(name, row.line,
                   fmt::format("found ({}, {}) labelled {}, but line {} labels ({}, {}) {}",
                               quoted(row.a), quoted(row.b), row.label == Label::kAnchor ? 1 : 0,
                               earlier, quoted(networks.a.name(conflict.pair.a)),
                               quoted(networks.b.name(conflict.pair.b)),
                               conflict.label == Label::kAnchor ? 1 : 0),
                   conflict.pair == pair ? "one of the two is wrong: remove it"
                                         : "a user has at most one partner; remove the wrong line");
}

}  // namespace

LabelSet read_labels(LabelReader& rows, const NetworkPair& networks, const LabelOptions& options,
                     LabelNotes* notes) {
  LabelSet labels(networks.a.user_count(), networks.b.user_count());
  std::unordered_map<std::uint64_t, std::size_t> line_of;
  UserLookup users(networks, options.ignore_case);
  LabelRow row;
  while (rows.next(row)) {
    const UserPair pair{users.find(row.a, Side::kA, row.line),
                        users.find(row.b, Side::kB, row.line)};
    if (pair.a == kNoUser || pair.b == kNoUser) {
      users.count_unknown_row();
      continue;
    }
    if (const auto conflict = labels.add(pair, row.label))
      throw_conflict(*conflict, row, pair, line_of[key_of(conflict->pair)], rows.name(), networks);
    line_of.try_emplace(key_of(pair), row.line);
  }
  if (!options.skip_unknown) users.throw_if_unknown(rows.name(), rows.form());
  if (line_of.empty())
    throw InputError(rows.name(), 0,
                     users.unknown_rows() == 0
                         ? "found no labels, expected at least one line"
                         : fmt::format("found {} labels, all of users the networks do not have",
                                       grouped(users.unknown_rows())),
                     "such as \"alice<TAB>bob\": a user of A and its partner in B");
  if (notes != nullptr) *notes = {rows.form().words(), users.unknown_rows(), users.found_by_case()};
  return labels;
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

void write_labels(const std::string& path, const LabelSet& labels, const NetworkPair& networks) {
  AtomicFile file(path);
  const auto write = [&](std::span<const UserPair> pairs, int label) {
    for (const UserPair pair : pairs)
      file.write(
          fmt::format("{}\t{}\t{}\n", networks.a.name(pair.a), networks.b.name(pair.b), label));
  };
  write(labels.anchors(), 1);
  write(labels.negatives(), 0);
  file.commit();
}

}  // namespace dalaup
