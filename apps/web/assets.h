#pragma once
// The built page, inside the program. Private to web.
#include <string_view>

namespace dalaup {

struct Asset {
  std::string_view path;  // such as /app.js
  std::string_view type;
  std::string_view content;
};
// nullptr when there is none; only these exact paths are ever served.
const Asset* find_asset(std::string_view path);

}  // namespace dalaup
