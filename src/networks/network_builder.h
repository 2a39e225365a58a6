#pragma once
// From users and edges in any order to a Network.
#include <cstdint>
#include <memory>
#include <string_view>

#include "networks/network.h"

namespace dalaup {

// What a reader left out; none of it changes the network's meaning.
struct Dropped {
  std::uint64_t self_loops = 0;
  std::uint64_t duplicate_edges = 0;  // the first weight is kept
};

class EdgeStore;

class NetworkBuilder {
 public:
  NetworkBuilder();
  ~NetworkBuilder();
  NetworkBuilder(NetworkBuilder&&) noexcept;
  NetworkBuilder& operator=(NetworkBuilder&&) noexcept;

  UserId add_user(std::string_view name) { return names_.find_or_add(name); }
  UserNames& names() { return names_; }
  void add_edge(UserId from, UserId to) { add_edge(from, to, 1.0F); }
  void add_edge(UserId from, UserId to, float weight);
  UserId user_count() const { return names_.size(); }
  std::uint64_t edge_count() const;

  // Empties the builder. `dropped`, when given, receives the counts.
  Network build(bool directed, Dropped* dropped = nullptr);

 private:
  UserNames names_;
  std::unique_ptr<EdgeStore> edges_;
  std::uint64_t self_loops_ = 0;
};

}  // namespace dalaup
