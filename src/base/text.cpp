#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace dalaup {

std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit) {
  const std::size_t difference =
      left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> two_up(right.size() + 1);
  std::vector<std::size_t> up(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) up[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (left[i - 1] != right[j - 1])});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], two_up[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(two_up, up);
    std::swap(up, row);
  }
  return std::min(up[right.size()], limit + 1);
}

std::optional<std::string> closest_word(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  for (const auto& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate, limit);
    if (distance > limit) continue;
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const auto closest = closest_word(word, known);
  return closest ? fmt::format("did you mean \"{}\"?", *closest) : std::string();
}

bool is_utf8(std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  while (at < end) {
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      if ((word & 0x8080808080808080ULL) != 0) break;
      at += 8;
    }
    if (at == end) return true;
    const unsigned char lead = *at;
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || end - at < length) return false;
    for (int i = 1; i < length; ++i)
      if ((at[i] & 0xc0) != 0x80) return false;
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
      return false;
    at += length;
  }
  return true;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

// How many bytes of a character that does something other than to be shown begin at `place` of
// UTF-8 text: controls from U+0080 on, of which U+009B begins commands as ESC [ does, line and
// paragraph separators, and marks that turn the direction of what follows. 0: another character.
std::size_t late_control(std::string_view text, std::size_t place) {
  const auto byte = [&](std::size_t after) {
    return place + after < text.size() ? static_cast<unsigned char>(text[place + after]) : 0U;
  };
  if (byte(0) == 0xc2) return byte(1) < 0xa0 ? 2 : 0;
  if (byte(0) != 0xe2) return 0;
  const bool turns = (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||  // U+2028 to 202E
                     (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);    // U+2066 to 2069
  return turns ? 3 : 0;
}

void append_printable(std::string& shown, std::string_view text) {
  const bool readable = is_utf8(text);
  for (std::size_t place = 0; place < text.size(); ++place) {
    const auto byte = static_cast<unsigned char>(text[place]);
    const std::size_t late = readable ? late_control(text, place) : 0;
    const bool is_control = byte < 0x20 || byte == 0x7f;
    if (late == 0 && !is_control && (byte < 0x80 || readable)) {
      shown += text[place];
      continue;
    }
    if (late == 2) ++place;  // U+009B as \x9b
    const std::size_t end = late == 3 ? place + 3 : place + 1;
    for (; place < end; ++place)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[place]));
    --place;
  }
}

}  // namespace

std::string quoted(std::string_view text, std::size_t limit) {
  std::string shown = "\"";
  std::size_t end = std::min(text.size(), limit);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;  // do not cut a letter in two
  append_printable(shown, text.substr(0, end));
  shown += end < text.size() ? "...\"" : "\"";
  return shown;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + "\"";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped(number), one)
                      : fmt::format("{} {}", grouped(number), many);
}

std::string shortened_list(std::span<const std::string> words, std::size_t most) {
  // Leaving out a single one would save nothing.
  if (words.size() <= most + 1) return fmt::format("{}", fmt::join(words, ", "));
  return fmt::format("{} and {} more", fmt::join(words.first(most), ", "),
                     grouped(words.size() - most));
}

}  // namespace dalaup
