#include <bit>

#include "active_learning/active_learning.h"

namespace dalaup {
namespace {

// A chain of splitmix64 steps: every value read so far decides all later bits.
class ContentHash {
 public:
  void add(std::uint64_t value) {
    std::uint64_t mixed = (hash_ ^ value) + 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    hash_ = mixed ^ (mixed >> 31);
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char letter : text)
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
  }
  void add(const Network& network) {
    add(network.user_count());
    for (UserId user = 0; user < network.user_count(); ++user) {
      add(network.name(user));
      add(network.degree(user));
      for (const UserId neighbour : network.neighbours(user)) add(neighbour);
      for (const UserId neighbour : network.out().of(user)) add(neighbour);
      for (const float weight : network.both().weights_of(user))
        add(std::uint64_t{std::bit_cast<std::uint32_t>(weight)});
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace

std::uint64_t contents_of(const NetworkPair& networks, std::span<const UserPair> truth) {
  ContentHash hash;
  hash.add(networks.a);
  hash.add(networks.b);
  for (const UserPair pair : truth) hash.add(key_of(pair));
  return hash.value();
}

}  // namespace dalaup
