#include "networks/table_sample.h"

#include <fmt/format.h>

#include <algorithm>

namespace dalaup {
namespace {

constexpr std::size_t kMostLines = 2000;

}  // namespace

std::vector<std::string_view> sample_lines(std::string_view text, bool is_whole,
                                           const TableForm& form) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !is_whole) break;  // cut in the middle
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_comment = (form.has_comments && line.starts_with('#')) ||
                            (form.has_percent_comments && line.starts_with('%'));
    if (!is_comment && line.find_first_not_of(" \t") != std::string_view::npos)
      lines.push_back(line);
  }
  return lines;
}

std::optional<char> take_separator_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t end = line.size();
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > 2 && line.starts_with('"') && line.ends_with('"'))
    line = line.substr(1, line.size() - 2);
  if (line.size() != 5 || lower_case(line.substr(0, 4)) != "sep=") return std::nullopt;
  if (std::string_view("\t,;| :").find(line[4]) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(std::min(end + 1, text.size()));
  return line[4];
}

std::optional<TableRows> rows_of(const std::vector<std::string_view>& lines,
                                 const TableForm& form) {
  TableRows rows;
  std::vector<std::string> cells;
  std::string whole;
  for (const std::string_view line : lines) {
    whole += line;
    switch (split_cells(whole, form, cells)) {
      case CellSplit::kDone:
        rows.push_back(cells);
        whole.clear();
        break;
      case CellSplit::kOpenQuote:
        whole += '\n';
        break;
      case CellSplit::kTextAfterQuote:
        return std::nullopt;
    }
  }
  if (!whole.empty() && rows.empty()) return std::nullopt;
  return rows;
}

char delimiter_of(const std::string& text, TableKind kind) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text == "space" || text == "spaces") return ' ';
  if (text.size() == 1 && text[0] != '"' && text[0] != '#') return text[0];
  throw ParameterError(
      fmt::format("{}: found \"{}\", expected auto, tab, comma, semicolon, space or one character",
                  table_option("delimiter", kind), text));
}

std::string delimiter_word(char delimiter) {
  return delimiter == '\t'  ? "tab"
         : delimiter == ',' ? "comma"
         : delimiter == ';' ? "semicolon"
         : delimiter == ' ' ? "space"
                            : std::string(1, delimiter);
}

std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

bool is_named_so(char delimiter, std::string_view name) {
  const std::string_view bare = without_compression(name);
  if (bare.ends_with(".tsv")) return delimiter == '\t';
  if (bare.ends_with(".csv")) return delimiter == ',' || delimiter == ';';
  return false;
}

std::optional<double> decimal_of(std::string_view text, const TableForm& form) {
  std::string number(text);
  if (form.delimiter != ',' && form.delimiter != TableForm::kAnyDelimiter)
    std::ranges::replace(number, ',', '.');
  return parse_number(number);
}

TableForm understand_attributes(std::string_view beginning, bool is_whole,
                                const TableOptions& options, const std::string& name) {
  TableForm form;
  form.has_comments = false;
  form.has_header = true;
  form.is_understood = true;
  form.has_quotes = options.quotes != "no";
  form.keeps_quotes = options.quotes == "no";
  const std::optional<char> said = take_separator_line(beginning);
  form.has_separator_line = said.has_value();
  if (options.delimiter != "auto" || said) {
    form.delimiter = options.delimiter == "auto"
                         ? *said
                         : delimiter_of(options.delimiter, TableKind::kAttributes);
    return form;
  }
  const auto lines = sample_lines(beginning, is_whole, form);
  std::vector<char> fitting;  // delimiters that make all rows as wide as the header
  char widest = ',';          // when none does; reading says where a row differs
  std::size_t most = 1;
  for (const char delimiter : {',', ';', '\t'}) {
    form.delimiter = delimiter;
    const auto rows = rows_of(lines, form);
    if (!rows || rows->empty()) continue;
    const std::size_t width = rows->front().size();
    if (width > most) {
      most = width;
      widest = delimiter;
    }
    const auto fits = [&](const auto& row) { return row.size() == width; };
    if (width > 1 && std::ranges::all_of(*rows, fits)) fitting.push_back(delimiter);
  }
  if (fitting.size() > 1 && std::ranges::count_if(fitting, [&](char delimiter) {
                              return is_named_so(delimiter, name);
                            }) == 1)
    std::erase_if(fitting, [&](char delimiter) { return !is_named_so(delimiter, name); });
  if (fitting.size() > 1)
    throw InputError(name, 0,
                     fmt::format("cannot tell whether columns are separated by {} or by {}",
                                 delimiter_word(fitting[0]), delimiter_word(fitting[1])),
                     fmt::format("say which: {0} {1} or {0} {2}",
                                 table_option("delimiter", TableKind::kAttributes),
                                 delimiter_word(fitting[0]), delimiter_word(fitting[1])));
  form.delimiter = fitting.empty() ? widest : fitting[0];
  return form;
}

}  // namespace dalaup
