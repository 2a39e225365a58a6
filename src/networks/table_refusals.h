#pragma once
// Tables that would be read as something nobody meant: each is refused with what settles it, or
// what to do first. All throw InputError or return. Private to networks.
#include <string>
#include <string_view>
#include <vector>

#include "networks/table_sample.h"

namespace dalaup {

// No known delimiter is in any row, another one is in all of them.
void refuse_other_delimiter(const TableRows& rows, TableKind kind, const std::string& name);
// "ann -> bob", "ann = bob": the same sign stands between the names of every line.
void refuse_signs_between(const std::vector<std::string_view>& lines, TableKind kind,
                          const std::string& name);
// A square of numbers, perhaps with names above and in front.
void refuse_adjacency_matrix(const TableRows& rows, bool is_whole, const std::string& name);
// Titles and dates above the header, as spreadsheets have them: rows with fewer cells filled.
// `lines` are views into `beginning`.
void refuse_title_lines(const TableRows& rows, const std::vector<std::string_view>& lines,
                        std::string_view beginning, TableKind kind, const std::string& name);
// More columns than two names and a number, in every row.
[[noreturn]] void refuse_other_columns(const TableForm& form, TableKind kind,
                                       const std::string& name);
// "(0, 1)", as Python prints pairs.
void refuse_parentheses(const TableRows& rows, TableKind kind, const std::string& name);
// A header "Id,Label": users and what they are called.
void refuse_lists_of_users(const TableForm& form, const std::string& name);
// "0,17,4", "1,17,9", ...: the number of the row in front, as programs export tables.
void refuse_counted_rows(const TableRows& rows, const TableForm& form, const std::string& name);

}  // namespace dalaup
