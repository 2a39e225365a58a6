#include "cli/terminal_text.h"

#include <algorithm>

#include "base/base.h"

namespace dalaup {

std::string printable(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kept), text.size());
    const std::string piece = quoted(text.substr(0, end), text.size());
    shown += std::string_view(piece).substr(1, piece.size() - 2);
    if (end < text.size()) shown += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

}  // namespace dalaup
