#include "cli/terminal_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/terminal_text.h"

namespace dalaup {
namespace {

constexpr double kSimilarWord = 0.7;  // letters in common, in order, as a share of both words
constexpr double kSimilarText = 0.5;  // letters in equal or similar words, as a share of both texts
constexpr std::size_t kLongestCompared = 400;
constexpr std::size_t kLinesOfAValue = 3;
constexpr std::size_t kWidestLabel = 16;

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}
// The first `count` letters.
std::string_view first_letters(std::string_view text, std::size_t count) {
  std::size_t place = 0;
  for (std::size_t seen = 0; place < text.size(); ++place)
    if (begins_letter(text[place]) && seen++ == count) break;
  return text.substr(0, place);
}
std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, width_of(text)), ' ');
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_letter = std::isalnum(byte) != 0 || byte >= 0x80;
    if (is_letter)
      words.back() += static_cast<char>(std::tolower(byte));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

double word_likeness(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const char letter : a) {
    std::size_t diagonal = 0;
    for (std::size_t place = 0; place < b.size(); ++place) {
      const std::size_t above = row[place + 1];
      row[place + 1] = letter == b[place] ? diagonal + 1 : std::max(above, row[place]);
      diagonal = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
}

struct Address {
  std::string site;
  std::string name;  // what is after the site
};
std::optional<Address> address_in(std::string_view text) {
  std::string plain;
  for (const char letter : text)
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  while (!plain.empty() && (plain.back() == '/' || plain.back() == ' ')) plain.pop_back();
  const bool is_secure = plain.starts_with("https://");
  if (!is_secure && !plain.starts_with("http://")) return std::nullopt;
  if (plain.find(' ') != plain.npos) return std::nullopt;
  plain.erase(0, is_secure ? 8 : 7);
  if (plain.starts_with("www.")) plain.erase(0, 4);
  const std::size_t slash = std::min(plain.find('/'), plain.size());
  return Address{plain.substr(0, slash), plain.substr(std::min(slash + 1, plain.size()))};
}

struct Field {
  std::string label;
  std::string a;
  std::string b;
};

std::string column_key(const std::string& column) {
  std::string key;
  for (const std::string& word : words_of(column)) key += word;
  return key;
}

const std::vector<std::string>* profile_of(const Study& study, Side side, UserId user) {
  const auto& rows = study.profiles(side).rows;
  const auto row = rows.find(user);
  return row == rows.end() ? nullptr : &row->second;
}

// Fields of the same name in one row, or as --compare puts them together; those that both have
// first.
std::vector<Field> fields_of(const Study& study, UserPair pair) {
  std::vector<Field> fields;
  const auto compared = compared_columns(study.settings());
  const auto belong_together = [&](const std::string& in_a, const std::string& in_b) {
    const auto found =
        std::ranges::find(compared, in_a, &std::pair<std::string, std::string>::first);
    return found == compared.end() ? column_key(in_a) == column_key(in_b) : found->second == in_b;
  };
  const auto* const a = profile_of(study, Side::kA, pair.a);
  const auto* const b = profile_of(study, Side::kB, pair.b);
  const auto& columns_a = study.profiles(Side::kA).columns;
  const auto& columns_b = study.profiles(Side::kB).columns;
  std::vector<bool> is_taken(columns_b.size(), false);
  for (std::size_t place = 0; a != nullptr && place < columns_a.size(); ++place) {
    Field field{columns_a[place], (*a)[place], {}};
    for (std::size_t other = 0; b != nullptr && other < columns_b.size(); ++other)
      if (!is_taken[other] && belong_together(field.label, columns_b[other])) {
        is_taken[other] = true;
        field.b = (*b)[other];
        break;
      }
    fields.push_back(std::move(field));
  }
  for (std::size_t place = 0; b != nullptr && place < columns_b.size(); ++place)
    if (!is_taken[place]) fields.push_back({columns_b[place], {}, (*b)[place]});
  std::erase_if(fields, [](const Field& field) { return field.a.empty() && field.b.empty(); });
  std::ranges::stable_partition(
      fields, [](const Field& field) { return !field.a.empty() && !field.b.empty(); });
  return fields;
}

char sign_of(Likeness likeness) {
  return likeness == Likeness::kEqual ? '=' : likeness == Likeness::kSimilar ? '~' : '#';
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines(1);
  std::size_t place = 0;
  while (place < text.size()) {
    if (text[place] == ' ' || text[place] == '\n') {
      ++place;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", place), text.size());
    std::string_view word = text.substr(place, end - place);
    place = end;
    const bool is_first = lines.back().empty();
    if (!is_first && width_of(lines.back()) + 1 + width_of(word) <= width) {
      lines.back() += ' ';
      lines.back() += word;
      continue;
    }
    if (!is_first) lines.emplace_back();
    for (; width_of(word) > width; lines.emplace_back()) {  // longer than a line
      lines.back() = first_letters(word, width);
      word.remove_prefix(lines.back().size());
    }
    lines.back() = word;
  }
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = std::string(first_letters(lines.back(), width > 3 ? width - 3 : 0)) + "...";
  }
  return lines;
}

Likeness likeness_of(std::string_view a, std::string_view b) {
  const auto left = words_of(a.substr(0, kLongestCompared));
  const auto right = words_of(b.substr(0, kLongestCompared));
  auto sorted_left = left;
  auto sorted_right = right;
  std::ranges::sort(sorted_left);
  std::ranges::sort(sorted_right);
  if (sorted_left == sorted_right)
    return left.empty() && a != b ? Likeness::kDifferent : Likeness::kEqual;
  const auto address_a = address_in(a);
  const auto address_b = address_in(b);
  if (address_a && address_b) {  // alike by what they name, not by the site they share
    if (address_a->site == address_b->site && address_a->name == address_b->name)
      return Likeness::kEqual;
    const bool is_named = !address_a->name.empty() && !address_b->name.empty();
    return is_named && word_likeness(address_a->name, address_b->name) >= kSimilarWord
               ? Likeness::kSimilar
               : Likeness::kDifferent;
  }
  const auto number_a = parse_number(a);
  const auto number_b = parse_number(b);
  if (number_a && number_b) {
    const auto is_year = [](double value) {
      return value == std::floor(value) && value >= 1900.0 && value <= 2100.0;
    };
    const double apart = std::abs(*number_a - *number_b);
    const double near = is_year(*number_a) && is_year(*number_b)
                            ? 1.0
                            : 0.1 * std::max(std::abs(*number_a), std::abs(*number_b));
    return apart <= near ? Likeness::kSimilar : Likeness::kDifferent;
  }
  double common = 0.0;
  double all = 0.0;
  for (const auto* const side : {&left, &right})
    for (const std::string& word : *side) {
      const auto& others = side == &left ? right : left;
      all += static_cast<double>(word.size());
      if (std::ranges::any_of(others, [&](const std::string& other) {
            return word_likeness(word, other) >= kSimilarWord;
          }))
        common += static_cast<double>(word.size());
    }
  return all > 0.0 && common / all >= kSimilarText ? Likeness::kSimilar : Likeness::kDifferent;
}

std::vector<std::string> card_lines(const Study& study, UserPair pair, const PageParams& page,
                                    std::size_t width) {
  const NetworkPair& networks = study.networks();
  std::vector<Field> fields{
      {"name", std::string(networks.a.name(pair.a)), std::string(networks.b.name(pair.b))}};
  for (Field& field : fields_of(study, pair)) fields.push_back(std::move(field));
  std::size_t label_width = 8;  // "contacts"
  for (const Field& field : fields)
    label_width = std::max(label_width, std::min(kWidestLabel, width_of(printable(field.label))));
  const std::size_t value_width = (std::max<std::size_t>(width, 40) - label_width - 6) / 2;
  std::vector<std::string> lines;
  const auto add = [&](const std::string& label, const std::string& a, char sign,
                       const std::string& b) {
    lines.push_back(
        fmt::format("{}  {} {}  {}", padded(label, label_width), padded(a, value_width), sign, b));
  };
  const auto title = [&](const std::string& name, const char* otherwise) {
    return wrapped(name.empty() ? otherwise : printable(name), value_width, 1)[0];
  };
  add("", title(page.name_a, "Network A"), ' ', title(page.name_b, "Network B"));
  for (const Field& field : fields) {
    const auto left =
        wrapped(printable(field.a.empty() ? "-" : field.a, "\n"), value_width, kLinesOfAValue);
    const auto right =
        wrapped(printable(field.b.empty() ? "-" : field.b, "\n"), value_width, kLinesOfAValue);
    const bool has_both = !field.a.empty() && !field.b.empty();
    for (std::size_t line = 0; line < std::max(left.size(), right.size()); ++line)
      add(line == 0 ? wrapped(printable(field.label), label_width, 1)[0] : "",
          line < left.size() ? left[line] : "",
          line == 0 && has_both ? sign_of(likeness_of(field.a, field.b)) : ' ',
          line < right.size() ? right[line] : "");
    if (&field == &fields.front())
      add("contacts", std::to_string(networks.a.degree(pair.a)), ' ',
          std::to_string(networks.b.degree(pair.b)));
  }
  return lines;
}

std::string likeness_in_short(const Study& study, UserPair pair) {
  std::string equal;
  std::string similar;
  for (const Field& field : fields_of(study, pair)) {
    if (field.a.empty() || field.b.empty()) continue;
    const Likeness likeness = likeness_of(field.a, field.b);
    if (likeness == Likeness::kDifferent) continue;
    std::string& list = likeness == Likeness::kEqual ? equal : similar;
    list += (list.empty() ? "" : ", ") + printable(field.label);
  }
  return fmt::format("{}{}{}", equal.empty() ? "" : "= " + equal,
                     equal.empty() || similar.empty() ? "" : "  ",
                     similar.empty() ? "" : "~ " + similar);
}

std::vector<std::string> user_lines(const Study& study, Side side, UserId user, std::size_t width) {
  constexpr std::size_t kMostLines = 6;
  constexpr std::size_t kMostOfAValue = 120;  // a long one must not hide those after it
  const auto* const profile = profile_of(study, side, user);
  if (profile == nullptr) return {};
  const auto& columns = study.profiles(side).columns;
  std::string all;
  for (std::size_t place = 0; place < columns.size(); ++place)
    if (!(*profile)[place].empty())
      all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", printable(columns[place]),
                         wrapped(printable((*profile)[place], "\n"), kMostOfAValue, 1)[0]);
  return wrapped(all, width, kMostLines);
}

}  // namespace dalaup
