#pragma once
// What values are made of: n-grams, words, items, numbers and days.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attributes/attributes.h"

namespace dalaup {

// Code points in lower case, Latin letters without accents; blanks and punctuation are one blank.
std::u32string folded(std::string_view text);

// Hashes of the value's tokens, those that come twice twice. For kName, kText and kSet.
void append_tokens(std::string_view value, FieldKind kind, std::vector<std::uint64_t>& tokens);

// Days since 1970 of "2024-05-17", "2024/5/17", "17.5.2024", "2024-05" or "2024-05-17T08:15:00Z".
std::optional<double> parse_date(std::string_view text);
// A number or, for kDate, a day.
std::optional<double> parse_value(std::string_view text, FieldKind kind);

}  // namespace dalaup
