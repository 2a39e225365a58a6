// How the first lines of a table can be read, and which of the readings is meant.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "networks/foreign_files.h"
#include "networks/table_header.h"
#include "networks/table_refusals.h"

namespace dalaup {
namespace {

struct Reading {
  TableForm form;
  TableRows rows;        // without the header
  std::size_t wide = 0;  // rows of two columns or more
  HeaderGuess header = HeaderGuess::kNo;
  bool is_valid = false;
  bool has_wrong_thirds = false;  // all is well but for weights or labels, which reading names

  bool is_always_wide() const { return wide == rows.size(); }
};

bool begins_with_percent(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
  return begin != std::string_view::npos && text[begin] == '%';
}

bool are_rows_valid(const Reading& reading, TableKind kind) {
  const TableForm& form = reading.form;
  const auto needed = static_cast<std::size_t>(std::max(form.first, form.second)) + 1;
  for (const auto& row : reading.rows) {
    if (row.size() > form.width) return false;
    if (row.size() == 1 && kind == TableKind::kEdges && form.first == 0) continue;
    if (kind == TableKind::kSimilarities && row.size() < 3) return false;
    if (row.size() < needed) return false;
    if (row[static_cast<std::size_t>(form.first)].empty() ||
        row[static_cast<std::size_t>(form.second)].empty())
      return false;
    if (form.third != TableForm::kNoColumn && static_cast<std::size_t>(form.third) < row.size() &&
        !row[static_cast<std::size_t>(form.third)].empty() &&
        !is_third_cell(row[static_cast<std::size_t>(form.third)], kind))
      return false;
    // "alice, bob" is not the name "alice," and the name "bob".
    if (form.delimiter == ' ')
      for (const std::string& cell : row)
        if (cell.starts_with(',') || cell.ends_with(',') || cell.starts_with(';') ||
            cell.ends_with(';'))
          return false;
  }
  return reading.wide > 0;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

int place_of(const std::string& column, const TableForm& form, TableKind kind,
             const std::string& name) {
  const auto found = std::ranges::find(form.header, column);
  if (found != form.header.end()) return static_cast<int>(found - form.header.begin());
  const auto number = parse_whole_number(column);
  if (number && *number > 0 && *number <= std::max<std::size_t>(form.width, 2))
    return static_cast<int>(*number) - 1;
  if (number)
    throw InputError(
        name, 0,
        fmt::format("found {}, but {} asks for number {}", counted(form.width, "column"),
                    table_option("columns", kind), column));
  throw InputError(name, 0,
                   form.has_header ? fmt::format("found no column \"{}\"; its columns are {}",
                                                 column, fmt::join(form.header, ", "))
                                   : fmt::format("found no header with the column \"{}\"", column),
                   form.has_header ? suggestion(column, form.header)
                                   : fmt::format("give {} yes, or numbers of columns from 1",
                                                 table_option("header", kind)));
}

void take_columns(Reading& reading, const TableOptions& options, TableKind kind,
                  const std::string& name) {
  const std::vector<std::string> columns = listed(options.columns);
  if (columns.size() < 2 || columns.size() > 3)
    throw ParameterError(fmt::format("{}: found \"{}\", expected two or three columns",
                                     table_option("columns", kind), options.columns),
                         "such as source,target,weight or 1,2");
  reading.form.first = place_of(columns[0], reading.form, kind, name);
  reading.form.second = place_of(columns[1], reading.form, kind, name);
  reading.form.third =
      columns.size() == 3 ? place_of(columns[2], reading.form, kind, name) : TableForm::kNoColumn;
}

// Does the first row name one of the columns that the user asks for?
bool names_wanted_columns(const TableRows& rows, const TableOptions& options) {
  if (options.columns.empty() || rows.empty()) return false;
  return std::ranges::any_of(listed(options.columns), [&](const std::string& column) {
    return !parse_whole_number(column) && std::ranges::find(rows[0], column) != rows[0].end();
  });
}

Reading read_as(char delimiter, const std::vector<std::string_view>& lines, TableForm form,
                const TableOptions& options, TableKind kind, const std::string& name) {
  Reading reading;
  form.delimiter = delimiter;
  form.has_quotes = options.quotes == "yes";
  form.keeps_quotes = options.quotes == "no";
  auto rows = rows_of(lines, form);
  const auto is_quoted = [](const auto& row) {
    return std::ranges::any_of(row, [](const auto& cell) { return cell.starts_with('"'); });
  };
  if (options.quotes == "auto" && rows && std::ranges::any_of(*rows, is_quoted)) {
    form.has_quotes = true;
    // Quotes that do not end with their cell may be a part of it; if so, reading says where.
    if (auto unquoted = rows_of(lines, form)) rows = std::move(unquoted);
  }
  reading.form = form;
  if (!rows || rows->empty()) return reading;
  reading.rows = std::move(*rows);
  for (auto& row : reading.rows) drop_empty_tail(row);
  reading.header = options.header == "yes"                       ? HeaderGuess::kYes
                   : options.header == "no"                      ? HeaderGuess::kNo
                   : names_wanted_columns(reading.rows, options) ? HeaderGuess::kYes
                                                                 : guess_header(reading.rows, kind);
  for (const auto& row : reading.rows)
    reading.form.width = std::max(reading.form.width, row.size());
  if (reading.header == HeaderGuess::kYes) {
    reading.form.has_header = true;
    reading.form.header = reading.rows[0];
    reading.rows.erase(reading.rows.begin());
  }
  for (const auto& row : reading.rows) reading.wide += row.size() >= 2 ? 1 : 0;
  if (!options.columns.empty()) {
    if (reading.wide > 0) take_columns(reading, options, kind, name);
  } else if (reading.form.has_header) {
    const auto places = places_by_name(reading.form.header, kind);
    if (!places) return reading;
    reading.form.first = places->first;
    reading.form.second = places->second;
    reading.form.third = places->third;
  } else {
    const std::size_t most = form.has_percent_comments ? 4 : 3;  // KONECT adds a time
    if (reading.form.width >= 3) reading.form.third = 2;
    if (reading.form.width > most) return reading;
  }
  reading.is_valid = reading.rows.empty() ? reading.form.has_header : are_rows_valid(reading, kind);
  reading.form.is_understood = reading.is_valid;
  const bool names_all = reading.form.has_header && names_both_ends(reading.form.header);
  if (!reading.is_valid && names_all && reading.form.third != TableForm::kNoColumn) {
    Reading without_third = reading;
    without_third.form.third = TableForm::kNoColumn;
    reading.has_wrong_thirds = are_rows_valid(without_third, kind);
  }
  return reading;
}

[[noreturn]] void throw_unsure(const Reading& one, const Reading& other, TableKind kind,
                               const std::string& name) {
  std::size_t row = 0;  // the first that differs
  while (row + 1 < std::min(one.rows.size(), other.rows.size()) && one.rows[row] == other.rows[row])
    ++row;
  const auto words = [&](const Reading& reading) {
    std::vector<std::string> cells;
    for (const std::string& cell : reading.rows[row]) cells.push_back(quoted(cell, 30));
    return fmt::format("{} ({})", delimiter_word(reading.form.delimiter),
                       fmt::join(cells, " and "));
  };
  throw InputError(
      name, 0,
      fmt::format("cannot tell whether columns are separated by {} or by {}", words(one),
                  words(other)),
      fmt::format("say which: {0} {1} or {0} {2}", table_option("delimiter", kind),
                  delimiter_word(one.form.delimiter), delimiter_word(other.form.delimiter)));
}

// "1;2;3,5": semicolons leave two names and a number in every row, the comma cuts that number.
bool are_commas_decimal(const Reading& semicolons, const Reading& commas) {
  if (semicolons.form.delimiter != ';' || commas.form.delimiter != ',') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(semicolons.rows,
                             [](const auto& row) {
                               return row.size() == 3 && is_third_cell(row[2], TableKind::kEdges);
                             }) &&
         std::ranges::all_of(commas.rows, [&](const auto& row) {
           return row.size() == 2 && !row[0].empty() && is_digit(row[0].back()) &&
                  std::ranges::all_of(row[1], is_digit);
         });
}

// Tabs separate wherever they can: few names hold one. Commas and semicolons stand back for nothing
// that leaves rows of one column.
bool is_preferred(const Reading& one, const Reading& other) {
  if (are_commas_decimal(one, other)) return true;
  const bool is_tab = one.form.delimiter == '\t';
  if (other.form.delimiter == '\t') return false;
  const bool is_weighted = std::ranges::all_of(other.rows, [](const auto& row) {
    return row.size() == 3 && is_third_cell(row[2], TableKind::kEdges);
  });
  if (is_tab) return one.wide >= other.wide && !(is_weighted && one.form.width == 2);
  if (one.form.delimiter == ' ') return false;
  return one.is_always_wide() && !other.is_always_wide();
}

// A row where a name is missing: "ann,,0.5" or ",bob". Whatever takes several delimiters for one
// would read another name in its place.
bool misses_a_name(const Reading& reading, TableKind kind) {
  const auto is_there = [](const std::vector<std::string>& row, int column) {
    return column != TableForm::kNoColumn && static_cast<std::size_t>(column) < row.size();
  };
  const auto cell = [](const std::vector<std::string>& row, int column) -> const std::string& {
    return row[static_cast<std::size_t>(column)];
  };
  const TableForm& form = reading.form;
  return reading.is_always_wide() && std::ranges::any_of(reading.rows, [&](const auto& row) {
           if (is_there(row, form.first) && cell(row, form.first).empty()) return true;
           return is_there(row, form.second) && cell(row, form.second).empty() &&
                  is_there(row, form.third) && is_third_cell(cell(row, form.third), kind);
         });
}

// "ann,bob,friend" rather than a wrong number here and there.
bool are_thirds_words(const Reading& reading, TableKind kind) {
  return kind == TableKind::kEdges && 2 * std::ranges::count_if(reading.rows, [&](const auto& row) {
                                        return row.size() > 2 && !is_third_cell(row[2], kind);
                                      }) > std::ssize(reading.rows);
}

// As many columns in every row, but not two names and a number: whatever else cuts some of the rows
// in two would make names that nobody gave.
const Reading* steady_reading(std::span<const Reading> readings, TableKind kind) {
  for (const Reading& reading : readings)
    if (!reading.is_valid && reading.form.delimiter != ' ' && reading.form.width > 2 &&
        !misses_a_name(reading, kind) && reading.rows.size() > 1 &&
        std::ranges::all_of(reading.rows,
                            [&](const auto& row) { return row.size() == reading.form.width; }))
      return &reading;
  return nullptr;
}

Reading choose(std::vector<Reading> readings, Reading any, TableKind kind,
               const std::string& name) {
  for (const Reading& reading : readings)
    if (reading.has_wrong_thirds) {
      Reading named = reading;
      named.form.is_understood = true;
      return named;
    }
  if (const Reading* const steady = steady_reading(readings, kind))
    if ((!any.is_always_wide() || (!any.is_valid && are_thirds_words(*steady, kind))) &&
        std::ranges::none_of(readings, [](const Reading& reading) {
          return reading.is_valid && reading.is_always_wide();
        }))
      refuse_other_columns(steady->form, kind, name);
  // What cannot be understood is read as labels are meant to be written, and found wanting.
  const bool has_tabs = kind == TableKind::kLabels && readings[0].wide > 0;
  Reading fallback = has_tabs ? readings[0] : any;
  for (const Reading& reading : readings)
    if (!reading.is_valid && reading.form.delimiter != ' ' && misses_a_name(reading, kind))
      fallback = reading;
  const bool is_torn = !fallback.is_valid && misses_a_name(fallback, kind);
  std::erase_if(readings, [](const Reading& reading) { return !reading.is_valid; });
  std::size_t widest = 0;
  for (const Reading& reading : readings) widest = std::max(widest, reading.wide);
  if (is_torn && std::ranges::none_of(readings, &Reading::is_always_wide)) return fallback;
  if (any.is_valid && any.wide > widest) return any;
  if (any.wide == 0 && fallback.wide == 0 && widest == 0)
    refuse_other_delimiter(any.rows, kind, name);
  if (readings.empty()) return fallback;
  std::size_t best = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].rows == readings[best].rows) continue;
    if (is_preferred(readings[best], readings[i])) continue;
    if (is_preferred(readings[i], readings[best]) ||
        (is_named_so(readings[i].form.delimiter, name) &&
         !is_named_so(readings[best].form.delimiter, name)))
      best = i;
    else if (!is_named_so(readings[best].form.delimiter, name) ||
             is_named_so(readings[i].form.delimiter, name))
      throw_unsure(readings[best], readings[i], kind, name);
  }
  // "a b<TAB>0.5" and "a,b 0.5": one delimiter cuts off the weight, another the names.
  any.form.delimiter = ' ';
  if (any.is_valid && any.form.third == 2 && readings[best].form.third != 2 &&
      any.is_always_wide() && any.rows != readings[best].rows &&
      !is_named_so(readings[best].form.delimiter, name) &&
      std::ranges::all_of(any.rows, [](const auto& row) { return row.size() == 3; }))
    throw_unsure(readings[best], any, kind, name);
  return std::move(readings[best]);
}

