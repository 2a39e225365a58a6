#include <algorithm>
#include <cstring>

#include "networks/networks.h"

namespace dalaup {
namespace {

__extension__ using Wide = unsigned __int128;

// Multiply-and-fold over 8 bytes at a time; names are short, so the tail matters most.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = name.size() * 0x9e3779b97f4a7c15ULL;
  const char* at = name.data();
  std::size_t left = name.size();
  const auto mix = [&hash](std::uint64_t word) {
    const auto product = static_cast<Wide>(hash ^ word) * 0xa0761d6478bd642fULL;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, at, left);
  mix(tail ^ 0x51afd7ed558ccdULL);
  return hash;
}

}  // namespace

std::size_t UserNames::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(name) & mask;
  while (slots_[slot] != kNoUser && (*this)[slots_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

void UserNames::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), kNoUser);
  for (UserId user = 0; user < size(); ++user) slots_[slot_of((*this)[user])] = user;
}

UserId UserNames::find_or_add(std::string_view name) {
  if (slots_.size() < 2 * (begins_.size() + 1)) grow();
  const std::size_t slot = slot_of(name);
  if (slots_[slot] != kNoUser) return slots_[slot];
  if (size() >= (UserId{1} << 31))
    throw InputError("found more than 2,147,483,648 users, expected fewer",
                     "split the network into parts");
  slots_[slot] = size();
  letters_.append(name);
  begins_.push_back(letters_.size());
  return slots_[slot];
}

UserId UserNames::find(std::string_view name) const {
  return slots_.empty() ? kNoUser : slots_[slot_of(name)];
}

}  // namespace dalaup
