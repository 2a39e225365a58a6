#pragma once
// From users and edges in any order to a Network.
#include <cstdint>
#include <string_view>
#include <vector>

#include "networks/network.h"

namespace dalaup {

// What a reader left out; none of it changes the network's meaning.
struct Dropped {
  std::uint64_t self_loops = 0;
  std::uint64_t duplicate_edges = 0;  // the first weight is kept
};

class NetworkBuilder {
 public:
  UserId add_user(std::string_view name) { return names_.find_or_add(name); }
  UserNames& names() { return names_; }
  void add_edge(UserId from, UserId to) { add_edge(from, to, 1.0F); }
  void add_edge(UserId from, UserId to, float weight);
  UserId user_count() const { return names_.size(); }
  std::uint64_t edge_count() const { return edge_count_; }

  // Empties the builder. `dropped`, when given, receives the counts.
  Network build(bool directed, Dropped* dropped = nullptr);

 private:
  struct Edge {
    UserId from;
    UserId to;
  };
  // Blocks that never move, so that growing does not hold the edges twice.
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  template <class Visit>
  void for_each_edge(Visit&& visit) const;

  UserNames names_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::vector<float>> weights_;  // empty until the first weight other than 1
  std::uint64_t edge_count_ = 0;
  std::uint64_t self_loops_ = 0;
};

}  // namespace dalaup
