#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ranking/ranking.h"

namespace dalaup {
namespace {

constexpr std::string_view kHeader = "a\trank\tb\tscore";

struct Row {
  UserId user;
  UserId candidate;
  std::uint64_t rank;
  float score;
  std::size_t line;
};

std::array<std::string_view, 4> columns_of(std::string_view line, const LineReader& reader) {
  std::array<std::string_view, 4> columns;
  const auto count = static_cast<std::size_t>(std::ranges::count(line, '\t')) + 1;
  if (count != columns.size())
    throw InputError(reader.name(), reader.line_number(),
                     fmt::format("found {} columns, expected 4 separated by tabs", count),
                     "a line of a ranked list holds a user, a rank, a candidate and a score");
  for (auto& column : columns) {
    const std::size_t end = line.find('\t');
    column = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return columns;
}

Row row_of(std::string_view line, const LineReader& reader, RankedFile& file) {
  const auto [user, rank_text, candidate, score_text] = columns_of(line, reader);
  const auto fail = [&](const std::string& message, const std::string& hint = {}) {
    throw InputError(reader.name(), reader.line_number(), message, hint);
  };
  if (user.empty() || candidate.empty()) fail("found an empty name, expected a user");
  const auto rank = parse_whole_number(rank_text);
  if (!rank || *rank == 0)
    fail(fmt::format("found rank {}, expected a whole number from 1", quoted(rank_text)));
  const auto score = parse_number(score_text);
  if (!score || !std::isfinite(static_cast<float>(*score)))
    fail(fmt::format("found score {}, expected a finite number", quoted(score_text)),
         "a program that writes nan or inf has no ranking to be judged");
  return {file.from.find_or_add(user), file.to.find_or_add(candidate), *rank,
          static_cast<float>(*score), reader.line_number()};
}

// Rows sorted by user and rank, into lists.
void gather(std::span<const Row> rows, const std::string& name, RankedFile& file) {
  file.lists.resize(file.from.size());
  for (UserId user = 0; user < file.from.size(); ++user) file.lists[user].user = user;
  std::vector<UserId> listed_for(file.to.size(), kNoUser);
  for (const Row& row : rows) {
    auto& candidates = file.lists[row.user].candidates;
    const auto fail = [&](const std::string& message) {
      throw InputError(name, row.line, message,
                       "ranks of a user count 1, 2, 3, ... by falling score");
    };
    if (row.rank <= candidates.size())
      fail(fmt::format("found rank {} of {} a second time", row.rank, quoted(file.from[row.user])));
    if (row.rank != candidates.size() + 1)
      fail(fmt::format("found rank {} of {}, expected rank {} first", row.rank,
                       quoted(file.from[row.user]), candidates.size() + 1));
    if (!candidates.empty() && row.score > candidates.back().score)
      fail(
          fmt::format("found score {} at rank {} of {}, expected at most the {} of the rank before",
                      row.score, row.rank, quoted(file.from[row.user]), candidates.back().score));
    if (std::exchange(listed_for[row.candidate], row.user) == row.user)
      fail(fmt::format("found candidate {} of {} a second time", quoted(file.to[row.candidate]),
                       quoted(file.from[row.user])));
    candidates.push_back({row.candidate, row.score});
  }
}

}  // namespace

void write_ranked(const std::string& path, const RankedLists& lists, const UserNames& from,
                  const UserNames& to) {
  AtomicFile file(path);
  file.write(kHeader);
  file.write("\n");
  fmt::memory_buffer text;
  for (const RankedList& list : lists) {
    text.clear();
    for (std::size_t i = 0; i < list.candidates.size(); ++i)
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\n", from[list.user], i + 1,
                     to[list.candidates[i].user], list.candidates[i].score);
    file.write({text.data(), text.size()});
  }
  file.commit();
}

RankedFile read_ranked(const std::string& path) {
  LineReader lines(path);
  return read_ranked(lines);
}

RankedFile read_ranked(LineReader& lines) {
  std::string_view line;
  const std::string expected = "expected the header \"a\\trank\\tb\\tscore\" (with tabs)";
  if (!lines.next(line)) throw InputError(lines.name(), 0, "found an empty file, " + expected);
  if (line != kHeader)
    throw InputError(lines.name(), 1, fmt::format("found {}, {}", quoted(line), expected));
  RankedFile file;
  std::vector<Row> rows;
  while (lines.next(line))
    if (!line.empty() && line.front() != '#') rows.push_back(row_of(line, lines, file));
  std::ranges::stable_sort(rows, [](const Row& left, const Row& right) {
    return left.user != right.user ? left.user < right.user : left.rank < right.rank;
  });
  gather(rows, lines.name(), file);
  return file;
}

}  // namespace dalaup
