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

// One edge a line: two names and an optional positive weight, in a plain table
// (TableForm::is_plain).
namespace dalaup {
namespace {

constexpr std::size_t kMostColumns = 3;

struct Columns {
  std::array<std::string_view, kMostColumns> text;
  std::size_t count = 0;  // may exceed kMostColumns
};

// Up to three characters that separate columns.
struct Separators {
  char one = ' ';
  char two = '\t';
  char three = ',';
  bool joins = true;  // several in a row are one; else there are names with spaces

  explicit Separators(char delimiter) {
    if (delimiter == TableForm::kAnyDelimiter) return;
    three = '\t';
    if (delimiter == ' ') return;
    one = two = three = delimiter;
    joins = false;
  }
  bool contains(char c) const { return c == one || c == two || c == three; }
};

Columns split_joined(std::string_view line, const Separators& separators) {
  Columns columns;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at < end && separators.contains(*at)) ++at;
    if (at == end) return columns;
    const char* const begin = at;
    while (at < end && !separators.contains(*at)) ++at;
    if (columns.count < kMostColumns)
      columns.text[columns.count] = {begin, static_cast<std::size_t>(at - begin)};
    ++columns.count;
  }
}

// Empty columns at the end do not count.
Columns split(std::string_view line, const Separators& separators) {
  if (separators.joins) return split_joined(line, separators);
  Columns columns;
  std::size_t last = 0;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separators.one, begin), line.size());
    const std::string_view cell = trimmed(line.substr(begin, end - begin));
    if (columns.count < kMostColumns) columns.text[columns.count] = cell;
    ++columns.count;
    if (!cell.empty()) last = columns.count;
    begin = end + 1;
  }
  columns.count = last;
  return columns;
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
    const std::size_t first = place_of_first(from);
    edges_[edge_count_++] = {static_cast<std::uint16_t>(first),
                             static_cast<std::uint16_t>(add_name(to)), weight};
    flush_when_full();
  }

  void flush() {
    builder_.names().find_or_add(std::span(names_).first(name_count_));
    for (const Edge& edge : std::span(edges_).first(edge_count_))
      builder_.add_edge(names_[edge.from].user, names_[edge.to].user, edge.weight);
    name_count_ = edge_count_ = 0;
    last_first_ = kNames;
    check_user_count(builder_.user_count(), options_, {file_, 0});
  }

  NetworkBuilder& builder() { return builder_; }

 private:
  static constexpr std::size_t kNames = 128;
  struct Edge {
    std::uint16_t from;  // places of its names
    std::uint16_t to;
    float weight;
  };
  static std::uint64_t start_of(std::string_view name) {
    static_assert(LineReader::kReadableBeyond >= 8);
    std::uint64_t start = 0;
    std::memcpy(&start, name.data(), 8);
    if (name.size() < 8) start &= (std::uint64_t{1} << (8 * name.size())) - 1;
    return start;
  }
  std::size_t add_name(std::string_view name) {
    UserNames::Lookup& lookup = names_[name_count_];
    lookup.name = name;
    lookup.start = start_of(name);
    builder_.names().prepare(lookup);
    return name_count_++;
  }
  // Many files list the edges of a user together; a short name is then looked up once.
  std::size_t place_of_first(std::string_view name) {
    if (last_first_ != kNames && name.size() <= 8 &&
        names_[last_first_].name.size() == name.size() &&
        names_[last_first_].start == start_of(name))
      return last_first_;
    return last_first_ = add_name(name);
  }
  void flush_when_full() {
    if (name_count_ + 2 > kNames) flush();
  }

  NetworkBuilder builder_;
  std::array<UserNames::Lookup, kNames> names_{};
  std::array<Edge, kNames> edges_{};
  std::size_t name_count_ = 0;
  std::size_t last_first_ = kNames;  // place of the first name of the last edge; kNames: none
  std::size_t edge_count_ = 0;
  const std::string& file_;
  const ReadOptions& options_;
};

