#include "networks/attributes_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "networks/networks.h"
#include "networks/table_sample.h"

namespace dalaup {
namespace {

constexpr std::uint64_t kMostText = std::uint64_t{1} << 30;  // bytes of values in one table
constexpr std::size_t kNamedUsers = 3;                       // unknown users shown in a message

// Users of a file that the network does not have.
class UnknownUsers {
 public:
  UnknownUsers(const std::string& path, bool strict) : path_(path), strict_(strict) {}
  void add(std::string_view name, std::size_t line) {
    if (strict_)
      throw InputError(path_, line,
                       fmt::format("found {}, who is not in the network", quoted(name)),
                       "without --strict such users are left out");
    if (++count_ <= kNamedUsers) named_.push_back(quoted(name));
  }
  void warn(const char* what, const Run& run) const {
    if (count_ == 0) return;
    run.warn(fmt::format("{}: {} of users that are not in the network {} left out ({}{})", path_,
                         counted(count_, what), by_number(count_, "was", "were"),
                         fmt::join(named_, ", "), count_ > kNamedUsers ? ", ..." : ""));
  }
  std::uint64_t count() const { return count_; }

 private:
  const std::string& path_;
  bool strict_;
  std::uint64_t count_ = 0;
  std::vector<std::string> named_;
};

// Why no row belongs to a user: which other column holds them, or how the names differ.
std::string wrong_key_hint(const std::vector<std::vector<std::string>>& rows,
                           const std::vector<std::string>& header, const Network& network) {
  std::vector<std::size_t> users(header.size(), 0);
  std::size_t other_case = 0;
  std::set<std::string> folded;
  for (UserId user = 0; user < network.user_count(); ++user)
    folded.insert(lower_case(network.name(user)));
  for (const auto& row : rows) {
    other_case += folded.contains(lower_case(row[0])) ? 1 : 0;
    for (std::size_t column = 1; column < std::min(row.size(), header.size()); ++column)
      users[column] += network.find(row[column]) != kNoUser ? 1 : 0;
  }
  const auto most = std::ranges::max_element(users);
  if (2 * *most > rows.size())
    return fmt::format("column {} ({}) holds users: put it first", most - users.begin() + 1,
                       quoted(header[static_cast<std::size_t>(most - users.begin())]));
  if (other_case > 0)
    return fmt::format("{} of the first {} differ from users in case only: write them alike",
                       other_case, counted(rows.size(), "name"));
  return "the first column must hold the users' names as in the network file";
}

// The user by whose name the first column is called, if any: perhaps the file has no header.
UserId user_in_header(const std::string& cell, const Network& network) {
  static constexpr std::array kNames = std::to_array<std::string_view>(
      {"user", "users", "id", "name", "node", "username", "account", "uid", "label"});
  return std::ranges::find(kNames, lower_case(cell)) == kNames.end() ? network.find(cell) : kNoUser;
}

void check_header(std::span<const std::string> cells, const TableReader& reader) {
  if (cells.size() < 2)
    throw InputError(reader.name(), reader.line_number(),
                     "found a header of 1 column, expected the user and at least one field",
                     "such as \"user,name,city\"");
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].empty())
      throw InputError(reader.name(), reader.line_number(),
                       fmt::format("found no name for column {}, expected one", i + 1));
    if (std::find(cells.begin() + 1, cells.begin() + static_cast<std::ptrdiff_t>(i), cells[i]) !=
        cells.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError(
          reader.name(), reader.line_number(),
          fmt::format("found the field {} twice, expected each once", quoted(cells[i])));
  }
}

struct SimilarityLine {
  UserId a;
  UserId b;
  float value;
};

PairSimilarities sorted_by_user(std::vector<SimilarityLine> lines, UserId users_a) {
  std::ranges::sort(lines, [](const SimilarityLine& left, const SimilarityLine& right) {
    if (left.a != right.a) return left.a < right.a;
    return left.b != right.b ? left.b < right.b : left.value > right.value;
  });
  PairSimilarities similarities;
  similarities.begins.assign(users_a + std::size_t{1}, 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].a == lines[i - 1].a && lines[i].b == lines[i - 1].b) continue;
    similarities.entries.push_back({lines[i].b, lines[i].value});
    ++similarities.begins[lines[i].a + std::size_t{1}];
  }
  for (std::size_t user = 0; user < users_a; ++user)
    similarities.begins[user + 1] += similarities.begins[user];
  return similarities;
}

}  // namespace

void TextColumn::set(UserId user, std::string_view value) {
  begins_[user] = letters_.size();
  sizes_[user] = static_cast<std::uint32_t>(value.size());
  letters_ += value;
}

