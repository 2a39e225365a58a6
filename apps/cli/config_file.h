#pragma once
// Settings from a TOML file: top-level keys, and those of the table named like the command.
#include <string>
#include <utility>
#include <vector>

namespace dalaup {

// Option names (dashes, without --) and their values as text, in the order of the file.
// Throws InputError with file and line.
std::vector<std::pair<std::string, std::string>> read_config(const std::string& path,
                                                             const std::string& command);

}  // namespace dalaup
