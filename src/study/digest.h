#pragma once
// SHA-256 (FIPS 180-4). Private to study.
#include <string>
#include <string_view>

namespace dalaup {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace dalaup
