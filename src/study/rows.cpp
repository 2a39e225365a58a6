#include "study/rows.h"

#include <fmt/format.h>

#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kShown = 40;  // bytes of a wrong value in a message

[[noreturn]] void fail(const SQLite::Column& cell, const char* what, const std::string& expected) {
  std::string found = cell.isNull() ? "nothing" : cell.isBlob() ? "bytes" : cell.getString();
  if (found.size() > kShown) found = found.substr(0, kShown) + "…";
  throw StudyDamage(fmt::format("{}: found {}, expected {}", what, found, expected));
}

}  // namespace

std::int64_t whole_in(SQLite::Statement& row, int column, const char* what, std::int64_t least,
                      std::int64_t most) {
  const SQLite::Column cell = row.getColumn(column);
  const bool fits = cell.isInteger() && cell.getInt64() >= least && cell.getInt64() <= most;
  if (!fits) fail(cell, what, fmt::format("a whole number from {} to {}", least, most));
  return cell.getInt64();
}

UserId user_in(SQLite::Statement& row, int column, const char* what, UserId users) {
  return static_cast<UserId>(whole_in(row, column, what, 0, std::int64_t{users} - 1));
}

bool flag_in(SQLite::Statement& row, int column, const char* what) {
  return whole_in(row, column, what, 0, 1) == 1;
}

double number_in(SQLite::Statement& row, int column, const char* what) {
  const SQLite::Column cell = row.getColumn(column);
  const bool fits = (cell.isFloat() || cell.isInteger()) && std::isfinite(cell.getDouble());
  if (!fits) fail(cell, what, "a number");
  return cell.getDouble();
}

std::optional<double> number_or_nothing_in(SQLite::Statement& row, int column, const char* what) {
  if (row.getColumn(column).isNull()) return std::nullopt;
  return number_in(row, column, what);
}

std::string text_in(SQLite::Statement& row, int column, const char* what) {
  const SQLite::Column cell = row.getColumn(column);
  if (!cell.isText()) fail(cell, what, "a text");
  return cell.getString();
}

void insert_row(SQLite::Statement& insert) {
  if (insert.exec() != 1) throw StudyDamage("found a row that was not stored, expected each to be");
  insert.reset();
}

}  // namespace dalaup
