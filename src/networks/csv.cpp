#include "networks/csv.h"

#include <fmt/format.h>

namespace dalaup {

bool CsvReader::next(std::vector<std::string>& cells) {
  cells.clear();
  std::string_view line;
  if (!lines_.next(line)) return false;
  first_line_ = lines_.line_number();
  std::string text(line);
  std::size_t place = 0;
  while (true) {
    cells.push_back(read_cell(text, place));
    if (place >= text.size()) return true;
    ++place;  // the separator
  }
}

std::string CsvReader::read_cell(std::string& text, std::size_t& place) {
  if (place >= text.size() || text[place] != '"') {
    const std::size_t end = std::min(text.find(separator_, place), text.size());
    std::string cell = text.substr(place, end - place);
    place = end;
    return cell;
  }
  std::string cell;
  for (++place;;) {
    if (place >= text.size()) {
      std::string_view more;
      if (!lines_.next(more))
        throw InputError(lines_.name(), first_line_, "found a quote that never ends",
                         "a quote inside a quoted cell is written twice");
      cell += '\n';
      text = std::string(more);
      place = 0;
      if (cell.size() > LineReader::kLongestLine)
        throw InputError(lines_.name(), first_line_,
                         fmt::format("found a cell of over {} bytes, expected a shorter one",
                                     LineReader::kLongestLine),
                         "is a closing quote missing?");
      continue;
    }
    if (text[place] != '"') {
      cell += text[place++];
    } else if (place + 1 < text.size() && text[place + 1] == '"') {
      cell += '"';
      place += 2;
    } else {
      break;
    }
  }
  ++place;
  if (place < text.size() && text[place] != separator_)
    throw InputError(lines_.name(), lines_.line_number(),
                     fmt::format("found text after a closing quote, expected {}",
                                 separator_ == ',' ? "a comma" : "the separator"));
  return cell;
}

}  // namespace dalaup
