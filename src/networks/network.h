#pragma once
// A network: users with names, and who is a neighbour of whom.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "networks/user_names.h"

namespace dalaup {

// Compressed sparse rows: for each user the sorted ids of its neighbours.
struct Adjacency {
  std::vector<std::uint64_t> begins{0};
  std::vector<UserId> users;
  std::vector<float> weights;  // empty: every weight is 1

  std::span<const UserId> of(UserId user) const {
    return std::span(users).subspan(begins[user], begins[user + 1] - begins[user]);
  }
  // Empty when the network has no weights.
  std::span<const float> weights_of(UserId user) const {
    if (weights.empty()) return {};
    return std::span(weights).subspan(begins[user], begins[user + 1] - begins[user]);
  }
};

class Network {
 public:
  UserId user_count() const { return names_.size(); }
  std::uint64_t edge_count() const { return both_.users.size() / 2; }  // undirected edges
  std::uint64_t arc_count() const { return out_.users.size(); }  // directed lines; 0 if undirected
  bool is_directed() const { return is_directed_; }
  bool has_weights() const { return !both_.weights.empty(); }

  std::string_view name(UserId user) const { return names_[user]; }
  UserId find(std::string_view name) const { return names_.find(name); }
  const UserNames& names() const { return names_; }

  // Undirected view, sorted by id, without self-loops and duplicates.
  std::span<const UserId> neighbours(UserId user) const { return both_.of(user); }
  std::uint32_t degree(UserId user) const {
    return static_cast<std::uint32_t>(both_.begins[user + 1] - both_.begins[user]);
  }
  const Adjacency& both() const { return both_; }
  // Whom the user points at, and who points at the user; empty rows when undirected.
  const Adjacency& out() const { return out_; }
  const Adjacency& in() const { return in_; }

 private:
  friend class NetworkBuilder;
  UserNames names_;
  Adjacency both_;
  Adjacency out_;
  Adjacency in_;
  bool is_directed_ = false;
};

}  // namespace dalaup
