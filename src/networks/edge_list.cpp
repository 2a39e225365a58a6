#include <fmt/format.h>

#include <array>
#include <span>

#include "networks/readers.h"

// One edge a line: two names separated by tab, spaces or comma, an optional positive weight.
namespace dalaup {
namespace {

constexpr std::size_t kMostColumns = 3;

struct Columns {
  std::array<std::string_view, kMostColumns> text;
  std::size_t count = 0;  // may exceed kMostColumns
};

bool is_separator(char c) { return c == ' ' || c == '\t' || c == ','; }

Columns split(std::string_view line) {
  Columns columns;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at < end && is_separator(*at)) ++at;
    if (at == end) return columns;
    const char* const begin = at;
    while (at < end && !is_separator(*at)) ++at;
    if (columns.count < kMostColumns)
      columns.text[columns.count] = {begin, static_cast<std::size_t>(at - begin)};
    ++columns.count;
  }
}

// Looks names up a batch at a time: all slots are prefetched before the first is needed, so the
// cache misses of a big table overlap.
class EdgeBatch {
 public:
  EdgeBatch(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {}

  void add(const Columns& columns, float weight) {
    Line& line = lines_[count_];
    line = {columns.text[0],
            columns.text[1],
            UserNames::hash_of(columns.text[0]),
            UserNames::hash_of(columns.text[1]),
            weight,
            columns.count > 1};
    builder_.names().prefetch(line.from_hash);
    builder_.names().prefetch(line.to_hash);
    if (++count_ == lines_.size()) flush();
  }

  void flush() {
    for (const Line& line : std::span(lines_).first(count_)) {
      const UserId from = builder_.names().find_or_add(line.from, line.from_hash);
      if (line.has_edge)
        builder_.add_edge(from, builder_.names().find_or_add(line.to, line.to_hash), line.weight);
    }
    count_ = 0;
    check_user_count(builder_.user_count(), options_, {file_, 0});
  }

  NetworkBuilder& builder() { return builder_; }

 private:
  struct Line {
    std::string_view from;
    std::string_view to;
    std::uint64_t from_hash;
    std::uint64_t to_hash;
    float weight;
    bool has_edge;
  };
  NetworkBuilder builder_;
  std::array<Line, 64> lines_{};
  std::size_t count_ = 0;
  const std::string& file_;
  const ReadOptions& options_;
};

}  // namespace

Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped) {
  EdgeBatch batch(lines.name(), options);
  std::string_view line;
  while (lines.next(line)) {
    do {
      if (!line.empty() && line[0] == '#') continue;
      const Columns columns = split(line);
      if (columns.count == 0) continue;
      if (columns.count > kMostColumns)
        throw InputError(
            lines.name(), lines.line_number(),
            fmt::format("found {} columns, expected two user names and an optional weight",
                        columns.count),
            "names must not contain tabs, spaces or commas");
      batch.add(columns,
                columns.count == 3
                    ? parse_weight(columns.text[2], {lines.name(), lines.line_number()},
                                   "leave the third column out if the edges have no weights")
                    : 1.0F);
    } while (lines.next_buffered(line));
    batch.flush();  // the next line may overwrite the names
  }
  if (batch.builder().user_count() == 0)
    throw InputError(lines.name(), 0, "found no users, expected one edge a line",
                     "such as \"alice bob\"; lines starting with # are skipped");
  return batch.builder().build(options.directed, dropped);
}

void write_edges(const std::string& path, const Network& network) {
  for (UserId user = 0; user < network.user_count(); ++user) {
    const std::string_view name = network.name(user);
    if (name.empty() || name[0] == '#' || name.find_first_of(" \t,\r\n") != std::string_view::npos)
      throw InputError(path, 0,
                       fmt::format("cannot hold the user {}: names in this form have no spaces, "
                                   "tabs or commas and do not begin with #",
                                   quoted(name)),
                       "rename the user");
  }
  AtomicFile file(path);
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user) {
    if (network.degree(user) == 0) file.write(fmt::format("{}\n", network.name(user)));
    const auto weights = rows.weights_of(user);
    const auto neighbours = rows.of(user);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (!network.is_directed() && neighbours[i] < user) continue;
      file.write(fmt::format("{}\t{}", network.name(user), network.name(neighbours[i])));
      file.write(weights.empty() ? "\n" : fmt::format("\t{}\n", weights[i]));
    }
  }
  file.commit();
}

}  // namespace dalaup
