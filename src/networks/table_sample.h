#pragma once
// The first lines of a table, cut into cells, and what settles its delimiter. Private to networks.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "networks/table.h"

namespace dalaup {

using TableRows = std::vector<std::vector<std::string>>;

// Lines without comments and empty ones; the last is left out where `text` is cut in its middle.
std::vector<std::string_view> sample_lines(std::string_view text, bool is_whole,
                                           const TableForm& form);
// Nothing when a quote does not end or text follows it.
std::optional<TableRows> rows_of(const std::vector<std::string_view>& lines, const TableForm& form);

// What "sep=;" in the first line says and leaves out of `text`; nothing where there is none.
std::optional<char> take_separator_line(std::string_view& text);

// The character an option means; ParameterError when it is none.
char delimiter_of(const std::string& text, TableKind kind);
std::string delimiter_word(char delimiter);  // as the option has it
// Does the file's name say so: .tsv, .csv?
bool is_named_so(char delimiter, std::string_view name);
std::string_view without_compression(std::string_view name);  // without .gz and .zst

// A number; 0,5 is a half in many countries, where commas do not separate columns.
std::optional<double> decimal_of(std::string_view text, const TableForm& form);

// Tables of kind kAttributes: every row is as wide as the header.
TableForm understand_attributes(std::string_view beginning, bool is_whole,
                                const TableOptions& options, const std::string& name);

}  // namespace dalaup
