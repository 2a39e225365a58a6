#include "study/profiles.h"

#include <fmt/format.h>

namespace dalaup {
namespace {

// Cells of one row, which may span several lines when a quoted cell does.
class CsvReader {
 public:
  explicit CsvReader(const std::string& path) : lines_(path) {}

  bool next(std::vector<std::string>& cells) {
    cells.clear();
    std::string_view line;
    if (!lines_.next(line)) return false;
    first_line_ = lines_.line_number();
    std::string text(line);
    std::size_t place = 0;
    while (true) {
      cells.push_back(read_cell(text, place));
      if (place >= text.size()) return true;
      ++place;  // the comma
    }
  }
  std::size_t line_number() const { return first_line_; }

 private:
  std::string read_cell(std::string& text, std::size_t& place) {
    if (place >= text.size() || text[place] != '"') {
      const std::size_t end = std::min(text.find(',', place), text.size());
      std::string cell = text.substr(place, end - place);
      place = end;
      return cell;
    }
    std::string cell;
    for (++place;;) {
      if (place >= text.size()) {
        std::string_view more;
        if (!lines_.next(more))
          throw InputError(lines_.name(), first_line_, "found a quote that never ends");
        cell += '\n';
        text = std::string(more);
        place = 0;
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
    if (place < text.size() && text[place] != ',')
      throw InputError(lines_.name(), lines_.line_number(),
                       "found text after a closing quote, expected a comma");
    return cell;
  }

  LineReader lines_;
  std::size_t first_line_ = 0;
};

}  // namespace

Profiles read_profiles(const std::string& path, const Network& network, Run& run) {
  CsvReader reader(path);
  std::vector<std::string> cells;
  if (!reader.next(cells))
    throw InputError(path, 0, "found an empty file, expected a header line",
                     "the first column is the user's name, the others are shown with the user");
  Profiles profiles;
  profiles.columns.assign(cells.begin() + 1, cells.end());
  const std::size_t width = cells.size();
  std::uint64_t unknown = 0;
  while (reader.next(cells)) {
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != width)
      throw InputError(
          path, reader.line_number(),
          fmt::format("found {} columns, expected {} as in the header", cells.size(), width));
    const UserId user = network.find(cells[0]);
    if (user == kNoUser) {
      ++unknown;
      continue;
    }
    if (!profiles.rows.emplace(user, std::vector(cells.begin() + 1, cells.end())).second)
      throw InputError(path, reader.line_number(),
                       fmt::format("found user {} a second time", dalaup::quoted(cells[0])));
  }
  if (unknown > 0)
    run.warn(fmt::format("{}: {} users are not in the network and were left out", path, unknown));
  return profiles;
}

}  // namespace dalaup
