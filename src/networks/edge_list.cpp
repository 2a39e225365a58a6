#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>

#include "networks/networks.h"

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
  EdgeBatch(const std::string& file, UserId most_users) : file_(file), most_users_(most_users) {}

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
    if (builder_.user_count() > most_users_)
      throw InputError(
          file_, 0,
          fmt::format("found more than {} users, expected at most that many", grouped(most_users_)),
          "split the network into parts");
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
  UserId most_users_;
};

float weight_of(std::string_view text, const LineReader& lines) {
  const auto weight = parse_number(text);
  // What would round to zero or infinity as a float is not a weight either.
  if (!weight || !(*weight >= static_cast<double>(std::numeric_limits<float>::min())) ||
      *weight > static_cast<double>(std::numeric_limits<float>::max()))
    throw InputError(lines.name(), lines.line_number(),
                     fmt::format("found weight {}, expected a positive number", quoted(text)),
                     "leave the third column out if the edges have no weights");
  return static_cast<float>(*weight);
}

}  // namespace

Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped) {
  EdgeBatch batch(lines.name(), options.most_users);
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
      batch.add(columns, columns.count == 3 ? weight_of(columns.text[2], lines) : 1.0F);
    } while (lines.next_buffered(line));
    batch.flush();  // the next line may overwrite the names
  }
  if (batch.builder().user_count() == 0)
    throw InputError(lines.name(), 0, "found no users, expected one edge a line",
                     "such as \"alice bob\"; lines starting with # are skipped");
  return batch.builder().build(options.directed, dropped);
}

Network read_network(const std::string& path, const ReadOptions& options, Run& run) {
  Dropped dropped;
  LineReader lines(path);
  Network network = read_edges(lines, options, &dropped);
  if (dropped.self_loops > 0)
    run.warn(fmt::format("{}: {} self-loops dropped", path, grouped(dropped.self_loops)));
  if (dropped.duplicate_edges > 0)
    run.warn(fmt::format("{}: {} duplicate edges dropped", path, grouped(dropped.duplicate_edges)));
  return network;
}

void write_edges(const std::string& path, const Network& network) {
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
