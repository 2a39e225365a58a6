#pragma once
// Settings from a TOML file: top-level keys, those of the table named like the command, and those
// of other tables under their names.
#include <string>
#include <utility>
#include <vector>

namespace dalaup {

// A setting as an option spells it: "walk-steps" for walk_steps.
std::string dashed(std::string name);

// Option names (dashes, without --; TABLE.NAME in other tables) and their values as text, in the
// order of the file.
// Throws InputError with file and line.
std::vector<std::pair<std::string, std::string>> read_config(const std::string& path,
                                                             const std::string& command);

}  // namespace dalaup