// Where the first separator in [at, end) is, or end. Takes eight bytes at a time as one number and
// so reads up to seven beyond the end: LineReader::kReadableBeyond.
inline const char* find_separator(const char* at, const char* end, const Separators& separators) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  // The lowest byte equal to c gets its high bit set; what lies above it may be wrong.
  const auto equal = [](std::uint64_t word, char c) {
    const std::uint64_t zero = word ^ (kOnes * static_cast<unsigned char>(c));
    return (zero - kOnes) & ~zero & (kOnes << 7);
  };
  for (; at < end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const std::uint64_t found =
        equal(word, separators.one) | equal(word, separators.two) | equal(word, separators.three);
    if (found != 0) return std::min(at + std::countr_zero(found) / 8, end);
  }
  return end;
}

// Names are taken as they stand; blanks around them and quotes need a closer look.
inline bool is_bare(std::string_view name) {
  return static_cast<unsigned char>(name.front()) > '"' && name.back() != ' ' &&
         name.back() != '\t';
}

// The two names of a line that holds nothing else: nearly every line of most files.
inline bool split_in_two(std::string_view line, const Separators& separators,
                         std::string_view& from, std::string_view& to) {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* const middle = find_separator(begin, end, separators);
  if (middle == begin || end - middle < 2 || find_separator(middle + 1, end, separators) != end)
    return false;
  from = {begin, static_cast<std::size_t>(middle - begin)};
  to = {middle + 1, static_cast<std::size_t>(end - middle - 1)};
  return is_bare(from) && is_bare(to);
}

// The length of the line at `at` if it is two names with one separator and not long: nearly every
// line of a file with short names. 0: look at it more closely. Reads kReadableBeyond bytes.
inline std::size_t split_short_line([[maybe_unused]] const char* at,
                                    [[maybe_unused]] const Separators& separators,
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
  const std::uint32_t found =
      (places_of(separators.one) | places_of(separators.two) | places_of(separators.three)) &
      inside;
  if (!std::has_single_bit(found) || (places_of('\r') & inside) != 0) return 0;
  const auto length = static_cast<std::size_t>(std::countr_zero(ends));
  const auto middle = static_cast<std::size_t>(std::countr_zero(found));
  if (middle == 0 || middle + 1 == length || *at == '#' || *at == '%') return 0;
  from = {at, middle};
  to = {at + middle + 1, length - middle - 1};
  return is_bare(from) && is_bare(to) ? length : 0;
#else
  return 0;
#endif
}

// Adds the lines that follow in memory up to the first that is not short and simple.
void add_short_lines(LineReader& lines, const Separators& separators, EdgeBatch& batch) {
  const std::string_view text = lines.buffered_ascii();
  std::string_view from;
  std::string_view to;
  std::size_t taken = 0;
  std::size_t count = 0;
  while (taken < text.size()) {
    const std::size_t length = split_short_line(text.data() + taken, separators, from, to);
    if (length == 0 || taken + length >= text.size()) break;  // the end may lie beyond the text
    batch.add_edge(from, to, 1.0F);
    taken += length + 1;
    ++count;
  }
  lines.skip(taken, count);
}

void check_name(std::string_view name, const Place& place) {
  if (name.empty())
    throw InputError(place.file, place.line, "found an empty name, expected two user names");
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    throw InputError(place.file, place.line,
                     fmt::format("found {} in quotes, after lines without any", quoted(name)),
                     "--quotes yes takes them off, --quotes no leaves them in the names");
}

float weight_of(std::string_view text, const TableForm& form, const Place& place) {
  const char* const hint =
      place.line == 1 && !form.has_header
          ? "if the first line names the columns give --header yes; --columns 1,2 reads only two"
          : "leave the third column out if the edges have no weights, or read only two with "
            "--columns";
  if (form.delimiter == ',' || form.delimiter == TableForm::kAnyDelimiter)
    return parse_weight(text, place, hint);
  std::string number(text);  // 0,5 is a half in many countries
  std::ranges::replace(number, ',', '.');
  if (!parse_number(number))  // shown as it is written
    return parse_weight(text, place,
                        number == text ? hint : "weights have no separators of thousands");
  return parse_weight(number, place, hint);
}