bool has_dictionaries(const std::vector<std::string_view>& lines) {
  return !lines.empty() && std::ranges::all_of(lines, [](std::string_view line) {
    const std::size_t end = line.find_last_not_of(" \t");
    return end != std::string_view::npos && line[end] == '}' &&
           line.find('{') != std::string_view::npos && line.find('{') > 0;
  });
}

void check(const Reading& reading, TableKind kind, const TableOptions& options,
           const std::string& name) {
  if (reading.header == HeaderGuess::kUnsure && reading.is_valid)
    throw InputError(name, 0,
                     fmt::format("cannot tell whether the first line ({} and {}) holds names of "
                                 "columns or of users",
                                 quoted(reading.rows[0][0], 30), quoted(reading.rows[0][1], 30)),
                     fmt::format("say which: {0} yes or {0} no", table_option("header", kind)));
  const auto is_apostrophed = [](const std::string& cell) {
    return cell.size() > 2 && cell.starts_with('\'') && cell.ends_with('\'');
  };
  if (options.quotes == "auto" && reading.is_valid && !reading.rows.empty() &&
      std::ranges::all_of(reading.rows, [&](const auto& row) {
        return std::ranges::all_of(std::span(row).first(std::min<std::size_t>(2, row.size())),
                                   is_apostrophed);
      }))
    throw InputError(
        name, 0,
        fmt::format("found all names in single quotes, such as {}", quoted(reading.rows[0][0], 30)),
        fmt::format("only double quotes are taken off; {} no leaves these in the names",
                    table_option("quotes", kind)));
  if (options.columns.empty() && reading.is_valid) {
    refuse_parentheses(reading.rows, kind, name);
    if (kind == TableKind::kEdges) {
      refuse_lists_of_users(reading.form, name);
      if (options.header == "auto") refuse_counted_rows(reading.rows, reading.form, name);
    }
  }
  if (kind != TableKind::kLabels || !options.columns.empty() || !reading.form.has_header) return;
  const bool has_labels = reading.form.third != TableForm::kNoColumn;
  for (const std::string_view column : {"probability", "rank", "score", "confidence"})
    if ((!has_labels || column == "probability" || column == "rank") &&
        std::ranges::find(reading.form.header, column) != reading.form.header.end())
      throw InputError(name, 1,
                       fmt::format("found a column \"{}\", expected labels; the pairs of this file "
                                   "look like predictions",
                                   column),
                       "to take them for known all the same give --label-columns a,b");
}

}  // namespace

