#pragma once
// How a study file is opened.
#include <cstdint>

namespace dalaup {

enum class Access : std::uint8_t {
  kCreate,  // the file must not exist
  kLabel,   // reads and writes; one process at a time
  kRead,    // only reads; works while another process labels
};

}  // namespace dalaup
