#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "networks/networks.h"

namespace dalaup {
namespace {

// Rows of an adjacency, counted first and then filled in any order.
class RowFiller {
 public:
  // begins is shifted by two while counting and by one while filling, so that it serves as the
  // write positions too and ends up where it belongs.
  RowFiller(UserId user_count, bool weighted) : weighted_(weighted) {
    fill_in_large_pages(rows_.begins, std::size_t{user_count} + 2, std::uint64_t{0});
  }

  // Rows as long as those of `begins`: there is nothing to count.
  RowFiller(const std::vector<std::uint64_t>& begins, bool weighted) : weighted_(weighted) {
    fill_in_large_pages(rows_.begins, begins.size() + 1, std::uint64_t{0});
    std::ranges::copy(begins, rows_.begins.begin() + 1);
    allocate_rows();
  }

  void count(UserId from) { ++rows_.begins[std::size_t{from} + 2]; }
  void start_filling() {
    std::partial_sum(rows_.begins.begin(), rows_.begins.end(), rows_.begins.begin());
    allocate_rows();
  }
  // `soon` and `later` are rows that come up next: the two cache misses of adding to a row, where
  // it ends and what lies there, are begun ahead of time.
  void add(UserId from, UserId to, float weight, UserId soon, UserId later) {
    __builtin_prefetch(&rows_.begins[std::size_t{later} + 1], 1);
    __builtin_prefetch(rows_.users.data() + rows_.begins[std::size_t{soon} + 1], 1);
    const std::uint64_t place = rows_.begins[std::size_t{from} + 1]++;
    rows_.users[place] = to;
    if (weighted_) rows_.weights[place] = weight;
  }

  Adjacency finish() {
    rows_.begins.pop_back();
    return std::move(rows_);
  }

 private:
  void allocate_rows() {
    fill_in_large_pages(rows_.users, rows_.begins.back(), UserId{0});
    if (weighted_) fill_in_large_pages(rows_.weights, rows_.begins.back(), 0.0F);
  }

