#pragma once
// Every method dalaup ships, by name. Adding one is one line in methods.cpp.
#include "aligner/aligner.h"

namespace dalaup {

// The most accurate one.
inline constexpr const char* kDefaultMethod = "propagation";

MethodRegistry all_methods();

}  // namespace dalaup
