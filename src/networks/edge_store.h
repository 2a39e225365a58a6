#pragma once
// Edges on their way from a file to sorted rows. Private to networks.
//
// Filling the rows of users in the order of a file touches memory all over the place, once for
// every edge. So edges are kept apart by user from the start: 8,192 users in a row share a bucket,
// and what belongs to the users of one bucket fits into the processor's cache. Adding to a bucket
// is writing where it ended last time, and these places are few enough to be in the cache, too.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/base.h"
#include "networks/network.h"

namespace dalaup {

struct PlainEdge {
  UserId from;
  UserId to;
  static constexpr bool kWeighted = false;
  float weight() const { return 1.0F; }
  static PlainEdge of(UserId from, UserId to, float) { return {from, to}; }
};
struct WeightedEdge {
  UserId from;
  UserId to;
  float own_weight;
  static constexpr bool kWeighted = true;
  float weight() const { return own_weight; }
  static WeightedEdge of(UserId from, UserId to, float weight) { return {from, to, weight}; }
};

// Memory for edges, in chunks of which those given back are handed out again.
template <class Edge>
class ChunkPool {
 public:
  static constexpr std::size_t kChunk = 1024;  // edges

  Edge* take() {
    if (free_.empty()) grow();
    Edge* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  void give_back(Edge* chunk) { free_.push_back(chunk); }

 private:
  // Small at first: most networks are small.
  void grow() {
    const std::size_t chunks = std::clamp<std::size_t>(2 * chunk_count_, 1, 2048);
    slabs_.emplace_back();
    slabs_.back().reset(
        static_cast<Edge*>(allocate_in_large_pages(chunks * kChunk * sizeof(Edge))));
    chunk_count_ += chunks;
    free_.reserve(chunk_count_);
    for (std::size_t i = chunks; i-- > 0;) free_.push_back(slabs_.back().get() + i * kChunk);
  }

  struct Free {
    void operator()(Edge* edges) const { std::free(edges); }
  };
  std::vector<std::unique_ptr<Edge, Free>> slabs_;
  std::vector<Edge*> free_;
  std::size_t chunk_count_ = 0;
};

// Edges by bucket; within a bucket they stay in the order they came.
template <class Edge>
class EdgeBuckets {
 public:
  static constexpr std::uint32_t kBits = 13;
  static constexpr UserId kUsers = UserId{1} << kBits;  // of a bucket

  explicit EdgeBuckets(ChunkPool<Edge>& pool) : pool_(&pool) {}

  void add(UserId user, const Edge& edge) {
    const std::size_t bucket = user >> kBits;
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    Bucket& own = buckets_[bucket];
    if (own.at == own.end) {
      own.chunks.push_back(pool_->take());
      own.at = own.chunks.back();
      own.end = own.at + ChunkPool<Edge>::kChunk;
    }
    *own.at++ = edge;
  }
  std::size_t count() const { return buckets_.size(); }

  // visit(edge) for those of a bucket.
  template <class Visit>
  void for_each(std::size_t bucket, Visit&& visit) const {
    if (bucket >= buckets_.size()) return;
    const Bucket& own = buckets_[bucket];
    for (std::size_t i = 0; i < own.chunks.size(); ++i) {
      const Edge* const end =
          i + 1 == own.chunks.size() ? own.at : own.chunks[i] + ChunkPool<Edge>::kChunk;
      for (const Edge* edge = own.chunks[i]; edge < end; ++edge) visit(*edge);
    }
  }
  // Empties a bucket.
  void give_back(std::size_t bucket) {
    if (bucket >= buckets_.size()) return;
    for (Edge* const chunk : buckets_[bucket].chunks) pool_->give_back(chunk);
    buckets_[bucket] = {};
  }

 private:
  struct Bucket {
    Edge* at = nullptr;  // where the next edge goes
    Edge* end = nullptr;
    std::vector<Edge*> chunks;
  };
  ChunkPool<Edge>* pool_;
  std::vector<Bucket> buckets_;
};

// The edges in the rows of both their users, sorted; the first of equal ones stays in front.
// Empties the buckets, which hold every edge at its lower user. A row is the user's lower
// neighbours and then the higher ones:
//   1. Bucket by bucket, edges are put in the order of their lower user and moved to the bucket of
//      their higher one.
//   2. There they are written to the rows of the higher users: in order, since they come in the
//      order of the lower user. Row by row, they are moved back to the bucket of the lower user.
//   3. There they are written to the rows of the lower users: in order, for the same reason.
template <class Edge>
class BothWays {
 public:
  using Buckets = EdgeBuckets<Edge>;

  BothWays(Buckets lower, ChunkPool<Edge>& pool, UserId user_count, std::uint64_t edges)
      : user_count_(user_count), by_lower_(std::move(lower)), by_higher_(pool) {
    fill_in_large_pages(rows_.begins, std::size_t{user_count} + 1, std::uint64_t{0});
    fill_in_large_pages(rows_.users, 2 * edges, UserId{0});
    if (Edge::kWeighted) fill_in_large_pages(rows_.weights, 2 * edges, 0.0F);
    higher_count_.resize(user_count);
  }

  Adjacency rows() {
    for (std::size_t bucket = 0; bucket < by_lower_.count(); ++bucket) order_by_lower(bucket);
    std::uint64_t begin = 0;
    for (UserId first = 0; first < user_count_; first += Buckets::kUsers)
      begin = fill_lower(first, begin);
    rows_.begins[user_count_] = begin;
    for (UserId first = 0; first < user_count_; first += Buckets::kUsers) fill_higher(first);
    return std::move(rows_);
  }

