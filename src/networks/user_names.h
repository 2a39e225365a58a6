#pragma once
// Names of users and their ids, found in one cache miss.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalaup {

using UserId = std::uint32_t;  // position in order of first appearance
inline constexpr UserId kNoUser = ~UserId{0};

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

}  // namespace dalaup
