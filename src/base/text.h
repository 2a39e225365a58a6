#pragma once
// Small things about words: the closest known word, UTF-8, numbers that must be whole.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dalaup {

// The known word nearest to `word` by edit distance, when near enough to be a misspelling.
std::optional<std::string> closest_word(std::string_view word, std::span<const std::string> known);

// "did you mean "entropy"?" or nothing: ready to be used as a hint.
std::string suggestion(std::string_view word, std::span<const std::string> known);

// Edit distance with transpositions, cut off at `limit` (returns limit + 1 beyond it).
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit);

bool is_utf8(std::string_view bytes);

// The whole of `text` as a number, or nothing; no locale, no leading blanks, no trailing letters.
std::optional<double> parse_number(std::string_view text);
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

// At most `limit` bytes of untrusted text for an error message: control bytes shown as \xNN.
std::string quoted(std::string_view text, std::size_t limit = 60);

// 12345678 -> "12,345,678".
std::string grouped(std::uint64_t number);
// "1 user", "12,345 users"; `many` where an s at the end does not make the plural.
std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});
// For what else depends on a number: by_number(n, "is", "are").
constexpr std::string_view by_number(std::uint64_t number, std::string_view one,
                                     std::string_view many) {
  return number == 1 ? one : many;
}
// "a, b, c", or beyond `most` words "a, b, c and 42 more".
std::string shortened_list(std::span<const std::string> words, std::size_t most = 12);

std::string lower_case(std::string_view text);    // of A to Z; other letters stay
std::string_view trimmed(std::string_view text);  // without blanks and tabs around it
std::string csv_cell(std::string_view text);      // in quotes where it must be (RFC 4180)

}  // namespace dalaup