TableForm understand_table(std::string_view beginning, bool is_whole, const TableOptions& options,
                           TableKind kind, const std::string& name) {
  refuse_foreign(beginning, name, kind == TableKind::kEdges ? "a network" : "a table of text");
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff"))
    throw InputError(name, 0, "found text in UTF-16, expected UTF-8",
                     "convert the file first, for example with iconv -f utf-16 -t utf-8");
  if (beginning.find('\n') == std::string_view::npos &&
      beginning.substr(0, beginning.find_last_not_of('\r') + 1).find('\r') !=
          std::string_view::npos)
    throw InputError(name, 1, "found carriage returns and no line ends, expected one row a line",
                     "a file of an old Mac? tr '\\r' '\\n' < OLD > NEW gives it line ends");
  if (kind == TableKind::kAttributes)
    return understand_attributes(beginning, is_whole, options, name);
  TableForm form;
  const std::optional<char> said = take_separator_line(beginning);
  form.has_separator_line = said.has_value();
  form.has_percent_comments = begins_with_percent(beginning);
  const auto lines = sample_lines(beginning, is_whole, form);
  form.has_dictionaries = kind == TableKind::kEdges && has_dictionaries(lines);
  const auto read = [&](char delimiter) {
    return read_as(delimiter, lines, form, options, kind, name);
  };
  Reading reading;
  if (options.delimiter != "auto") {
    reading = read(delimiter_of(options.delimiter, kind));
  } else if (said) {
    reading = read(*said);
  } else if (form.has_dictionaries) {
    const bool has_tabs = std::ranges::all_of(
        lines, [](std::string_view line) { return line.find('\t') < line.find('{'); });
    reading = read(has_tabs ? '\t' : TableForm::kAnyDelimiter);
    if (!reading.is_valid || !reading.is_always_wide()) reading = read(TableForm::kAnyDelimiter);
  } else {
    std::vector<Reading> readings;
    for (const char delimiter : {'\t', ',', ';', ' '}) {
      readings.push_back(read(delimiter));
      if (options.header != "auto" || !options.columns.empty()) continue;
      // Blanks are inside names where something else separates all lines.
      if (delimiter == ' ' && std::ranges::any_of(readings, [](const Reading& one) {
            return one.is_valid && one.is_always_wide() && one.form.delimiter != ' ';
          }))
        continue;
      TableForm cells = form;
      cells.delimiter = delimiter;
      cells.has_quotes = readings.back().form.has_quotes;
      if (const auto rows = rows_of(lines, cells)) {
        refuse_title_lines(*rows, lines, beginning, kind, name);
        if (kind == TableKind::kEdges) refuse_adjacency_matrix(*rows, is_whole, name);
      }
    }
    if (std::ranges::none_of(readings, [](const Reading& one) {
          return one.is_valid && one.is_always_wide() && one.form.delimiter != ' ';
        }))
      refuse_signs_between(lines, kind, name);
    reading = choose(std::move(readings), read(TableForm::kAnyDelimiter), kind, name);
  }
  check(reading, kind, options, name);
  return std::move(reading.form);
}

}  // namespace dalaup
