#include "cli/terminal_text.h"

#include <fmt/format.h>

#include "base/base.h"

namespace dalaup {

std::string printable(std::string_view text, std::string_view kept) {
  const bool readable = is_utf8(text);
  std::string shown;
  for (std::size_t place = 0; place < text.size(); ++place) {
    auto byte = static_cast<unsigned char>(text[place]);
    const bool is_control = (byte < 0x20 || byte == 0x7f) && kept.find(text[place]) == kept.npos;
    // U+0080 to U+009F, of which U+009B begins commands as ESC [ does.
    const bool is_late_control =
        readable && byte == 0xc2 && static_cast<unsigned char>(text[place + 1]) < 0xa0;
    if (is_late_control) byte = static_cast<unsigned char>(text[++place]);
    if (is_control || is_late_control || (byte >= 0x80 && !readable))
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += text[place];
  }
  return shown;
}

}  // namespace dalaup
