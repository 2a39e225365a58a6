#include <algorithm>

#include "query/query.h"

namespace dalaup {

void Pool::close(std::span<const UserPair> anchors) {
  for (const UserPair pair : anchors) {
    close(Side::kA, pair.a);
    close(Side::kB, pair.b);
  }
}

std::vector<UserId> Pool::users(Side side, const LabelSet& labels) const {
  std::vector<UserId> users;
  for (UserId user = 0; user < closed_[index(side)].size(); ++user)
    if (is_open(side, user) && labels.is_open(side, user)) users.push_back(user);
  return users;
}

std::uint64_t Pool::pair_count(const LabelSet& labels) const {
  const std::uint64_t all =
      std::uint64_t{users(Side::kA, labels).size()} * users(Side::kB, labels).size();
  const auto is_out = [&](UserPair pair) {
    return is_open(Side::kA, pair.a) && is_open(Side::kB, pair.b) &&
           labels.is_open(Side::kA, pair.a) && labels.is_open(Side::kB, pair.b);
  };
  std::uint64_t out = 0;
  for (const UserPair pair : blocked()) out += is_out(pair) ? 1 : 0;
  for (const UserPair pair : labels.negatives()) out += is_out(pair) && !is_blocked(pair) ? 1 : 0;
  return all - out;
}

std::vector<UserPair> Pool::blocked() const {
  std::vector<UserPair> pairs;
  pairs.reserve(blocked_.size());
  for (const std::uint64_t key : blocked_)
    pairs.push_back({static_cast<UserId>(key >> 32), static_cast<UserId>(key)});
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace dalaup
