#include "study/records.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ctime>

namespace dalaup {
namespace {

constexpr std::array<std::string_view, 5> kReplies{"yes", "no", "unsure", "skip", "no-partner"};
constexpr std::array<std::string_view, 4> kEntryKinds{"answer", "undo", "import", "resolve"};

template <class Enum, std::size_t count>
std::optional<Enum> find_name(const std::array<std::string_view, count>& names,
                              std::string_view name) {
  for (std::size_t place = 0; place < count; ++place)
    if (names[place] == name) return static_cast<Enum>(place);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Reply reply) { return kReplies[static_cast<std::size_t>(reply)]; }
std::optional<Reply> reply_named(std::string_view name) { return find_name<Reply>(kReplies, name); }

std::string_view name_of(EntryKind kind) { return kEntryKinds[static_cast<std::size_t>(kind)]; }
std::optional<EntryKind> entry_kind_named(std::string_view name) {
  return find_name<EntryKind>(kEntryKinds, name);
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     milliseconds % 1000);
}

}  // namespace dalaup
