#pragma once
// Every method dalaup ships, by name. Adding one is one line in methods.cpp.
#include "aligner/aligner.h"

namespace dalaup {

MethodRegistry all_methods();

}  // namespace dalaup
