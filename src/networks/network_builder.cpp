#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "networks/edge_store.h"
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

  void count(UserId row) { ++rows_.begins[std::size_t{row} + 2]; }
  void start_filling() {
    std::partial_sum(rows_.begins.begin(), rows_.begins.end(), rows_.begins.begin());
    fill_in_large_pages(rows_.users, rows_.begins.back(), UserId{0});
    if (weighted_) fill_in_large_pages(rows_.weights, rows_.begins.back(), 0.0F);
  }
  // Entries wait until there are many: the two cache misses of adding one, where its row ends and
  // what lies there, then overlap with those of the others.
  void add(UserId row, UserId user, float weight) {
    __builtin_prefetch(&rows_.begins[std::size_t{row} + 1], 1);
    waiting_[waiting_count_++] = {row, user, weight};
    if (waiting_count_ == kBatch) flush();
  }
  Adjacency finish() {
    flush();
    rows_.begins.pop_back();
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kBatch = 96;
  struct Entry {
    UserId row;
    UserId user;
    float weight;
  };

  void flush() {
    const auto entries = std::span(waiting_).first(waiting_count_);
    for (const Entry& entry : entries)
      __builtin_prefetch(rows_.users.data() + rows_.begins[std::size_t{entry.row} + 1], 1);
    for (const Entry& entry : entries) {
      const std::uint64_t place = rows_.begins[std::size_t{entry.row} + 1]++;
      rows_.users[place] = entry.user;
      if (weighted_) rows_.weights[place] = entry.weight;
    }
    waiting_count_ = 0;
  }

  Adjacency rows_;
  bool weighted_;
  std::array<Entry, kBatch> waiting_{};
  std::size_t waiting_count_ = 0;
};

float weight_at(const Adjacency& rows, std::uint64_t place) {
  return rows.weights.empty() ? 1.0F : rows.weights[place];
}

// visit(row, user, weight) for all entries, row by row.
template <class Visit>
void for_each_entry(const Adjacency& rows, Visit&& visit) {
  for (UserId row = 0; row + 1 < rows.begins.size(); ++row)
    for (std::uint64_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i)
      visit(row, rows.users[i], weight_at(rows, i));
}

// The same entries with rows and columns exchanged. Rows are visited in order, so every row of the
// result is sorted: two passes of counting take the place of sorting.
Adjacency transposed(const Adjacency& rows) {
  RowFiller filler(static_cast<UserId>(rows.begins.size() - 1), !rows.weights.empty());
  for (const UserId user : rows.users) filler.count(user);
  filler.start_filling();
  for_each_entry(rows,
                 [&](UserId row, UserId user, float weight) { filler.add(user, row, weight); });
  return filler.finish();
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

NetworkBuilder::NetworkBuilder() : edges_(std::make_unique<EdgeStore>()) {}
NetworkBuilder::~NetworkBuilder() = default;
NetworkBuilder::NetworkBuilder(NetworkBuilder&&) noexcept = default;
NetworkBuilder& NetworkBuilder::operator=(NetworkBuilder&&) noexcept = default;

std::uint64_t NetworkBuilder::edge_count() const { return edges_->count(); }

void NetworkBuilder::add_edge(UserId from, UserId to, float weight) {
  if (from == to)
    ++self_loops_;
  else
    edges_->add(from, to, weight);
}

Network NetworkBuilder::build(bool directed, Dropped* dropped) {
  Network network;
  std::uint64_t duplicates = 0;
  if (directed) {
    // In the order of the file, so that transposing keeps the first weight of an edge in front.
    RowFiller unsorted(names_.size(), edges_->has_weights());
    edges_->for_each([&](UserId from, UserId, float) { unsorted.count(from); });
    unsorted.start_filling();
    edges_->for_each([&](UserId from, UserId to, float weight) { unsorted.add(from, to, weight); });
    network.in_ = transposed(unsorted.finish());
    duplicates = drop_duplicates(network.in_);
    network.out_ = transposed(network.in_);
  } else {
    for (Adjacency* const empty : {&network.out_, &network.in_}) {
      empty->begins = {};
      fill_in_large_pages(empty->begins, std::size_t{names_.size()} + 1, std::uint64_t{0});
    }
  }
  network.both_ = edges_->both_ways(names_.size());
  edges_ = nullptr;
  const std::uint64_t both_duplicates = drop_duplicates(network.both_);
  network.is_directed_ = directed;
  network.names_ = std::exchange(names_, {});
  if (dropped != nullptr) {
    dropped->self_loops += self_loops_;
    dropped->duplicate_edges += directed ? duplicates : both_duplicates / 2;
  }
  *this = NetworkBuilder();
  return network;
}

}  // namespace dalaup
