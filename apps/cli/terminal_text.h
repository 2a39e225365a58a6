#pragma once
// Text of others on a terminal. Private to cli.
#include <string>
#include <string_view>

namespace dalaup {

// Control characters, which could rewrite the screen or rename the window, marks that turn the
// direction of text, and bytes that are not UTF-8 are shown as \xNN; those in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = {});

}  // namespace dalaup
