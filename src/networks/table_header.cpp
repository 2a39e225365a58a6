#include "networks/table_header.h"

#include <algorithm>
#include <array>
#include <set>

namespace dalaup {
namespace {

constexpr std::array kColumnWords = std::to_array<std::string_view>(
    {"source",   "target",      "src",       "dst",      "dest",     "from",     "to",
     "origin",   "destination", "user",      "users",    "node",     "nodes",    "vertex",
     "id",       "ids",         "uid",       "name",     "names",    "username", "account",
     "profile",  "person",      "friend",    "friends",  "follower", "followee", "following",
     "followed", "member",      "left",      "right",    "first",    "second",   "weight",
     "weights",  "label",       "labels",    "match",    "truth",    "partner",  "network",
     "graph",    "start",       "end",       "strength", "score",    "rank",     "value",
     "count",    "time",        "timestamp", "date",     "type",     "anchor",   "is",
     "edge",     "probability", "margin",    "known",    "quelle",   "ziel",     "gewicht",
     "knoten",   "benutzer",    "origen",    "destino",  "origine"});
constexpr std::array kWeakWords =
    std::to_array<std::string_view>({"a", "b", "u", "v", "i", "j", "x", "y", "w"});

constexpr std::array kFirstNames = std::to_array<std::string_view>(
    {"source",   "src",      "from",     "fromnodeid", "fromid",     "fromuser",
     "a",        "u",        "user1",    "usera",      "node1",      "nodea",
     "id1",      "ida",      "sourceid", "sourcenode", "sourceuser", "start",
     "left",     "first",    "follower", "origin",     "namea",      "name1",
     "accounta", "account1", "quelle",   "origen",     "origine"});
constexpr std::array kSecondNames = std::to_array<std::string_view>(
    {"target", "dst",   "dest",     "to",       "tonodeid",   "toid",
     "touser", "b",     "v",        "user2",    "userb",      "node2",
     "nodeb",  "id2",   "idb",      "targetid", "targetnode", "targetuser",
     "end",    "right", "second",   "followee", "followed",   "destination",
     "nameb",  "name2", "accountb", "account2", "ziel",       "destino"});
constexpr std::array kWeightNames = std::to_array<std::string_view>(
    {"weight", "weights", "edgeweight", "w", "strength", "gewicht"});
constexpr std::array kSimilarityNames = std::to_array<std::string_view>(
    {"similarity", "value", "score", "sim", "weight", "probability"});
constexpr std::array kLabelNames =
    std::to_array<std::string_view>({"label", "labels", "match", "ismatch", "isanchor", "anchor"});

template <std::size_t Size>
bool holds(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_whole(const std::string& cell) {
  return !cell.empty() && std::ranges::all_of(cell, is_digit);
}

// "FromNodeId" -> from, node, id; "user_a1" -> user, a. Nothing when other letters are in it.
std::optional<std::vector<std::string>> words_of(const std::string& cell) {
  std::vector<std::string> words;
  bool is_new = true;
  char before = '\0';
  for (const char c : cell) {
    if (is_letter(c)) {
      const bool is_hump = c <= 'Z' && before >= 'a' && before <= 'z';
      if (is_new || is_hump) words.emplace_back();
      words.back() += lower(c);
      is_new = false;
    } else if (is_digit(c) || c == '_' || c == '-' || c == ' ' || c == '.' || c == ':') {
      is_new = true;
    } else {
      return std::nullopt;
    }
    before = c;
  }
  return words;
}

enum class Wording : std::uint8_t { kOther, kWeak, kStrong };
Wording wording_of(const std::string& cell) {
  const auto words = words_of(cell);
  if (!words || words->empty()) return Wording::kOther;
  bool is_strong = false;
  for (const std::string& word : *words) {
    if (holds(kColumnWords, word))
      is_strong = true;
    else if (!holds(kWeakWords, word))
      return Wording::kOther;
  }
  return is_strong ? Wording::kStrong : Wording::kWeak;
}

std::string without_digits(std::string text) {
  std::erase_if(text, is_digit);
  return text;
}

// Does one of the first two cells stand among the names of the other rows, or (with a number)
// belong to a series of them, as user1 and user2 do?
bool is_repeated(const TableRows& rows) {
  std::set<std::string> names;
  std::set<std::string> series;
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (std::size_t column = 0; column < std::min<std::size_t>(2, rows[row].size()); ++column) {
      names.insert(rows[row][column]);
      if (std::ranges::any_of(rows[row][column], is_digit))
        series.insert(without_digits(rows[row][column]));
    }
  for (std::size_t column = 0; column < 2; ++column) {
    const std::string& cell = rows[0][column];
    if (names.contains(cell)) return true;
    if (std::ranges::any_of(cell, is_digit) && series.contains(without_digits(cell))) return true;
  }
  return false;
}

template <class Test>
bool holds_for_names_below(const TableRows& rows, Test&& test) {
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (std::size_t column = 0; column < std::min<std::size_t>(2, rows[row].size()); ++column)
      if (!test(rows[row][column])) return false;
  return true;
}

// All names below are numbers, those of the first row are not.
bool stands_above_numbers(const TableRows& rows) {
  return rows.size() > 2 && !is_whole(rows[0][0]) && !is_whole(rows[0][1]) &&
         holds_for_names_below(rows, is_whole);
}

// The first row differs from all others as a header would, and could be a row like them all the
// same: "a,b" or "0,1" (as pandas writes) above longer names, words above names with numbers.
bool may_name_columns(const TableRows& rows, bool is_worded) {
  if (rows.size() < 3 || is_repeated(rows)) return false;
  const std::string& first = rows[0][0];
  const std::string& second = rows[0][1];
  if (is_worded)
    return !holds_for_names_below(rows, [](const std::string& name) { return name.size() == 1; });
  if (is_whole(first) && is_whole(second))
    return holds_for_names_below(rows, [](const std::string& name) { return !is_whole(name); });
  const auto has_digits = [](const std::string& name) {
    return std::ranges::any_of(name, is_digit);
  };
  return rows.size() > 3 && words_of(first) && words_of(second) && !has_digits(first) &&
         !has_digits(second) && holds_for_names_below(rows, has_digits);
}

// The third column holds what it should from the second row on, and something else above.
bool stands_above_thirds(const TableRows& rows, TableKind kind) {
  if (rows[0].size() < 3 || is_third_cell(rows[0][2], kind)) return false;
  std::size_t count = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    if (rows[row].size() < 3) continue;
    if (!is_third_cell(rows[row][2], kind)) return false;
    ++count;
  }
  return count >= 2;
}

// Lower-case letters and digits only.
std::string plain(const std::string& cell) {
  std::string text;
  for (const char c : cell)
    if (is_letter(c) || is_digit(c)) text += lower(c);
  return text;
}

template <std::size_t Size>
int find_name(const std::vector<std::string>& header,
              const std::array<std::string_view, Size>& names) {
  for (std::size_t column = 0; column < header.size(); ++column)
    if (holds(names, plain(header[column]))) return static_cast<int>(column);
  return TableForm::kNoColumn;
}

// The number of the row in front, under an empty name: how pandas writes tables.
bool has_row_numbers(const TableRows& rows) {
  if (rows.size() < 2 || rows[0].size() < 3 || !rows[0][0].empty()) return false;
  const auto first = parse_whole_number(rows[1][0]);
  if (!first || *first > 1) return false;
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (parse_whole_number(rows[row][0]) != *first + row - 1) return false;
  return true;
}

}  // namespace

bool names_both_ends(const std::vector<std::string>& header) {
  return find_name(header, kFirstNames) != TableForm::kNoColumn &&
         find_name(header, kSecondNames) != TableForm::kNoColumn;
}

// Whatever the other columns are called.
bool is_clear_header(const std::vector<std::string>& cells) {
  const auto is_strong = [&](int column) {
    return column != TableForm::kNoColumn &&
           wording_of(cells[static_cast<std::size_t>(column)]) == Wording::kStrong;
  };
  return is_strong(find_name(cells, kFirstNames)) && is_strong(find_name(cells, kSecondNames));
}

bool is_list_of_users(const std::vector<std::string>& header) {
  constexpr auto kUsers = std::to_array<std::string_view>(
      {"id", "nodeid", "node", "user", "userid", "username", "uid", "vertex", "account", "name"});
  constexpr auto kKnown = std::to_array<std::string_view>(
      {"label", "name", "fullname", "displayname", "realname", "username", "title", "type", "class",
       "group", "degree", "value", "count", "date", "timestamp", "time"});
  return header.size() > 1 && holds(kUsers, plain(header[0])) && holds(kKnown, plain(header[1])) &&
         plain(header[0]) != plain(header[1]);
}

std::optional<std::string> label_cell(const std::string& cell) {
  const std::string word = lower_case(cell);
  for (const std::string_view no : {"0", "0.0", "false", "no"})
    if (word == no) return "0";
  for (const std::string_view yes : {"1", "1.0", "true", "yes"})
    if (word == yes) return "1";
  return std::nullopt;
}

bool is_third_cell(const std::string& cell, TableKind kind) {
  if (kind == TableKind::kLabels) return label_cell(cell).has_value();
  std::string number = cell;  // 0,5 is a half in many countries
  std::ranges::replace(number, ',', '.');
  return parse_number(number).has_value();
}

HeaderGuess guess_header(const TableRows& rows, TableKind kind) {
  if (rows.empty() || rows[0].size() < 2) return HeaderGuess::kNo;
  if (has_row_numbers(rows)) return HeaderGuess::kYes;
  std::size_t strong = 0;
  bool is_worded = true;
  for (const std::string& cell : rows[0]) {
    const Wording wording = wording_of(cell);
    strong += wording == Wording::kStrong ? 1 : 0;
    if (wording == Wording::kOther) is_worded = false;
  }
  if (rows.size() == 1)
    return is_worded && strong == rows[0].size() ? HeaderGuess::kYes : HeaderGuess::kNo;
  if (stands_above_thirds(rows, kind)) return HeaderGuess::kYes;
  if (kind == TableKind::kSimilarities)  // its third column is always a number
    return rows[0].size() > 2 && !is_third_cell(rows[0][2], kind) ? HeaderGuess::kYes
                                                                  : HeaderGuess::kNo;
  if ((is_worded && strong > 0) || is_clear_header(rows[0]))
    return is_repeated(rows) ? HeaderGuess::kNo : HeaderGuess::kYes;
  if (stands_above_numbers(rows)) return is_worded ? HeaderGuess::kYes : HeaderGuess::kUnsure;
  return may_name_columns(rows, is_worded) ? HeaderGuess::kUnsure : HeaderGuess::kNo;
}

std::optional<ColumnPlaces> places_by_name(const std::vector<std::string>& header, TableKind kind) {
  const int first = find_name(header, kFirstNames);
  const int second = find_name(header, kSecondNames);
  const int third = kind == TableKind::kEdges    ? find_name(header, kWeightNames)
                    : kind == TableKind::kLabels ? find_name(header, kLabelNames)
                                                 : find_name(header, kSimilarityNames);
  if (first != TableForm::kNoColumn && second != TableForm::kNoColumn && third != first &&
      third != second)
    return ColumnPlaces{first, second, third};
  const int begin = header[0].empty() ? 1 : 0;  // behind the numbers of rows
  if (header.size() > static_cast<std::size_t>(begin) + 3 || third == begin || third == begin + 1)
    return std::nullopt;
  if (kind == TableKind::kSimilarities) return ColumnPlaces{begin, begin + 1, begin + 2};
  return ColumnPlaces{begin, begin + 1, third};
}

}  // namespace dalaup
