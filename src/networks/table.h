#pragma once
// Tables of text as they lie around: what separates their columns, whether they begin with a header
// and whether cells are quoted is seen from their first lines. Nothing is guessed where two
// readings would give different names: that is an error which says what settles it.
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/base.h"

namespace dalaup {

struct TableOptions {
  std::string delimiter = "auto";  // auto, tab, comma, semicolon, space or one character
  std::string header = "auto";     // auto, yes or no
  std::string quotes = "auto";     // auto, yes or no: whether "..." around a cell is not part of it
  std::string columns;             // names of the header or numbers from 1, separated by commas
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, TableOptions>
void visit_fields(Params& params, Visit&& visit) {
  visit("delimiter", params.delimiter, Choices{},
        "what separates columns: auto, tab, comma, semicolon, space or one character");
  visit("header", params.header, Choices{"auto", "yes", "no"},
        "whether files begin with the names of their columns");
  visit("quotes", params.quotes, Choices{"auto", "yes", "no"},
        "whether quotes around a cell are no part of it");
  visit("columns", params.columns, Choices{},
        "columns to read, by name or by number from 1, such as source,target,weight or 1,2");
}

// What the columns of a table mean: edges (source, target, weight), labelled pairs (a, b, label),
// similarities of pairs (a, b, value), or a user and what is known of it under a header.
enum class TableKind : std::uint8_t { kEdges, kLabels, kSimilarities, kAttributes };

// How a table is written.
struct TableForm {
  static constexpr char kAnyDelimiter = '\0';  // tab, spaces or comma, whichever a line has
  static constexpr int kNoColumn = -1;

  char delimiter = kAnyDelimiter;  // ' ' stands for blanks and tabs in any number
  bool is_understood = false;      // else its rows do not fit together, and reading finds out where
  bool has_separator_line = false;  // "sep=;" as the first line, for Excel: no data
  bool has_header = false;
  bool has_quotes = false;
  bool keeps_quotes = false;          // the user says that they belong to the names
  bool has_dictionaries = false;      // NetworkX's "a b {'weight': 2}"
  bool has_comments = true;           // lines beginning with # are no data
  bool has_percent_comments = false;  // KONECT: those with % neither
  std::vector<std::string> header;    // names of the columns, where it has one
  std::size_t width = 0;              // columns of the widest row seen
  int first = 0;                      // places of the columns read
  int second = 1;
  int third = kNoColumn;  // weight or label; kNoColumn: there is none

  // "comma-separated, header, columns source, target, weight".
  std::string words() const;
  std::string delimiter_words() const;  // "comma-separated"
  // Rows that hold just the columns in their order, without quotes.
  bool is_plain() const;
};

// What the first lines say. `beginning` is cut anywhere unless `is_whole`. Throws InputError when
// several readings are possible, ParameterError for options that are none.
TableForm understand_table(std::string_view beginning, bool is_whole, const TableOptions& options,
                           TableKind kind, const std::string& name);

// The first bytes of a source, and the source as if they had not been taken.
struct Beginning {
  std::string text;
  bool is_whole = false;
  std::unique_ptr<ByteSource> source;
};
Beginning peek(std::unique_ptr<ByteSource> source, std::size_t most = std::size_t{1} << 16);

// Rows of a table in any form, without comments, empty lines and the header. Cells have no blanks
// around them. Throws InputError with the line for a quote that never ends or text behind a closing
// quote.
class TableReader {
 public:
  struct Row {
    std::string first;
    std::string second;
    std::string third;
    std::size_t line = 0;
  };
  TableReader(const std::string& path, const TableOptions& options, TableKind kind);
  TableReader(std::unique_ptr<ByteSource> source, const std::string& name,
              const TableOptions& options, TableKind kind);
  TableReader(std::unique_ptr<ByteSource> source, const std::string& name, TableForm form,
              TableKind kind)
      : kind_(kind), form_(std::move(form)), lines_(std::move(source), name) {}

  // The first, second and third column; the third may be empty, and the second too in a row of one
  // cell.
  bool next(Row& row);
  // All columns, empty ones at the end included.
  bool next(std::vector<std::string>& cells);
  // The same for the header, before any row; false where the table has none or is empty.
  bool next_header(std::vector<std::string>& cells);
  std::size_t line_number() const { return row_line_; }  // where the last row began
  const TableForm& form() const { return form_; }
  const std::string& name() const { return lines_.name(); }

 private:
  bool next_cells();
  TableKind kind_;
  TableForm form_;
  LineReader lines_;
  std::vector<std::string> cells_;
  std::size_t row_line_ = 0;
  bool past_header_ = false;
};

// Cells of one line, without blanks around them. kOpenQuote: a quoted cell goes on in the next
// line, which is to be appended with the line end.
enum class CellSplit : std::uint8_t { kDone, kOpenQuote, kTextAfterQuote };
CellSplit split_cells(std::string_view line, const TableForm& form,
                      std::vector<std::string>& cells);
void drop_empty_tail(std::vector<std::string>& cells);

// "--delimiter", or what the same option is called for other files: "--label-delimiter".
std::string table_option(std::string_view name, TableKind kind);

}  // namespace dalaup
