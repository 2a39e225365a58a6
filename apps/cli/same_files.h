#pragma once
// Every rank reads the inputs itself: they must be the same on all machines.
#include <string>
#include <vector>

#include "base/base.h"

namespace dalaup {

// Throws InputError when a file differs between the ranks of the run, or is no file that several
// can read. Empty names stand for options that were not given. Does nothing for one rank.
void require_same_files(const std::vector<std::string>& paths, const Run& run);

}  // namespace dalaup
