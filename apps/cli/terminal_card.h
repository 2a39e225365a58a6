#pragma once
// The comparison card of the page, for a terminal: fields of both users in the same rows, wrapped,
// with = for equal, ~ for similar and # for different ones.
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"
#include "web/web.h"

namespace dalaup {

// Lines of at most `width` characters, broken between words; after `most` lines the text ends in
// three dots.
std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 std::size_t most = static_cast<std::size_t>(-1));

enum class Likeness : std::uint8_t { kEqual, kSimilar, kDifferent };
// Case makes no difference, and numbers that are near each other are similar.
Likeness likeness_of(std::string_view a, std::string_view b);

std::vector<std::string> card_lines(const Study& study, UserPair pair, const PageParams& page,
                                    std::size_t width);
// Which fields of the two are equal or similar: "= city  ~ name"; empty when none is.
std::string likeness_in_short(const Study& study, UserPair pair);
// What is known of one user, on as few lines as it takes.
std::vector<std::string> user_lines(const Study& study, Side side, UserId user, std::size_t width);

}  // namespace dalaup
