#pragma once
// Networks: users with names, edges between them, and where they come from.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace dalaup {

using UserId = std::uint32_t;  // position in order of first appearance
inline constexpr UserId kNoUser = ~UserId{0};

enum class Side : std::uint8_t { kA, kB };
constexpr Side other(Side side) { return side == Side::kA ? Side::kB : Side::kA; }
constexpr std::string_view name_of(Side side) { return side == Side::kA ? "A" : "B"; }

// Names <-> ids. Names live in one string, ids in an open-addressing table.
class UserNames {
 public:
  static constexpr UserId kMostUsers = UserId{1} << 31;

  UserId find_or_add(std::string_view name);  // throws InputError beyond kMostUsers
  UserId find(std::string_view name) const;   // kNoUser when unknown
  std::string_view operator[](UserId user) const {
    return std::string_view(letters_).substr(begins_[user], begins_[user + 1] - begins_[user]);
  }
  UserId size() const { return static_cast<UserId>(begins_.size() - 1); }

  // Fills in `user` of each, in order, as find_or_add(name) would. A hundred names at a time take
  // half as long as one by one: their cache misses overlap.
  struct Lookup {
    std::string_view name;
    std::uint64_t start = 0;  // the first 8 bytes of the name, low byte first, or all with zeros
    std::uint64_t hash = 0;
    UserId user = kNoUser;
  };
  void find_or_add(std::span<Lookup> lookups);
  // Without its table find() knows nobody; adding or make_table() brings it back.
  void drop_table() { std::vector<Slot>().swap(slots_); }
  void make_table();

 private:
  struct Slot {
    std::uint64_t start = 0;  // the first 8 bytes of the name
    std::uint32_t tag = 0;    // 24 bits of the hash, then the length (at most 255)
    UserId user = kNoUser;    // kNoUser: free
  };
  static Slot slot_for(std::uint64_t start, std::size_t size, std::uint64_t hash, UserId user);
  static Slot slot_for(std::string_view name, std::uint64_t hash, UserId user);
  std::size_t next_like(const Slot& wanted, std::size_t place) const;
  bool is_name_of(UserId user, std::string_view name) const;
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  UserId find_or_add(std::string_view name, std::uint64_t hash);
  void prefetch_slot(std::uint64_t hash) const;

  std::string letters_;
  std::vector<std::uint64_t> begins_{0};
  std::vector<Slot> slots_;
};

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

struct NetworkPair {
  Network a;
  Network b;
  const Network& on(Side side) const { return side == Side::kA ? a : b; }
};

struct ReadOptions {
  bool directed = false;
  UserId most_users = UserNames::kMostUsers;  // more are refused
};

// Reads any form of docs/formats.md, told apart by the file's name. Throws InputError with file and
// line; a bad line is never skipped. Self-loops and duplicates are dropped and reported to
// run.warn.
Network read_network(const std::string& path, const ReadOptions& options, Run& run);
// The same from any source; the end of `name` tells the form.
Network read_network(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, Run& run);
// The plain text form, from memory or any source; `name` is used in messages.
Network read_edges(LineReader& lines, const ReadOptions& options, Dropped* dropped = nullptr);

// Throws InputError when a name cannot stand in the text form.
void write_edges(const std::string& path, const Network& network);

// The user of that name, or InputError at path:line with the closest known name as a hint.
UserId require_user(const Network& network, std::string_view name, Side side,
                    const std::string& path, std::size_t line);

void save_network(ArchiveWriter& archive, const std::string& prefix, const Network& network);
Network load_network(const ArchiveReader& archive, const std::string& prefix);

}  // namespace dalaup
