#include "networks/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "networks/table_sample.h"

namespace dalaup {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "1.23457E+11" and "7.300000000000000000e+01", not "3e5": that could be a name.
bool is_shortened_number(std::string_view name) {
  const std::size_t power = name.find_first_of("eE");
  return power != std::string_view::npos && power + 2 < name.size() && is_digit(name[0]) &&
         (name[1] == '.' || name[1] == ',') && (name[power + 1] == '+' || name[power + 1] == '-') &&
         std::ranges::all_of(name.substr(power + 2), is_digit) &&
         std::ranges::all_of(name.substr(2, power - 2), is_digit);
}

// Some of many, and the first of them.
struct Found {
  std::uint64_t count = 0;
  UserId first = kNoUser;
  void add(UserId user) {
    if (count++ == 0) first = user;
  }
};

// Users whose names people cannot tell from those of others.
std::vector<std::string> look_doubts(const Network& network, const std::string& file) {
  const auto is_ascii = [](std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  std::unordered_map<std::string, UserId> looks;
  Found alike;
  UserId other = kNoUser;
  for (UserId user = 0; user < network.user_count(); ++user) {
    if (is_ascii(network.name(user))) continue;
    const std::string look = look_of(network.name(user));
    UserId same = network.find(look);
    const auto [known, is_new] = looks.try_emplace(look, user);
    if (!is_new) same = known->second;
    if (same == kNoUser || look == network.name(user)) continue;  // counted with the other
    if (alike.count == 0) other = same;
    alike.add(user);
  }
  if (alike.count == 0) return {};
  return {
      fmt::format("{}: {} like {}, such as {} and {}, which differ in how accents or blanks are "
                  "encoded only; they are different users",
                  file, counted(alike.count, "name looks", "names look"),
                  by_number(alike.count, "another", "others"), quoted(network.name(alike.first)),
                  quoted(network.name(other)))};
}

}  // namespace

std::vector<std::string> doubts_of(const Network& network, const std::string& file) {
  Found shortened;
  Found commented;
  bool is_all_ascii = true;
  UserId most = 0;
  for (UserId user = 0; user < network.user_count(); ++user) {
    const std::string_view name = network.name(user);
    if (is_digit(name[0]) && name.size() > 4 && is_shortened_number(name)) shortened.add(user);
    if (name.find(" #") != std::string_view::npos) commented.add(user);
    is_all_ascii = is_all_ascii && std::ranges::none_of(name, [](char c) {
                     return static_cast<unsigned char>(c) >= 0x80;
                   });
    most = std::max<UserId>(most, network.degree(user));
  }
  std::vector<std::string> doubts;
  if (shortened.count > 0)
    doubts.push_back(
        fmt::format("{}: {} in scientific notation, such as {}; spreadsheets and NumPy write long "
                    "numbers so, and different users may have become one",
                    file, counted(shortened.count, "name is a number", "names are numbers"),
                    quoted(network.name(shortened.first))));
  if (commented.count > 0)
    doubts.push_back(fmt::format(
        "{}: {} \" #\", such as {}; comments have a line of their own, what stands behind a name "
        "belongs to it",
        file, counted(commented.count, "name holds", "names hold"),
        quoted(network.name(commented.first), 40)));
  constexpr std::uint64_t kFewestEdges = 5;
  if (most == 1 && network.edge_count() >= kFewestEdges)
    doubts.push_back(
        fmt::format("{}: no user has more than one neighbour; is this a list of pairs "
                    "or of users, instead of a network?",
                    file));
  if (!is_all_ascii)
    for (std::string& doubt : look_doubts(network, file)) doubts.push_back(std::move(doubt));
  return doubts;
}

std::vector<std::string> hash_doubts(std::string_view beginning, const TableForm& form,
                                     const std::string& file) {
  TableForm all = form;
  all.has_comments = false;
  bool is_below = false;
  std::uint64_t count = 0;
  std::vector<std::string> cells;
  for (const std::string_view line : sample_lines(beginning, false, all)) {
    if (line[0] != '#') {
      is_below = true;
      continue;
    }
    if (!is_below || line.size() < 2 || line[1] == ' ' || line[1] == '#' || line[1] == '\t')
      continue;
    if (split_cells(line, form, cells) != CellSplit::kDone) continue;
    drop_empty_tail(cells);
    if (cells.size() > 1 && cells.size() <= std::max<std::size_t>(form.width, 2)) ++count;
  }
  if (count == 0) return {};
  return {fmt::format(
      "{}: {} with # and {} left out as {}; if # belongs to names, put these in "
      "quotes: \"#name\"",
      file, counted(count, "line below the first begins", "lines below the first begin"),
      by_number(count, "was", "were"), by_number(count, "a comment", "comments"))};
}

std::vector<std::string> header_doubts(const Network& network, const TableForm& form,
                                       const std::string& file) {
  constexpr std::uint64_t kFewestEdges = 4;
  if (form.has_header || network.edge_count() < kFewestEdges || network.user_count() < 3) return {};
  const auto is_word = [&](UserId user) {
    return std::ranges::none_of(network.name(user), is_digit);
  };
  const auto neighbours = network.neighbours(0);
  if (neighbours.size() != 1 || neighbours[0] != 1 || network.degree(1) != 1 || !is_word(0) ||
      !is_word(1))
    return {};
  std::uint64_t lone_pairs = 0;  // where many pairs stand alone, one more says nothing
  for (UserId user = 0; user < network.user_count(); ++user)
    if (network.degree(user) == 1 && network.degree(network.neighbours(user)[0]) == 1) ++lone_pairs;
  if (lone_pairs > 2) return {};
  return {
      fmt::format("{}: the users of the first line, {} and {}, are found nowhere else; if it is "
                  "a header, give --header yes",
                  file, quoted(network.name(0), 30), quoted(network.name(1), 30))};
}

}  // namespace dalaup
