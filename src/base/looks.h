#pragma once
// Names as people see them.
#include <cstdint>
#include <string>
#include <string_view>

namespace dalaup {

// One letter; empty for numbers that are none.
std::string utf8_of(std::uint32_t code);
// What two names have in common that people cannot tell apart: letters with marks of Latin script
// are written in two (Unicode's form D), no-break spaces are blanks, and characters without width
// are left out. `text` is UTF-8.
std::string look_of(std::string_view text);

}  // namespace dalaup
