#include "networks/table_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "networks/table_header.h"

namespace dalaup {
namespace {

// A square of numbers, perhaps with names above and in front.
bool is_adjacency_matrix(const TableRows& rows, bool is_whole) {
  if (rows.size() < 4 || rows.back().size() < 4 || is_clear_header(rows[0])) return false;
  const std::size_t width = rows.back().size();
  const std::size_t begin = rows[0].size() + 1 == width || rows[0][0].empty() ? 1 : 0;
  const std::size_t rest = rows.size() - begin;
  // Of a large one the first lines are known.
  if (is_whole ? rest != width - begin : rest > width - begin || width < 50) return false;
  bool has_zeros = true;
  for (std::size_t row = begin; row < rows.size(); ++row) {
    if (rows[row].size() != width) return false;
    const auto cells = std::span(rows[row]).subspan(begin);
    if (!std::ranges::all_of(
            cells, [](const std::string& cell) { return parse_number(cell).has_value(); }))
      return false;
    has_zeros = has_zeros && std::ranges::any_of(cells, [](const std::string& cell) {
                  return parse_number(cell) == 0.0;
                });
  }
  return has_zeros;
}

}  // namespace

void refuse_other_delimiter(const TableRows& rows, TableKind kind, const std::string& name) {
  for (const char delimiter : {'|', '=', '~', '^', '\x01', ':', '/'})
    if (!rows.empty() && std::ranges::all_of(rows, [&](const auto& row) {
          return !row.empty() && row[0].find(delimiter) != std::string::npos;
        }))
      throw InputError(
          name, 0,
          fmt::format("found no tabs, commas, semicolons or spaces, but {} in every line",
                      quoted({&delimiter, 1})),
          fmt::format("if it separates the names give {0} {1}, else {0} tab",
                      table_option("delimiter", kind),
                      delimiter == '\x01' ? "$'\\x01'" : fmt::format("'{}'", delimiter)));
}

void refuse_signs_between(const std::vector<std::string_view>& lines, TableKind kind,
                          const std::string& name) {
  if (lines.size() < 2) return;
  for (const std::string_view sign : {" -> ", " <-> ", " => ", " -- ", " - ", " = ", " : "})
    if (std::ranges::all_of(lines, [&](std::string_view line) {
          const std::size_t place = line.find(sign);
          return place != std::string_view::npos && place > 0 &&
                 line.find(sign, place + sign.size()) == std::string_view::npos &&
                 line.find_first_of("\t;", 0) == std::string_view::npos;
        }))
      throw InputError(
          name, 0,
          fmt::format("found {} between the names of every line, expected a tab or comma",
                      quoted(sign)),
          sign.size() == 3
              ? fmt::format("{} '{}' reads them", table_option("delimiter", kind), sign[1])
              : fmt::format("put tabs there first, for example with sed 's/{}/\\t/'", sign));
}

void refuse_adjacency_matrix(const TableRows& rows, bool is_whole, const std::string& name) {
  if (!is_adjacency_matrix(rows, is_whole)) return;
  throw InputError(name, 0, "found what looks like an adjacency matrix, expected one edge a line",
                   "write its edges first, for example with pandas: "
                   "m.stack()[lambda w: w > 0].reset_index().to_csv(\"edges.csv\", index=False)");
}

void refuse_title_lines(const TableRows& rows, const std::vector<std::string_view>& lines,
                        std::string_view beginning, TableKind kind, const std::string& name) {
  constexpr std::size_t kMostTitles = 10;
  const auto filled = [](const auto& row) {
    return std::ranges::count_if(row, [](const std::string& cell) { return !cell.empty(); });
  };
  if (rows.size() != lines.size()) return;  // cells that go on in the next line
  std::ptrdiff_t most = rows.empty() ? 0 : filled(rows[0]);
  for (std::size_t row = 1; row < std::min(rows.size(), kMostTitles); ++row) {
    if (filled(rows[row]) > most && is_clear_header(rows[row])) {
      const auto before = static_cast<std::size_t>(lines[row].data() - beginning.data());
      const auto above =
          static_cast<std::size_t>(std::ranges::count(beginning.substr(0, before), '\n'));
      throw InputError(
          name, above + 1,
          fmt::format("found what looks like the header ({}), expected it in the first line",
                      shortened_list(rows[row])),
          fmt::format("take the {} above it out, or give {} no if all are data",
                      counted(above, "line"), table_option("header", kind)));
    }
    most = std::max(most, filled(rows[row]));
  }
}

void refuse_other_columns(const TableForm& form, TableKind kind, const std::string& name) {
  throw InputError(
      name, 0,
      fmt::format("found {} columns in every line, separated by {}; cannot tell which two of them "
                  "name users",
                  form.width, delimiter_word(form.delimiter)),
      fmt::format("say which: {} {} {} 1,2, and {} yes if the first line names them",
                  table_option("delimiter", kind), delimiter_word(form.delimiter),
                  table_option("columns", kind), table_option("header", kind)));
}

void refuse_parentheses(const TableRows& rows, TableKind kind, const std::string& name) {
  if (rows.empty() || !std::ranges::all_of(rows, [](const auto& row) {
        return row.size() > 1 && (row[0].starts_with('(') || row[0].starts_with('[')) &&
               row[0].find_first_of(")]") == std::string::npos &&  // "[ann]" is a name
               (row.back().ends_with(')') || row.back().ends_with(']'));
      }))
    return;
  throw InputError(
      name, 0,
      fmt::format("found every row in brackets, such as {} and {}", quoted(rows[0][0], 30),
                  quoted(rows[0][1], 30)),
      fmt::format("write the names alone; {} 1,2 takes the brackets for a part of them",
                  table_option("columns", kind)));
}

void refuse_lists_of_users(const TableForm& form, const std::string& name) {
  if (!form.has_header || names_both_ends(form.header) || !is_list_of_users(form.header)) return;
  throw InputError(
      name, 1,
      fmt::format("found the columns {}, expected two that name the users of an edge",
                  shortened_list(form.header)),
      "is this a list of users instead of edges? to read it all the same give --columns 1,2");
}

void refuse_counted_rows(const TableRows& rows, const TableForm& form, const std::string& name) {
  if (form.has_header || form.third != 2 || rows.size() < 5) return;
  const auto first = parse_whole_number(rows[0][0]);
  if (!first || *first > 1) return;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].size() != 3 || parse_whole_number(rows[row][0]) != *first + row ||
        !parse_whole_number(rows[row][2]))
      return;
  throw InputError(name, 0,
                   "cannot tell whether the first column, which counts the rows, is one of users",
                   "say which columns to read: --columns 2,3 without it, --columns 1,2,3 with it");
}

}  // namespace dalaup
