#include <algorithm>
#include <cstring>

#include "networks/networks.h"

namespace dalaup {
namespace {

// `count` (0 to 8) bytes as a number, without the call that memcpy of an unknown size would be.
inline std::uint64_t word_of(const char* begin, std::size_t count) {
  std::uint64_t word = 0;
  if (count >= 8) {
    std::memcpy(&word, begin, 8);
  } else if (count >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, begin, 4);
    std::memcpy(&last, begin + count - 4, 4);
    word = first | std::uint64_t{last} << (8 * (count - 4));
  } else {
    for (std::size_t i = 0; i < count; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(begin[i])} << (8 * i);
  }
  return word;
}

inline std::uint64_t start_of(std::string_view name) {
  return word_of(name.data(), std::min<std::size_t>(name.size(), 8));
}

// Whether two names of `size` bytes, more than 8 and alike in the first 8, are the same.
inline bool same_rest(const char* left, const char* right, std::size_t size) {
  if (size <= 16) return word_of(left + size - 8, 8) == word_of(right + size - 8, 8);
  return std::memcmp(left + 8, right + 8, size - 8) == 0;
}

}  // namespace

// Beyond the first word, names are multiplied and folded 8 bytes at a time.
std::uint64_t UserNames::hash_of_rest(std::string_view name, std::uint64_t hash) {
  for (std::size_t done = 8; done < name.size(); done += 8)
    hash = mixed(hash ^ word_of(name.data() + done, std::min<std::size_t>(name.size() - done, 8)),
                 0xa0761d6478bd642fULL);
  return hash;
}

inline std::uint64_t UserNames::hash_of(std::string_view name) {
  return hash_of(name, start_of(name));
}

inline UserNames::Slot UserNames::slot_for(std::uint64_t start, std::size_t size,
                                           std::uint64_t hash, UserId user) {
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(size, 255));
  return {start, (static_cast<std::uint32_t>(hash >> 32) & ~std::uint32_t{255}) | length, user};
}
inline UserNames::Slot UserNames::slot_for(std::string_view name, std::uint64_t hash, UserId user) {
  return slot_for(start_of(name), name.size(), hash, user);
}

// Open addressing with linear probing: the first free slot, or one that looks like `wanted`. A name
// of up to 8 bytes is settled by its slot alone, so that a look-up costs one cache miss and not
// three.
inline std::size_t UserNames::next_like(const Slot& wanted, std::size_t place) const {
  const std::size_t mask = slots_.size() - 1;
  for (place &= mask;; place = (place + 1) & mask) {
    const Slot& found = slots_[place];
    if (found.user == kNoUser || (found.start == wanted.start && found.tag == wanted.tag))
      return place;
  }
}

// For a user whose slot looks right.
inline bool UserNames::is_name_of(UserId user, std::string_view name) const {
  if (name.size() <= 8) return true;
  const std::string_view known = (*this)[user];
  return known.size() == name.size() && same_rest(known.data(), name.data(), name.size());
}

std::size_t UserNames::slot_of(std::string_view name, std::uint64_t hash) const {
  const Slot wanted = slot_for(name, hash, kNoUser);
  std::size_t place = next_like(wanted, hash);
  while (slots_[place].user != kNoUser && !is_name_of(slots_[place].user, name))
    place = next_like(wanted, place + 1);
  return place;
}

void UserNames::make_table() {
  // At most three quarters full.
  std::size_t wanted = 16;
  while (3 * wanted < 4 * begins_.size()) wanted *= 2;
  LargeVector<Slot>().swap(slots_);  // never two tables at once
  slots_.resize(wanted);
  const std::size_t mask = wanted - 1;
  constexpr UserId kAhead = 32;
  std::uint64_t hashes[kAhead];
  for (UserId begin = 0; begin < size(); begin += kAhead) {
    const UserId count = std::min(kAhead, size() - begin);
    for (UserId i = 0; i < count; ++i) prefetch_slot(hashes[i] = hash_of((*this)[begin + i]));
    for (UserId i = 0; i < count; ++i) {
      std::size_t slot = hashes[i] & mask;
      while (slots_[slot].user != kNoUser) slot = (slot + 1) & mask;
      slots_[slot] = slot_for((*this)[begin + i], hashes[i], begin + i);
    }
  }
}

// Each step is taken for all names before the next begins.
void UserNames::find_or_add(std::span<Lookup> lookups) {
  if (slots_.empty()) make_table();
  bool any_long = false;
  for (Lookup& lookup : lookups) {
    const Slot wanted = slot_for(lookup.start, lookup.name.size(), lookup.hash, kNoUser);
    lookup.user = slots_[next_like(wanted, lookup.hash)].user;
    if (lookup.name.size() <= 8 || lookup.user == kNoUser) continue;
    __builtin_prefetch(&begins_[lookup.user]);
    any_long = true;
  }
  if (any_long)
    for (const Lookup& lookup : lookups)
      if (lookup.user != kNoUser) __builtin_prefetch(letters_.data() + begins_[lookup.user]);
  for (Lookup& lookup : lookups)
    if (lookup.user == kNoUser || !is_name_of(lookup.user, lookup.name))
      lookup.user = find_or_add(lookup.name, lookup.hash);
}

UserId UserNames::find_or_add(std::string_view name) { return find_or_add(name, hash_of(name)); }

UserId UserNames::find_or_add(std::string_view name, std::uint64_t hash) {
  if (3 * slots_.size() < 4 * begins_.size()) make_table();
  const std::size_t slot = slot_of(name, hash);
  if (slots_[slot].user != kNoUser) return slots_[slot].user;
  if (size() >= kMostUsers)
    throw InputError("found more than 2,147,483,648 users, expected at most that many",
                     "split the network into parts");
  slots_[slot] = slot_for(name, hash, size());
  letters_.append(name);
  begins_.push_back(letters_.size());
  return slots_[slot].user;
}

UserId UserNames::find(std::string_view name) const {
  return slots_.empty() ? kNoUser : slots_[slot_of(name, hash_of(name))].user;
}

}  // namespace dalaup
