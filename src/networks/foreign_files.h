#pragma once
// Files that cannot be what they are given as, told by their first bytes. Private to networks.
#include <string>
#include <string_view>

namespace dalaup {

// Throws InputError when the beginning can only belong to an archive, a spreadsheet, a web page, a
// program's own format or the like; `expected` says what was wanted: "a network", "a table".
void refuse_foreign(std::string_view beginning, const std::string& name, const char* expected);

// Forms of networks that are text and not read: Graphviz, DIMACS, LEDA, UCINET, multi-line
// adjacency lists and so on. Their lines would pass for edges.
void refuse_other_forms(std::string_view beginning, const std::string& name);

}  // namespace dalaup
