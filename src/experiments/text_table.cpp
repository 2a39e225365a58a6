#include "experiments/text_table.h"

#include <algorithm>

namespace dalaup {
namespace {

std::size_t width_of(const std::string& text) {  // bytes that do not continue a character
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width_of(row[column]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string blanks(widths[column] - width_of(row[column]), ' ');
      line += column == 0 ? row[column] + blanks : "  " + blanks + row[column];
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace dalaup
