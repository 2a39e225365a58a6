#include "base/errors.h"

#include <fmt/format.h>

namespace dalaup {
namespace {

std::string located(const std::string& path, std::size_t line, const std::string& message) {
  return line == 0 ? fmt::format("{}: {}", path, message)
                   : fmt::format("{}:{}: {}", path, line, message);
}

}  // namespace

InputError::InputError(const std::string& path, std::size_t line, const std::string& message,
                       std::string hint)
    : Error(located(path, line, message), std::move(hint)) {}

}  // namespace dalaup
