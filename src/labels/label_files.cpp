#include <fmt/format.h>

#include <unordered_map>

#include "labels/labels.h"

namespace dalaup {

LabelLine parse_label_line(std::string_view line, const LineReader& lines) {
  std::string_view columns[3];
  std::size_t count = 0;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line.find('\t', begin);
    if (count < 3) columns[count] = line.substr(begin, end - begin);
    ++count;
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  if (count < 2 || count > 3 || columns[0].empty() || columns[1].empty())
    throw InputError(lines.name(), lines.line_number(),
                     fmt::format("found {}, expected two user names and an optional label, "
                                 "separated by tabs",
                                 quoted(line)),
                     count == 1 && line.find_first_of(" ,") != std::string_view::npos
                         ? "spaces and commas do not separate here: write \"alice<TAB>bob\""
                         : "such as \"alice<TAB>bob\" or \"alice<TAB>bob<TAB>0\"");
  for (const std::string_view name : {columns[0], columns[1]})
    if (name.starts_with(' ') || name.ends_with(' '))
      throw InputError(lines.name(), lines.line_number(),
                       fmt::format("found the name {} with a space at its {}, expected none",
                                   quoted(name), name.starts_with(' ') ? "beginning" : "end"),
                       "remove the space; only one tab separates the columns");
  LabelLine row{columns[0], columns[1]};
  if (count == 3) {
    if (columns[2] != "0" && columns[2] != "1")
      throw InputError(
          lines.name(), lines.line_number(),
          fmt::format("found label {}, expected 1 (one person) or 0 (not)", quoted(columns[2])),
          "leave the third column out for pairs that are one person");
    row.label = columns[2] == "1" ? Label::kAnchor : Label::kNotAnchor;
  }
  return row;
}

namespace {

UserId user_of(std::string_view name, Side side, const NetworkPair& networks,
               const LineReader& lines) {
  if (networks.on(side).find(name) == kNoUser && networks.on(other(side)).find(name) != kNoUser)
    throw InputError(lines.name(), lines.line_number(),
                     fmt::format("found {}, a user of network {}, expected one of network {}",
                                 quoted(name), name_of(other(side)), name_of(side)),
                     "the first column holds users of A, the second users of B");
  return require_user(networks.on(side), name, side, lines.name(), lines.line_number());
}

}  // namespace

LabelSet read_labels(LineReader& lines, const NetworkPair& networks) {
  LabelSet labels(networks.a.user_count(), networks.b.user_count());
  std::unordered_map<std::uint64_t, std::size_t> line_of;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty() || line[0] == '#') continue;
    const LabelLine row = parse_label_line(line, lines);
    const UserPair pair{user_of(row.a, Side::kA, networks, lines),
                        user_of(row.b, Side::kB, networks, lines)};
    if (const auto conflict = labels.add(pair, row.label))
      throw InputError(
          lines.name(), lines.line_number(),
          fmt::format("found ({}, {}) labelled {}, but line {} labels ({}, {}) {}", quoted(row.a),
                      quoted(row.b), row.label == Label::kAnchor ? 1 : 0,
                      line_of[key_of(conflict->pair)], quoted(networks.a.name(conflict->pair.a)),
                      quoted(networks.b.name(conflict->pair.b)),
                      conflict->label == Label::kAnchor ? 1 : 0),
          conflict->pair == pair ? "one of the two is wrong: remove it"
                                 : "a user has at most one partner; remove the wrong line");
    line_of.try_emplace(key_of(pair), lines.line_number());
  }
  if (line_of.empty())
    throw InputError(lines.name(), 0, "found no labels, expected at least one line",
                     "such as \"alice<TAB>bob\": a user of A and its partner in B");
  return labels;
}

LabelSet read_labels(const std::string& path, const NetworkPair& networks) {
  LineReader lines(path);
  return read_labels(lines, networks);
}

std::vector<UserPair> read_truth(const std::string& path, const NetworkPair& networks) {
  const LabelSet labels = read_labels(path, networks);
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