void add_line(std::string_view line, const TableForm& form, const Separators& separators,
              const Place& place, EdgeBatch& batch) {
  const Columns columns = split(line, separators);
  for (std::size_t i = 0; i < std::min<std::size_t>(columns.count, 2); ++i)
    if (!form.keeps_quotes) check_name(columns.text[i], place);
  switch (columns.count) {
    case 0:
      return;
    case 1:
      if (form.delimiter == ' ' && line.find_first_of(",;") != std::string_view::npos)
        throw InputError(place.file, place.line,
                         fmt::format("found {} where other lines have two names separated by "
                                     "spaces",
                                     quoted(columns.text[0])),
                         "do commas or semicolons separate the names? then give --delimiter");
      return batch.add_user(columns.text[0]);
    case 2:
      return batch.add_edge(columns.text[0], columns.text[1], 1.0F);
    case 3:
      return batch.add_edge(
          columns.text[0], columns.text[1],
          form.third == 2 || form.width < 3 ? weight_of(columns.text[2], form, place) : 1.0F);
    default:
      throw InputError(
          place.file, place.line,
          fmt::format("found {} columns, expected two user names and an optional weight",
                      columns.count),
          separators.joins ? "do the names hold spaces or commas? then separate them by tabs; "
                             "--columns 1,2 reads two of many columns"
                           : "--columns 1,2 reads two of many columns");
  }
}

}  // namespace

Network read_plain_edges(LineReader& lines, const TableForm& form, const ReadOptions& options,
                         Dropped* dropped) {
  EdgeBatch batch(lines.name(), options);
  const Separators separators(form.delimiter);
  bool past_header = !form.has_header;
  std::string_view line;
  std::string_view from;
  std::string_view to;
  while (lines.next(line)) {
    do {
      if (line.empty() || line[0] == '#' || (form.has_percent_comments && line[0] == '%')) continue;
      if (form.has_separator_line && lines.line_number() == 1) continue;
      if (!past_header) {
        past_header = true;
        continue;
      }
      if (split_in_two(line, separators, from, to))
        batch.add_edge(from, to, 1.0F);
      else
        add_line(line, form, separators, {lines.name(), lines.line_number()}, batch);
      add_short_lines(lines, separators, batch);
    } while (lines.next_buffered(line));
    batch.flush();  // the next line may overwrite the names
  }
  if (batch.builder().user_count() == 0)
    throw InputError(lines.name(), 0, "found no users, expected one edge a line",
                     "such as \"alice bob\"; lines starting with # are skipped");
  return batch.builder().build(options.directed, dropped);
}

Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped) {
  return read_plain_edges(lines, {}, options, dropped);
}

Network read_table_edges(TableReader& table, const ReadOptions& options, Dropped* dropped) {
  NetworkBuilder builder;
  TableReader::Row row;
  while (table.next(row)) {
    const Place place{table.name(), row.line};
    if (row.first.empty() || (row.second.empty() && !row.third.empty()))
      throw InputError(place.file, place.line, "found an empty name, expected two user names",
                       "a line of totals? then take it out");
    const UserId from = builder.add_user(row.first);
    if (row.second.empty()) continue;
    const UserId to = builder.add_user(row.second);
    builder.add_edge(from, to,
                     row.third.empty() ? 1.0F : weight_of(row.third, table.form(), place));
    check_user_count(builder.user_count(), options, place);
  }
  if (builder.user_count() == 0)
    throw InputError(table.name(), 0, "found no users, expected one edge a line",
                     "such as \"alice,bob\"");
  return builder.build(options.directed, dropped);
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
