#pragma once
// Names of users and their ids, found in one cache miss.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

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

  struct Lookup {
    std::string_view name;
    std::uint64_t start = 0;  // the first 8 bytes of the name, low byte first, or all with zeros
    std::uint64_t hash = 0;   // set by prepare()
    UserId user = kNoUser;
  };
  // Begins to fetch what the look-up of a name will need, while the caller goes on with others.
  void prepare(Lookup& lookup) const {
    lookup.hash = hash_of(lookup.name, lookup.start);
    if (!slots_.empty()) prefetch_slot(lookup.hash);
  }
  // Fills in `user` of each, in order, as find_or_add(name) would; all must be prepared. A hundred
  // names at a time take half as long as one by one: their cache misses overlap.
  void find_or_add(std::span<Lookup> lookups);

 private:
  void make_table();
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
  void prefetch_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  static std::uint64_t hash_of(std::string_view name, std::uint64_t start) {
    const std::uint64_t hash =
        mixed(start ^ (0x9e3779b97f4a7c15ULL + name.size()), 0xe7037ed1a0b428dbULL);
    return name.size() <= 8 ? hash : hash_of_rest(name, hash);
  }
  static std::uint64_t hash_of_rest(std::string_view name, std::uint64_t hash);
  static std::uint64_t hash_of(std::string_view name);
  static std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::string letters_;
  LargeVector<std::uint64_t> begins_{0};
  LargeVector<Slot> slots_;
};

}  // namespace dalaup
