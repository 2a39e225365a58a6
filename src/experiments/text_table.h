#pragma once
// Tables for the terminal. Private to experiments.
#include <string>
#include <vector>

namespace dalaup {

// Rows as lines of aligned columns: the first column to the left, the others to the right.
// Characters are counted, not bytes. Rows may be shorter than the first.
std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& rows);

}  // namespace dalaup