AttributeTable read_attributes(std::unique_ptr<ByteSource> source, const std::string& name,
                               const Network& network, const AttributeReading& reading, Run& run,
                               std::string* understood) {
  TableReader reader(std::move(source), name, reading.table, TableKind::kAttributes);
  std::vector<std::string> cells;
  if (!reader.next_header(cells))
    throw InputError(reader.name(), 0, "found an empty file, expected a header line",
                     "the first column is the user's name, the others are fields");
  drop_empty_tail(cells);
  check_header(cells, reader);
  const UserId named = user_in_header(cells[0], network);
  const std::vector<std::string> header = cells;
  std::vector<std::vector<std::string>> strangers;  // some rows of users the network does not have
  constexpr std::size_t kMostStrangers = 100;
  AttributeTable table;
  table.fields.assign(cells.begin() + 1, cells.end());
  if (understood != nullptr)
    *understood = fmt::format("{}, header, user in column {}, {} {}",
                              reader.form().delimiter_words(), cells[0].empty() ? "1" : cells[0],
                              by_number(table.fields.size(), "field", "fields"),
                              shortened_list(table.fields));
  table.columns.assign(table.fields.size(), TextColumn(network.user_count()));
  const std::size_t width = cells.size();
  std::vector<std::uint8_t> is_read(network.user_count(), 0);
  UnknownUsers unknown(reader.name(), reading.strict);
  std::uint64_t text = 0;
  std::uint64_t rows = 0;
  while (reader.next(cells)) {
    if ((++rows & 0xFFFU) == 0) run.throw_if_cancelled();
    while (cells.size() > width && cells.back().empty()) cells.pop_back();
    if (cells.size() != width)
      throw InputError(
          reader.name(), reader.line_number(),
          fmt::format("found {}, expected {} as in the header", counted(cells.size(), "column"),
                      width),
          fmt::format("put a value that holds a {} in quotes; {} says what separates columns",
                      delimiter_word(reader.form().delimiter),
                      table_option("delimiter", TableKind::kAttributes)));
    const UserId user = network.find(cells[0]);
    if (user == kNoUser) {
      unknown.add(cells[0], reader.line_number());
      if (strangers.size() < kMostStrangers) strangers.push_back(cells);
      continue;
    }
    if (is_read[user])
      throw InputError(reader.name(), reader.line_number(),
                       fmt::format("found user {} a second time", quoted(cells[0])),
                       "give each user one row; several values of a field fit into one cell, "
                       "separated by \";\"");
    is_read[user] = 1;
    for (std::size_t field = 1; field < width; ++field) {
      const std::string_view value = trimmed(cells[field]);
      text += value.size();
      table.columns[field - 1].set(user, value);
    }
    if (text > kMostText)
      throw InputError(
          reader.name(), reader.line_number(),
          fmt::format("found more than {} MB of text up to here, expected less", kMostText >> 20U),
          "leave out columns of long texts, or keep their first words");
  }
  if (named != kNoUser && is_read[named] == 0)  // else "0,1,2" above a row of user 0
    throw InputError(reader.name(), 0,
                     fmt::format("found the user {} in the first line, expected names of columns",
                                 quoted(header[0])),
                     "write them above, such as \"user,name,city\"");
  if (rows == unknown.count())
    throw InputError(
        reader.name(), 0,
        rows == 0 ? "found a header and no rows"
                  : fmt::format("found {}, none of users of the network", counted(rows, "row")),
        wrong_key_hint(strangers, header, network));
  unknown.warn("row", run);
  return table;
}

AttributeTable read_attributes(const std::string& path, const Network& network,
                               const AttributeReading& reading, Run& run, std::string* understood) {
  return read_attributes(open_bytes(path), path, network, reading, run, understood);
}

void write_attributes(const std::string& path, const AttributeTable& table,
                      const Network& network) {
  AtomicFile file(path);
  std::string line = "user";
  for (const std::string& field : table.fields) line += "," + csv_cell(field);
  file.write(line + "\n");
  for (UserId user = 0; user < network.user_count(); ++user) {
    line = csv_cell(network.name(user));
    bool is_known = false;
    for (const TextColumn& column : table.columns) {
      line += "," + csv_cell(column[user]);
      is_known = is_known || !column[user].empty();
    }
    if (is_known) file.write(line + "\n");
  }
  file.commit();
}

