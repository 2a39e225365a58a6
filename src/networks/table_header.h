#pragma once
// Whether a table begins with a header, and what its names say. Private to networks.
#include <optional>
#include <string>
#include <vector>

#include "networks/table_sample.h"

namespace dalaup {

// "0" or "1" for what else programs write there: false, True, no, YES, 0.0, 1.0; nothing for
// others.
std::optional<std::string> label_cell(const std::string& cell);
// Could the cell stand in the third column: a number, for labels 0 or 1?
bool is_third_cell(const std::string& cell, TableKind kind);

enum class HeaderGuess : std::uint8_t { kNo, kYes, kUnsure };
HeaderGuess guess_header(const TableRows& rows, TableKind kind);

// Places of the columns by the names of the header; nothing where they are not known and the order
// cannot stand for them.
struct ColumnPlaces {
  int first = 0;
  int second = 1;
  int third = TableForm::kNoColumn;
};
std::optional<ColumnPlaces> places_by_name(const std::vector<std::string>& header, TableKind kind);

// Both ends of an edge or pair have one of the names they are known by: "source,target", "a,b".
bool names_both_ends(const std::vector<std::string>& header);
// The same with words that nobody would take for users: "source,target", not "a,b".
bool is_clear_header(const std::vector<std::string>& cells);
// "id,label", "user,name": a user and what is known of it.
bool is_list_of_users(const std::vector<std::string>& header);

}  // namespace dalaup
