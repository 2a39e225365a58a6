#pragma once
// What tells a model's file from others. Private to the module.
#include <cstdint>
#include <string_view>

namespace dalaup {

inline constexpr std::string_view kModelKind = "model";
inline constexpr std::uint32_t kModelVersion = 1;

}  // namespace dalaup
