#pragma once
// Comma-separated values: strict, with the line in every message.
#include <string>
#include <vector>

#include "base/base.h"

namespace dalaup {

// Rows of a CSV text: quotes as in RFC 4180, line breaks inside quotes included, \n or \r\n, a byte
// order mark is skipped. Throws InputError with file and line for bad UTF-8, NUL bytes, a quote
// that never ends, text behind a closing quote, and rows over LineReader::kLongestLine.
class CsvReader {
 public:
  explicit CsvReader(LineReader lines, char separator = ',')
      : lines_(std::move(lines)), separator_(separator) {}

  bool next(std::vector<std::string>& cells);
  std::size_t line_number() const { return first_line_; }  // where the last row began
  const std::string& name() const { return lines_.name(); }

 private:
  std::string read_cell(std::string& text, std::size_t& place);
  LineReader lines_;
  char separator_;
  std::size_t first_line_ = 0;
};

}  // namespace dalaup
