#pragma once
// Cells of a study's tables, read without trust: a study may come from a stranger. Private to
// study.
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "networks/networks.h"

namespace dalaup {

// What a study holds cannot be right. StudyDatabase makes an InputError with the file's name of it.
class StudyDamage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::int64_t kMostRows = std::numeric_limits<std::int64_t>::max();

// Each throws StudyDamage, naming `what` and what was found, for another type or a value out of
// range; both ends belong to the range.
std::int64_t whole_in(SQLite::Statement& row, int column, const char* what, std::int64_t least,
                      std::int64_t most);
UserId user_in(SQLite::Statement& row, int column, const char* what, UserId users);
bool flag_in(SQLite::Statement& row, int column, const char* what);
double number_in(SQLite::Statement& row, int column, const char* what);
std::optional<double> number_or_nothing_in(SQLite::Statement& row, int column, const char* what);
std::string text_in(SQLite::Statement& row, int column, const char* what);

// Runs an INSERT of one row and makes the statement ready for the next. Throws StudyDamage when the
// row did not get in, as a foreign trigger could bring about.
void insert_row(SQLite::Statement& insert);

inline int number_of(Side side) { return side == Side::kA ? 0 : 1; }

}  // namespace dalaup
