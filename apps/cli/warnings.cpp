#include "cli/warnings.h"

#include <fmt/format.h>

#include "base/base.h"

namespace dalaup {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_numbers(const std::string& message) {
  std::string kind;
  for (const char c : message)
    if (!is_digit(c))
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  return kind;
}

}  // namespace

void WarningPrinter::add(const std::string& message) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = kinds_.try_emplace(without_numbers(message));
  if (is_new) {
    print_(fmt::format("warning: {}", message));
    return;
  }
  ++place->second.further;
  place->second.last = message;
}

void WarningPrinter::finish() {
  for (const auto& [kind, seen] : kinds_)
    if (seen.further > 0)
      print_(fmt::format("warning: said {}, last as: {}", counted(seen.further, "more time"),
                         seen.last));
  kinds_.clear();
}

}  // namespace dalaup