PairSimilarities read_similarities(const std::string& path, const NetworkPair& networks,
                                   const AttributeReading& reading, Run& run,
                                   std::string* understood) {
  TableReader table(path, reading.table, TableKind::kSimilarities);
  if (understood != nullptr) *understood = table.form().words();
  UnknownUsers unknown(path, reading.strict);
  std::vector<SimilarityLine> lines;
  std::uint64_t rows = 0;
  for (TableReader::Row row; table.next(row);) {
    if ((++rows & 0xFFFFU) == 0) run.throw_if_cancelled();
    const auto value = decimal_of(row.third, table.form());
    if (!value || !std::isfinite(*value) || std::abs(*value) > 1e30)
      throw InputError(
          path, row.line,
          row.third.empty()
              ? std::string("found no similarity, expected a, b and a value")
              : fmt::format("found the similarity {}, expected a number", quoted(row.third)),
          "such as \"alice<TAB>bob<TAB>0.8\"; a higher number means more alike");
    const UserId a = networks.a.find(row.first);
    const UserId b = networks.b.find(row.second);
    if (a == kNoUser || b == kNoUser) {
      unknown.add(a == kNoUser ? row.first : row.second, row.line);
      continue;
    }
    lines.push_back({a, b, static_cast<float>(*value)});
  }
  if (lines.empty())
    throw InputError(path, 0, "found no pair of users of the two networks",
                     "the first column holds users of A, the second users of B");
  unknown.warn("pair", run);
  return sorted_by_user(std::move(lines), networks.a.user_count());
}

namespace {

void save_table(ArchiveWriter& archive, const std::string& prefix, const AttributeTable& table) {
  archive.put_strings(prefix + ".fields", table.fields);
  for (std::size_t field = 0; field < table.columns.size(); ++field) {
    const TextColumn& column = table.columns[field];
    std::string letters;
    std::vector<std::uint32_t> sizes;
    sizes.reserve(column.size());
    for (UserId user = 0; user < column.size(); ++user) {
      letters += column[user];
      sizes.push_back(static_cast<std::uint32_t>(column[user].size()));
    }
    archive.put(fmt::format("{}.letters.{}", prefix, field), letters);
    archive.put(fmt::format("{}.sizes.{}", prefix, field), sizes);
  }
}

AttributeTable load_table(const ArchiveReader& archive, const std::string& prefix, UserId users) {
  AttributeTable table;
  table.fields = archive.strings(prefix + ".fields");
  for (std::size_t field = 0; field < table.fields.size(); ++field) {
    const std::string letters = archive.text(fmt::format("{}.letters.{}", prefix, field));
    const auto sizes = archive.values<std::uint32_t>(fmt::format("{}.sizes.{}", prefix, field));
    std::uint64_t total = 0;
    for (const std::uint32_t size : sizes) total += size;
    if (sizes.size() != users || total != letters.size())
      throw InputError(archive.path(), 0, "found attributes that do not fit the networks");
    TextColumn column(users);
    std::size_t begin = 0;
    for (UserId user = 0; user < users; ++user) {
      column.set(user, std::string_view(letters).substr(begin, sizes[user]));
      begin += sizes[user];
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace

void save_attributes(ArchiveWriter& archive, const PairAttributes& attributes) {
  save_table(archive, "attributes.a", attributes.a);
  save_table(archive, "attributes.b", attributes.b);
  archive.put("attributes.compare", attributes.compare);
  archive.put("attributes.similarity_begins", attributes.similarity.begins);
  archive.put("attributes.similarity", attributes.similarity.entries);
}

std::shared_ptr<const PairAttributes> load_attributes(const ArchiveReader& archive,
                                                      const NetworkPair& networks) {
  if (!archive.has("attributes.compare")) return nullptr;
  auto attributes = std::make_shared<PairAttributes>();
  attributes->a = load_table(archive, "attributes.a", networks.a.user_count());
  attributes->b = load_table(archive, "attributes.b", networks.b.user_count());
  attributes->compare = archive.text("attributes.compare");
  PairSimilarities& similarity = attributes->similarity;
  similarity.begins = archive.values<std::uint64_t>("attributes.similarity_begins");
  similarity.entries = archive.values<PairSimilarities::Entry>("attributes.similarity");
  const bool fits =
      similarity.begins.empty()
          ? similarity.entries.empty()
          : similarity.begins.size() == networks.a.user_count() + std::size_t{1} &&
                std::ranges::is_sorted(similarity.begins) && similarity.begins.front() == 0 &&
                similarity.begins.back() == similarity.entries.size() &&
                std::ranges::all_of(similarity.entries, [&](const PairSimilarities::Entry& entry) {
                  return entry.b < networks.b.user_count() && std::isfinite(entry.value);
                });
  if (!fits) throw InputError(archive.path(), 0, "found similarities that do not fit the networks");
  return attributes;
}

}  // namespace dalaup