 private:
  UserId end_of(UserId first) const {
    return first + std::min(Buckets::kUsers, user_count_ - first);
  }

  void order_by_lower(std::size_t bucket) {
    const auto first = static_cast<UserId>(bucket << Buckets::kBits);
    const UserId count = end_of(first) - first;
    places_.assign(std::size_t{count} + 1, 0);
    by_lower_.for_each(
        bucket, [&](const Edge& edge) { ++places_[std::min(edge.from, edge.to) - first + 1]; });
    for (UserId user = 0; user < count; ++user) {
      higher_count_[first + user] = places_[user + 1];
      places_[user + 1] += places_[user];
    }
    ordered_.resize(places_[count]);
    by_lower_.for_each(bucket, [&](const Edge& edge) {
      const auto [low, high] = std::minmax(edge.from, edge.to);
      ordered_[places_[low - first]++] = Edge::of(low, high, edge.weight());
    });
    by_lower_.give_back(bucket);
    for (const Edge& edge : ordered_) by_higher_.add(edge.to, edge);
  }

  // Returns where the rows end.
  std::uint64_t fill_lower(UserId first, std::uint64_t begin) {
    const std::size_t bucket = first >> Buckets::kBits;
    const UserId count = end_of(first) - first;
    places_.assign(std::size_t{count} + 1, 0);
    by_higher_.for_each(bucket, [&](const Edge& edge) { ++places_[edge.to - first]; });
    for (UserId user = 0; user < count; ++user) {
      rows_.begins[first + user] = begin;
      begin += places_[user] + higher_count_[first + user];
      places_[user] = rows_.begins[first + user];
    }
    by_higher_.for_each(bucket, [&](const Edge& edge) {
      put(places_[edge.to - first]++, edge.from, edge.weight());
    });
    by_higher_.give_back(bucket);
    for (UserId user = 0; user < count; ++user)
      for (std::uint64_t i = rows_.begins[first + user]; i < places_[user]; ++i)
        by_lower_.add(rows_.users[i], Edge::of(rows_.users[i], first + user,
                                               Edge::kWeighted ? rows_.weights[i] : 1.0F));
    return begin;
  }

  void fill_higher(UserId first) {
    const std::size_t bucket = first >> Buckets::kBits;
    const UserId count = end_of(first) - first;
    places_.resize(count);
    for (UserId user = 0; user < count; ++user)
      places_[user] = rows_.begins[first + user + 1] - higher_count_[first + user];
    by_lower_.for_each(bucket, [&](const Edge& edge) {
      put(places_[edge.from - first]++, edge.to, edge.weight());
    });
    by_lower_.give_back(bucket);
  }

  void put(std::uint64_t place, UserId user, float weight) {
    rows_.users[place] = user;
    if (Edge::kWeighted) rows_.weights[place] = weight;
  }

  UserId user_count_;
  Buckets by_lower_;
  Buckets by_higher_;
  Adjacency rows_;
  LargeVector<std::uint64_t> higher_count_;  // neighbours with a higher id, by user
  std::vector<std::uint64_t> places_;        // in the bucket at hand
  std::vector<Edge> ordered_;
};

// What a NetworkBuilder was told: edges without weights until the first that has one.
class EdgeStore {
 public:
  void add(UserId from, UserId to, float weight) {
    ++count_;
    const UserId lower = std::min(from, to);
    if (weighted_ == nullptr && weight == 1.0F) {
      plain_.buckets.add(lower, {from, to});
      return;
    }
    if (weighted_ == nullptr) begin_weights();
    weighted_->buckets.add(lower, {from, to, weight});
  }
  std::uint64_t count() const { return count_; }
  bool has_weights() const { return weighted_ != nullptr; }

  // visit(from, to, weight); edges between the same users come in their order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (weighted_ != nullptr)
      weighted_->for_each(visit);
    else
      plain_.for_each(visit);
  }
  // Empties the store.
  Adjacency both_ways(UserId user_count) {
    return weighted_ != nullptr ? weighted_->both_ways(user_count, count_)
                                : plain_.both_ways(user_count, count_);
  }

 private:
  template <class Edge>
  struct Part {
    ChunkPool<Edge> pool;
    EdgeBuckets<Edge> buckets{pool};

    template <class Visit>
    void for_each(Visit&& visit) const {
      for (std::size_t bucket = 0; bucket < buckets.count(); ++bucket)
        buckets.for_each(bucket,
                         [&](const Edge& edge) { visit(edge.from, edge.to, edge.weight()); });
    }
    Adjacency both_ways(UserId user_count, std::uint64_t edges) {
      return BothWays<Edge>(std::move(buckets), pool, user_count, edges).rows();
    }
  };

  void begin_weights() {
    weighted_ = std::make_unique<Part<WeightedEdge>>();
    for (std::size_t bucket = 0; bucket < plain_.buckets.count(); ++bucket) {
      plain_.buckets.for_each(bucket, [&](const PlainEdge& edge) {
        weighted_->buckets.add(std::min(edge.from, edge.to), {edge.from, edge.to, 1.0F});
      });
      plain_.buckets.give_back(bucket);
    }
  }

  Part<PlainEdge> plain_;
  std::unique_ptr<Part<WeightedEdge>> weighted_;
  std::uint64_t count_ = 0;
};

}  // namespace dalaup