  Adjacency rows_;
  bool weighted_;
};

// The same entries with rows and columns exchanged. Rows are visited in order, so every row of the
// result is sorted: two passes of counting take the place of sorting.
Adjacency filled_by_columns(const Adjacency& rows, RowFiller filler) {
  constexpr std::size_t kAhead = 24;
  const auto user_count = static_cast<UserId>(rows.begins.size() - 1);
  const std::size_t last = rows.users.size() - 1;
  for (UserId row = 0; row < user_count; ++row)
    for (std::size_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i)
      filler.add(rows.users[i], row, rows.weights.empty() ? 1.0F : rows.weights[i],
                 rows.users[std::min(i + kAhead, last)],
                 rows.users[std::min(i + 2 * kAhead, last)]);
  return filler.finish();
}

Adjacency transposed(const Adjacency& rows) {
  RowFiller filler(static_cast<UserId>(rows.begins.size() - 1), !rows.weights.empty());
  for (const UserId user : rows.users) filler.count(user);
  filler.start_filling();
  return filled_by_columns(rows, std::move(filler));
}

// Where every entry stands in both directions, rows and columns have the same sizes.
Adjacency symmetric_transposed(const Adjacency& rows) {
  return filled_by_columns(rows, RowFiller(rows.begins, !rows.weights.empty()));
}

// Keeps the first of equal neighbours, which stand side by side; returns how many were dropped.
std::uint64_t drop_duplicates(Adjacency& rows) {
  std::uint64_t end = 0;
  std::uint64_t from = 0;
  for (std::size_t row = 0; row + 1 < rows.begins.size(); ++row) {
    const std::uint64_t begin = end;
    const std::uint64_t to = rows.begins[row + 1];
    for (std::uint64_t i = from; i < to; ++i) {
      if (i > from && rows.users[i] == rows.users[i - 1]) continue;
      rows.users[end] = rows.users[i];
      if (!rows.weights.empty()) rows.weights[end] = rows.weights[i];
      ++end;
    }
    rows.begins[row] = begin;
    from = to;
  }
  const std::uint64_t dropped = rows.users.size() - end;
  rows.begins.back() = end;
  rows.users.resize(end);
  if (!rows.weights.empty()) rows.weights.resize(end);
  if (rows.users.capacity() > end + end / 8) {
    rows.users.shrink_to_fit();
    rows.weights.shrink_to_fit();
  }
  return dropped;
}

}  // namespace

void NetworkBuilder::add_edge(UserId from, UserId to, float weight) {
  if (from == to) {
    ++self_loops_;
    return;
  }
  if (edges_.empty() || edges_.back().size() == kBlock) {
    edges_.emplace_back();
    if (!weights_.empty()) weights_.emplace_back();
    if (edges_.size() > 1) {  // the first one grows: most networks are small
      edges_.back().reserve(kBlock);
      advise_large_pages(edges_.back().data(), kBlock * sizeof(Edge));
      if (!weights_.empty()) weights_.back().reserve(kBlock);
    }
  }
  if (weight != 1.0F && weights_.empty())
    for (const auto& block : edges_) weights_.emplace_back(block.size(), 1.0F);
  edges_.back().push_back({from, to});
  if (!weights_.empty()) weights_.back().push_back(weight);
  ++edge_count_;
}

// visit(edge, weight, soon, later): the edge, and two that follow some way behind it.
template <class Visit>
void NetworkBuilder::for_each_edge(Visit&& visit) const {
  constexpr std::size_t kAhead = 24;
  for (std::size_t block = 0; block < edges_.size(); ++block) {
    const std::vector<Edge>& edges = edges_[block];
    const std::size_t last = edges.size() - 1;  // blocks are never empty
    for (std::size_t i = 0; i < edges.size(); ++i)
      visit(edges[i], weights_.empty() ? 1.0F : weights_[block][i],
            edges[std::min(i + kAhead, last)], edges[std::min(i + 2 * kAhead, last)]);
  }
}

Network NetworkBuilder::build(bool directed, Dropped* dropped) {
  // In the order of the file, so that transposing keeps the first weight of an edge in front.
  const auto unsorted_rows = [&](bool backward) {
    RowFiller filler(names_.size(), !weights_.empty());
    for_each_edge([&](const Edge& edge, float, const Edge&, const Edge&) {
      filler.count(edge.from);
      if (backward) filler.count(edge.to);
    });
    filler.start_filling();
    for_each_edge([&](const Edge& edge, float weight, const Edge& soon, const Edge& later) {
      filler.add(edge.from, edge.to, weight, soon.from, later.from);
      if (backward) filler.add(edge.to, edge.from, weight, soon.to, later.to);
    });
    return filler.finish();
  };

  names_.drop_table();  // the peak of memory is here
  Network network;
  std::uint64_t duplicates = 0;
  if (directed) {
    network.in_ = transposed(unsorted_rows(false));
    duplicates = drop_duplicates(network.in_);
    network.out_ = transposed(network.in_);
  } else {
    network.out_.begins.assign(names_.size() + 1, 0);
    network.in_.begins.assign(names_.size() + 1, 0);
  }
  Adjacency unsorted = unsorted_rows(true);
  for (auto& block : edges_) release_pages(block.data(), block.size() * sizeof(Edge));
  edges_ = {};
  weights_ = {};
  network.both_ = symmetric_transposed(unsorted);
  unsorted = {};
  const std::uint64_t both_duplicates = drop_duplicates(network.both_);
  network.is_directed_ = directed;
  names_.make_table();
  network.names_ = std::exchange(names_, {});
  if (dropped != nullptr) {
    dropped->self_loops += self_loops_;
    dropped->duplicate_edges += directed ? duplicates : both_duplicates / 2;
  }
  *this = NetworkBuilder();
  return network;
}

UserId require_user(const Network& network, std::string_view name, Side side,
                    const std::string& path, std::size_t line) {
  const UserId user = network.find(name);
  if (user != kNoUser) return user;
  std::vector<std::string> known;
  for (UserId candidate = 0; candidate < network.user_count(); ++candidate)
    known.emplace_back(network.name(candidate));
  throw InputError(path, line,
                   fmt::format("found {}, expected the name of a user of network {}", quoted(name),
                               name_of(side)),
                   suggestion(name, known));
}

void save_network(ArchiveWriter& archive, const std::string& prefix, const Network& network) {
  archive.put_strings(prefix + ".names", network.user_count(),
                      [&](std::size_t user) { return network.name(static_cast<UserId>(user)); });
  archive.put(prefix + ".directed", std::int64_t{network.is_directed() ? 1 : 0});
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  archive.put(prefix + ".begins", rows.begins);
  archive.put(prefix + ".users", rows.users);
  archive.put(prefix + ".weights", rows.weights);
}

namespace {

constexpr std::string_view kNotInNames("\t\r\n\0", 4);

}  // namespace

Network load_network(const ArchiveReader& archive, const std::string& prefix) {
  NetworkBuilder builder;
  for (const auto& name : archive.strings(prefix + ".names")) {
    if (name.empty() || !is_utf8(name) || name.find_first_of(kNotInNames) != name.npos)
      throw InputError(
          archive.path(), 0,
          fmt::format("found {} as the name of a user, expected one line of UTF-8", quoted(name)));
    builder.add_user(name);
  }
  const bool directed = archive.whole_number(prefix + ".directed") != 0;
  const auto begins = archive.values<std::uint64_t>(prefix + ".begins");
  const auto users = archive.values<UserId>(prefix + ".users");
  const auto weights = archive.values<float>(prefix + ".weights");
  const UserId count = builder.user_count();
  if (begins.size() != std::size_t{count} + 1 || begins[0] != 0 || begins.back() != users.size() ||
      (!weights.empty() && weights.size() != users.size()))
    throw InputError(archive.path(), 0, "found a network whose parts do not fit together");
  for (UserId user = 0; user < count; ++user) {
    if (begins[user] > begins[user + 1] || begins[user + 1] > users.size())
      throw InputError(archive.path(), 0, "found a network whose parts do not fit together");
    for (std::uint64_t i = begins[user]; i < begins[user + 1]; ++i) {
      if (!weights.empty() && !(weights[i] > 0.0F && std::isfinite(weights[i])))
        throw InputError(archive.path(), 0, "found an edge weight that is not positive");
      if (users[i] >= count)
        throw InputError(archive.path(), 0, "found an edge to a user that does not exist");
      if (directed || user < users[i])
        builder.add_edge(user, users[i], weights.empty() ? 1.0F : weights[i]);
    }
  }
  return builder.build(directed);
}

}  // namespace dalaup
