#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "networks/readers.h"

// Matrix Market, coordinate form: a banner, % comments, "rows columns entries", then one entry a
// line.
namespace dalaup {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

class MatrixMarketReader {
 public:
  MatrixMarketReader(LineReader& lines, const ReadOptions& options)
      : lines_(lines), options_(options) {}

  Network read(ReadNotes& notes) {
    read_banner();
    read_sizes();
    while (next_words()) read_entry();
    if (found_ < entries_)
      throw InputError(lines_.name(), lines_.line_number(),
                       fmt::format("found {}, expected {} as the size line says",
                                   counted(found_, "entry", "entries"), grouped(entries_)),
                       "is the file whole?");
    // Every number up to the size is a user, with or without entries.
    return builder_.build(options_.directed, &notes.dropped);
  }

 private:
  [[noreturn]] void fail(const std::string& message, std::string hint = {}) {
    throw InputError(lines_.name(), lines_.line_number(), message, std::move(hint));
  }

  bool next_words() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with('%')) continue;
      words_ = words_of(line);
      if (!words_.empty()) return true;
    }
    return false;
  }

  void read_banner() {
    std::string_view line;
    const bool any = lines_.next(line);
    const std::string lower = lower_case(any ? line : std::string_view());
    const auto words = words_of(lower);
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
      throw InputError(lines_.name(), any ? 1 : 0,
                       fmt::format("found {}, expected a Matrix Market banner", quoted(lower)),
                       "such as \"%%MatrixMarket matrix coordinate pattern symmetric\"");
    if (words[2] != "coordinate")
      fail(fmt::format("found the form {}, expected coordinate", quoted(words[2])),
           "networks are sparse; dense arrays are not read");
    if (words[3] != "pattern" && words[3] != "real" && words[3] != "integer")
      fail(fmt::format("found entries of kind {}, expected pattern, real or integer",
                       quoted(words[3])));
    if (words[4] != "general" && words[4] != "symmetric")
      fail(fmt::format("found the symmetry {}, expected general or symmetric", quoted(words[4])));
    has_weights_ = words[3] != "pattern";
    is_symmetric_ = words[4] == "symmetric";
  }

  std::uint64_t number(std::size_t place, std::string_view what) {
    const auto value = parse_whole_number(words_[place]);
    if (!value)
      fail(fmt::format("found {} as the {}, expected a whole number", quoted(words_[place]), what));
    return *value;
  }

  void read_sizes() {
    if (!next_words() || words_.size() != 3)
      fail("found no size line, expected \"rows columns entries\"");
    rows_ = number(0, "number of rows");
    const std::uint64_t columns = number(1, "number of columns");
    entries_ = number(2, "number of entries");
    if (rows_ != columns)
      fail(fmt::format("found {} rows and {} columns, expected as many of both", grouped(rows_),
                       grouped(columns)),
           "a network is a square matrix of users by users");
    if (rows_ == 0) throw_no_users(lines_.name(), "the size line says 0 rows");
    check_user_count(rows_, options_, {lines_.name(), lines_.line_number()});
    require_memory(rows_ * 48,
                   fmt::format("{}: a matrix of {}", lines_.name(), counted(rows_, "user")),
                   "is the size line right?");
    for (std::uint64_t user = 1; user <= rows_; ++user) builder_.add_user(std::to_string(user));
  }

  UserId user(std::size_t place) {
    const std::uint64_t value = number(place, "number of a user");
    if (value < 1 || value > rows_)
      fail(fmt::format("found user {}, expected a number from 1 to {}", value, grouped(rows_)));
    return static_cast<UserId>(value - 1);
  }

  void read_entry() {
    const std::size_t wanted = has_weights_ ? 3 : 2;
    if (words_.size() != wanted)
      fail(fmt::format("found {}, expected {}", counted(words_.size(), "column"), wanted));
    if (++found_ > entries_)
      fail(fmt::format("found more entries, expected {} as the size line says", grouped(entries_)));
    const float weight = has_weights_
                             ? parse_weight(words_[2], {lines_.name(), lines_.line_number()},
                                            "use a pattern matrix if the edges have no weights")
                             : 1.0F;
    const UserId from = user(0);
    const UserId to = user(1);
    builder_.add_edge(from, to, weight);
    if (is_symmetric_ && options_.directed && from != to) builder_.add_edge(to, from, weight);
  }

  LineReader& lines_;
  const ReadOptions& options_;
  NetworkBuilder builder_;
  std::vector<std::string_view> words_;
  std::uint64_t rows_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t found_ = 0;
  bool has_weights_ = false;
  bool is_symmetric_ = false;
};

}  // namespace

Network read_matrix_market(LineReader& lines, const ReadOptions& options, ReadNotes& notes) {
  return MatrixMarketReader(lines, options).read(notes);
}

}  // namespace dalaup
