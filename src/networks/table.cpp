#include "networks/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "networks/table_header.h"

namespace dalaup {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_delimiter(char c, char delimiter) {
  if (delimiter == ' ') return c == ' ' || c == '\t';
  if (delimiter == TableForm::kAnyDelimiter) return c == ' ' || c == '\t' || c == ',';
  return c == delimiter;
}

// Whether several delimiters in a row are one.
bool joins_delimiters(char delimiter) {
  return delimiter == ' ' || delimiter == TableForm::kAnyDelimiter;
}

// The cell after an opening quote, and where it ends; npos: in another line.
std::size_t read_quoted(std::string_view line, std::size_t at, std::string& cell) {
  for (;; ++at) {
    if (at >= line.size()) return std::string_view::npos;
    if (line[at] != '"') {
      cell += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      cell += '"';
      ++at;
    } else {
      return at + 1;
    }
  }
}

// "a b {'weight': 2}" -> "a b" and the weight's text.
std::string_view take_dictionary(std::string_view line, std::string& weight) {
  const std::size_t open = line.find('{');
  if (open == std::string_view::npos) return line;
  std::string_view rest = line.substr(open);
  for (const std::string_view key : {"'weight':", "\"weight\":"}) {
    const std::size_t found = rest.find(key);
    if (found == std::string_view::npos) continue;
    rest.remove_prefix(found + key.size());
    weight = trimmed(rest.substr(0, rest.find_first_of(",}")));
    break;
  }
  return line.substr(0, open);
}

class JoinedSource final : public ByteSource {
 public:
  JoinedSource(std::string text, std::unique_ptr<ByteSource> rest)
      : text_(std::move(text)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> buffer) override {
    if (taken_ == text_.size()) return rest_->read(buffer);
    const std::size_t size = std::min(buffer.size(), text_.size() - taken_);
    text_.copy(buffer.data(), size, taken_);
    taken_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t taken_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

bool is_comment(std::string_view line, const TableForm& form) {
  return (form.has_comments && line.starts_with('#')) ||
         (form.has_percent_comments && line.starts_with('%'));
}

}  // namespace

std::string TableForm::delimiter_words() const {
  if (has_dictionaries) return "NetworkX edge list";
  switch (delimiter) {
    case '\t':
      return "tab-separated";
    case ',':
      return "comma-separated";
    case ';':
      return "semicolon-separated";
    case ' ':
      return "separated by spaces";
    case TableForm::kAnyDelimiter:
      return "separated by tabs, spaces or commas";
    default:
      return fmt::format("separated by {}", delimiter);
  }
}

std::string TableForm::words() const {
  std::string text = delimiter_words();
  if (has_separator_line) text += " as its first line says";
  if (has_percent_comments) text = "KONECT, " + text;
  if (has_quotes) text += ", quoted";
  text += has_header ? ", header" : ", no header";
  const std::size_t count = third == kNoColumn ? 2 : 3;
  const int places[] = {first, second, third};
  std::vector<std::string> read;
  std::vector<std::string> skipped;
  for (std::size_t i = 0; i < count; ++i)
    read.push_back(has_header ? header[static_cast<std::size_t>(places[i])]
                              : fmt::format("{}", places[i] + 1));
  for (std::size_t column = 0; has_header && column < header.size(); ++column)
    if (std::ranges::find(places, static_cast<int>(column)) == std::end(places))
      skipped.push_back(header[column].empty() ? fmt::format("column {}", column + 1)
                                               : header[column]);
  text += fmt::format(", columns {}", fmt::join(read, ", "));
  if (!skipped.empty()) text += fmt::format(" (not read: {})", shortened_list(skipped));
  return text;
}

bool TableForm::is_plain() const {
  return !has_quotes && !has_dictionaries && first == 0 && second == 1 && width <= 3 &&
         (third == 2 || width < 3);
}

CellSplit split_cells(std::string_view line, const TableForm& form,
                      std::vector<std::string>& cells) {
  cells.clear();
  std::string weight;
  if (form.has_dictionaries) line = take_dictionary(line, weight);
  const bool joins = joins_delimiters(form.delimiter);
  std::size_t at = 0;
  while (true) {
    while (at < line.size() &&
           (joins ? is_delimiter(line[at], form.delimiter)
                  : kBlanks.find(line[at]) != std::string_view::npos && line[at] != form.delimiter))
      ++at;
    if (joins && at == line.size()) break;
    std::string cell;
    if (form.has_quotes && at < line.size() && line[at] == '"') {
      at = read_quoted(line, at + 1, cell);
      if (at == std::string_view::npos) return CellSplit::kOpenQuote;
      while (at < line.size() && line[at] == ' ' && form.delimiter != ' ') ++at;
      if (at < line.size() && !is_delimiter(line[at], form.delimiter))
        return CellSplit::kTextAfterQuote;
    }
    const std::size_t begin = at;
    while (at < line.size() && !is_delimiter(line[at], form.delimiter)) ++at;
    cell += trimmed(line.substr(begin, at - begin));
    cells.push_back(std::move(cell));
    if (at == line.size()) break;
    ++at;
  }
  if (!weight.empty()) {
    drop_empty_tail(cells);
    cells.push_back(weight);
  }
  return CellSplit::kDone;
}

void drop_empty_tail(std::vector<std::string>& cells) {
  while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
}

std::string table_option(std::string_view name, TableKind kind) {
  return fmt::format("--{}{}",
                     kind == TableKind::kEdges    ? ""
                     : kind == TableKind::kLabels ? "label-"
                                                  : "attribute-",
                     name);
}

Beginning peek(std::unique_ptr<ByteSource> source, std::size_t most) {
  constexpr std::size_t kFirstLook = 4096;
  Beginning beginning;
  std::size_t size = 0;
  while (size < most) {
    beginning.text.resize(std::min(most, size + std::max(size, kFirstLook)));
    const std::size_t got =
        source->read({beginning.text.data() + size, beginning.text.size() - size});
    if (got == 0) {
      beginning.is_whole = true;
      break;
    }
    size += got;
  }
  beginning.text.resize(size);
  beginning.source = std::make_unique<JoinedSource>(beginning.text, std::move(source));
  return beginning;
}

namespace {

// Leaves the source as it was.
TableForm form_of(std::unique_ptr<ByteSource>& source, const std::string& name,
                  const TableOptions& options, TableKind kind) {
  Beginning beginning = peek(std::move(source));
  source = std::move(beginning.source);
  return understand_table(beginning.text, beginning.is_whole, options, kind, name);
}

}  // namespace

TableReader::TableReader(std::unique_ptr<ByteSource> source, const std::string& name,
                         const TableOptions& options, TableKind kind)
    : kind_(kind), form_(form_of(source, name, options, kind)), lines_(std::move(source), name) {}

TableReader::TableReader(const std::string& path, const TableOptions& options, TableKind kind)
    : TableReader(open_bytes(path), path, options, kind) {}

bool TableReader::next_cells() {
  std::string_view line;
  while (lines_.next(line)) {
    if (line.empty() || is_comment(line, form_)) continue;
    if (form_.has_separator_line && lines_.line_number() == 1) continue;
    row_line_ = lines_.line_number();
    CellSplit split = split_cells(line, form_, cells_);
    std::string whole;
    if (split == CellSplit::kOpenQuote) whole = line;
    while (split == CellSplit::kOpenQuote) {
      if (whole.size() > LineReader::kLongestLine || !lines_.next(line))
        throw InputError(lines_.name(), row_line_, "found a quote that never ends",
                         "a quote inside a quoted cell is written twice");
      whole += '\n';
      whole += line;
      split = split_cells(whole, form_, cells_);
    }
    if (split == CellSplit::kTextAfterQuote)
      throw InputError(lines_.name(), row_line_,
                       "found text after a closing quote, expected the next column",
                       fmt::format("a quote inside a quoted cell is written twice; {} no takes "
                                   "quotes for a part of the names",
                                   table_option("quotes", kind_)));
    if (cells_.empty() || (cells_.size() == 1 && cells_[0].empty())) continue;
    return true;
  }
  return false;
}

bool TableReader::next_header(std::vector<std::string>& cells) {
  past_header_ = true;
  if (!form_.has_header || !next_cells()) return false;
  cells = cells_;
  return true;
}

bool TableReader::next(std::vector<std::string>& cells) {
  if (!past_header_ && form_.has_header && !next_header(cells)) return false;
  if (!next_cells()) return false;
  cells.swap(cells_);
  return true;
}

bool TableReader::next(Row& row) {
  if (!past_header_ && form_.has_header && !next_header(cells_)) return false;
  if (!next_cells()) return false;
  drop_empty_tail(cells_);
  const std::size_t most = form_.is_understood ? std::max<std::size_t>(form_.width, 1) : 3;
  const auto least = static_cast<std::size_t>(std::max(form_.first, form_.second)) + 1;
  if (cells_.size() > most || (cells_.size() > 1 && cells_.size() < least))
    throw InputError(lines_.name(), row_line_,
                     cells_.size() > most ? fmt::format("found {}, expected at most {}",
                                                        counted(cells_.size(), "column"), most)
                                          : fmt::format("found {}, expected at least {}",
                                                        counted(cells_.size(), "column"), least),
                     fmt::format("{} says which to read, {} what separates them",
                                 table_option("columns", kind_), table_option("delimiter", kind_)));
  const auto cell = [&](int column) {
    const auto place = static_cast<std::size_t>(column);
    return column == TableForm::kNoColumn || place >= cells_.size() ? std::string() : cells_[place];
  };
  row = {cell(form_.first), cell(form_.second), cell(form_.third), row_line_};
  if (kind_ == TableKind::kLabels) row.third = label_cell(row.third).value_or(row.third);
  for (const std::string* const text : {&row.first, &row.second})
    if (text->find_first_of("\t\n\r") != std::string::npos)
      throw InputError(lines_.name(), row_line_,
                       fmt::format("found a tab or line end inside the name {}, expected one line",
                                   quoted(*text)),
                       "label files could not name this user; rename it");
  return true;
}

}  // namespace dalaup
