#include <fmt/format.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
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

// Collects the names of some lines, so that they are looked up together.
class EdgeBatch {
 public:
  EdgeBatch(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {}

  // Names must come from a LineReader: up to 8 bytes beyond them are read.
  void add_user(std::string_view name) {
    add_name(name);
    flush_when_full();
  }
  void add_edge(std::string_view from, std::string_view to, float weight) {
    edges_[edge_count_++] = {static_cast<std::uint32_t>(name_count_), weight};
    add_name(from);
    add_name(to);
    flush_when_full();
  }

  void flush() {
    builder_.names().find_or_add(std::span(names_).first(name_count_));
    for (const Edge& edge : std::span(edges_).first(edge_count_))
      builder_.add_edge(names_[edge.first].user, names_[edge.first + 1].user, edge.weight);
    name_count_ = edge_count_ = 0;
    check_user_count(builder_.user_count(), options_, {file_, 0});
  }

  NetworkBuilder& builder() { return builder_; }

 private:
  static constexpr std::size_t kNames = 128;
  struct Edge {
    std::uint32_t first;  // place of its first name; the second follows
    float weight;
  };
  void add_name(std::string_view name) {
    static_assert(LineReader::kReadableBeyond >= 8);
    std::uint64_t start = 0;
    std::memcpy(&start, name.data(), 8);
    if (name.size() < 8) start &= (std::uint64_t{1} << (8 * name.size())) - 1;
    UserNames::Lookup& lookup = names_[name_count_++];
    lookup.name = name;
    lookup.start = start;
  }
  void flush_when_full() {
    if (name_count_ + 2 > kNames) flush();
  }

  NetworkBuilder builder_;
  std::array<UserNames::Lookup, kNames> names_{};
  std::array<Edge, kNames / 2> edges_{};
  std::size_t name_count_ = 0;
  std::size_t edge_count_ = 0;
  const std::string& file_;
  const ReadOptions& options_;
};

// Where the first separator in [at, end) is, or end. Takes eight bytes at a time as one number and
// so reads up to seven beyond the end: LineReader::kReadableBeyond.
inline const char* find_separator(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  // The lowest byte equal to c gets its high bit set; what lies above it may be wrong.
  const auto equal = [](std::uint64_t word, char c) {
    const std::uint64_t zero = word ^ (kOnes * static_cast<unsigned char>(c));
    return (zero - kOnes) & ~zero & (kOnes << 7);
  };
  for (; at < end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const std::uint64_t found = equal(word, ' ') | equal(word, '\t') | equal(word, ',');
    if (found != 0) return std::min(at + std::countr_zero(found) / 8, end);
  }
  return end;
}

// The two names of a line that holds nothing else: nearly every line of most files.
inline bool split_in_two(std::string_view line, std::string_view& from, std::string_view& to) {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* const middle = find_separator(begin, end);
  if (middle == begin || end - middle < 2 || find_separator(middle + 1, end) != end) return false;
  from = {begin, static_cast<std::size_t>(middle - begin)};
  to = {middle + 1, static_cast<std::size_t>(end - middle - 1)};
  return true;
}

// The length of the line at `at` if it is two names with one separator and not long: nearly every
// line of a file with short names. 0: look at it more closely. Reads kReadableBeyond bytes.
inline std::size_t split_short_line([[maybe_unused]] const char* at,
                                    [[maybe_unused]] std::string_view& from,
                                    [[maybe_unused]] std::string_view& to) {
#ifdef __AVX2__
  static_assert(LineReader::kReadableBeyond >= 32);
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const auto places_of = [&](char c) {  // bit i: byte i is c
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))));
  };
  const std::uint32_t ends = places_of('\n');
  if (ends == 0) return 0;
  const std::uint32_t inside = ~ends & (ends - 1);  // below the first line end
  const std::uint32_t separators = (places_of('\t') | places_of(' ') | places_of(',')) & inside;
  if (!std::has_single_bit(separators) || (places_of('\r') & inside) != 0) return 0;
  const auto length = static_cast<std::size_t>(std::countr_zero(ends));
  const auto middle = static_cast<std::size_t>(std::countr_zero(separators));
  if (middle == 0 || middle + 1 == length || *at == '#') return 0;
  from = {at, middle};
  to = {at + middle + 1, length - middle - 1};
  return length;
#else
  return 0;
#endif
}

// Adds the lines that follow in memory up to the first that is not short and simple.
void add_short_lines(LineReader& lines, EdgeBatch& batch) {
  const std::string_view text = lines.buffered_ascii();
  std::string_view from;
  std::string_view to;
  std::size_t taken = 0;
  std::size_t count = 0;
  while (taken < text.size()) {
    const std::size_t length = split_short_line(text.data() + taken, from, to);
    if (length == 0 || taken + length >= text.size()) break;  // the end may lie beyond the text
    batch.add_edge(from, to, 1.0F);
    taken += length + 1;
    ++count;
  }
  lines.skip(taken, count);
}

void add_line(std::string_view line, const Place& place, EdgeBatch& batch) {
  const Columns columns = split(line);
  switch (columns.count) {
    case 0:
      return;
    case 1:
      return batch.add_user(columns.text[0]);
    case 2:
      return batch.add_edge(columns.text[0], columns.text[1], 1.0F);
    case 3:
      return batch.add_edge(
          columns.text[0], columns.text[1],
          parse_weight(columns.text[2], place,
                       "leave the third column out if the edges have no weights"));
    default:
      throw InputError(
          place.file, place.line,
          fmt::format("found {} columns, expected two user names and an optional weight",
                      columns.count),
          "names must not contain tabs, spaces or commas");
  }
}

}  // namespace

Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped) {
  EdgeBatch batch(lines.name(), options);
  std::string_view line;
  std::string_view from;
  std::string_view to;
  while (lines.next(line)) {
    do {
      if (line.empty() || line[0] == '#') continue;
      if (split_in_two(line, from, to))
        batch.add_edge(from, to, 1.0F);
      else
        add_line(line, {lines.name(), lines.line_number()}, batch);
      add_short_lines(lines, batch);
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
