#include "attributes/tokens.h"

#include <array>
#include <chrono>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::uint64_t kMixer = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * kMixer;
  return hash ^ (hash >> 29U);
}

// The text is valid UTF-8: readers refuse anything else.
char32_t next_code_point(std::string_view text, std::size_t& place) {
  const auto first = static_cast<unsigned char>(text[place++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t code = first & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more && place < text.size(); ++i)
    code = (code << 6U) | (static_cast<unsigned char>(text[place++]) & 0x3FU);
  return code;
}

// U+00C0 .. U+017F without accents; a blank where there is no letter.
constexpr std::string_view kLatinBase =
    "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
static_assert(kLatinBase.size() == 0x180 - 0xC0);

char32_t lower(char32_t code) {
  if (code < 0x80) {
    if (code >= 'A' && code <= 'Z') return code + 32;
    const bool is_letter = (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9');
    return is_letter ? code : U' ';
  }
  if (code < 0xC0) return U' ';
  if (code < 0x180) return static_cast<unsigned char>(kLatinBase[code - 0xC0]);
  if (code >= 0x391 && code <= 0x3A9) return code + 32;  // Greek
  if (code >= 0x410 && code <= 0x42F) return code + 32;  // Cyrillic
  if (code >= 0x400 && code <= 0x40F) return code + 80;
  if (code >= 0x2000 && code <= 0x206F) return U' ';  // punctuation
  if (code >= 0x3000 && code <= 0x3002) return U' ';
  return code;
}

bool stands_alone(char32_t code) { return code >= 0x2E80 && code < 0xFB00; }  // one word a sign

void append_grams(std::u32string_view text, std::vector<std::uint64_t>& tokens) {
  for (std::size_t length = 2; length <= 4; ++length)
    for (std::size_t begin = 0; begin + length <= text.size(); ++begin) {
      std::uint64_t hash = length;
      for (const char32_t code : text.substr(begin, length)) hash = mixed(hash, code);
      tokens.push_back(hash);
    }
}

void append_words(std::u32string_view text, std::vector<std::uint64_t>& tokens) {
  std::uint64_t hash = 0;
  bool is_word = false;
  const auto finish = [&] {
    if (is_word) tokens.push_back(hash);
    hash = 0;
    is_word = false;
  };
  for (const char32_t code : text) {
    if (code == U' ' || stands_alone(code)) finish();
    if (code == U' ') continue;
    hash = mixed(hash, code);
    is_word = true;
    if (stands_alone(code)) finish();
  }
  finish();
}

std::uint64_t hash_of(std::u32string_view text) {
  std::uint64_t hash = text.size();
  for (const char32_t code : text) hash = mixed(hash, code);
  return hash;
}

void append_items(std::string_view value, std::vector<std::uint64_t>& tokens) {
  const bool has_strong = value.find_first_of(";|") != std::string_view::npos;
  const std::string_view separators = has_strong ? ";|" : ",";
  while (true) {
    const std::size_t end = value.find_first_of(separators);
    const std::u32string item = folded(value.substr(0, end));
    if (!item.empty()) tokens.push_back(hash_of(item));
    if (end == std::string_view::npos) return;
    value.remove_prefix(end + 1);
  }
}

}  // namespace

std::u32string folded(std::string_view text) {
  std::u32string letters;
  for (std::size_t place = 0; place < text.size();) {
    const char32_t code = lower(next_code_point(text, place));
    if (code == U' ' && (letters.empty() || letters.back() == U' ')) continue;
    letters += code;
  }
  if (!letters.empty() && letters.back() == U' ') letters.pop_back();
  return letters;
}

void append_tokens(std::string_view value, FieldKind kind, std::vector<std::uint64_t>& tokens) {
  if (kind == FieldKind::kSet) return append_items(value, tokens);
  const std::u32string text = folded(value);
  if (kind == FieldKind::kText)
    append_words(text, tokens);
  else if (!text.empty())
    append_grams(U' ' + text + U' ', tokens);
}

std::optional<double> parse_date(std::string_view text) {
  std::array<int, 3> parts{1, 1, 1};
  std::size_t count = 0;
  std::size_t place = 0;
  std::size_t first_digits = 0;
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  while (count < 3 && place < text.size() && is_digit(text[place])) {
    int number = 0;
    std::size_t digits = 0;
    for (; place < text.size() && is_digit(text[place]) && digits < 5; ++place, ++digits)
      number = 10 * number + (text[place] - '0');
    if (count == 0) first_digits = digits;
    parts[count++] = number;
    if (count == 3 || place >= text.size()) break;
    if (text[place] != '-' && text[place] != '/' && text[place] != '.') return std::nullopt;
    ++place;
  }
  if (count < 2) return std::nullopt;
  if (place < text.size() && (count < 3 || (text[place] != 'T' && text[place] != ' ')))
    return std::nullopt;
  const bool year_first = first_digits == 4;
  if (!year_first && count < 3) return std::nullopt;
  const int year = year_first ? parts[0] : parts[2];
  const int month = parts[1];
  const int day = year_first ? parts[2] : parts[0];
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 1000 || !date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<double> parse_value(std::string_view text, FieldKind kind) {
  if (kind == FieldKind::kDate) return parse_date(text);
  const auto number = parse_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace dalaup
