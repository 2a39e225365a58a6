#include "numeric/alias_table.h"

#include <numeric>

namespace dalaup {

AliasTable::AliasTable(std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0.0)) return;
  entries_.resize(weights.size());
  std::vector<double> share(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] * static_cast<double>(weights.size()) / total;
    (share[i] < 1.0 ? small : large).push_back(i);
  }
  constexpr double kWhole = 4294967295.0;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back();
    const std::uint32_t rich = large.back();
    small.pop_back();
    entries_[poor] = {static_cast<std::uint32_t>(share[poor] * kWhole), rich};
    share[rich] -= 1.0 - share[poor];
    if (share[rich] >= 1.0) continue;
    large.pop_back();
    small.push_back(rich);
  }
  for (const auto& rest : {small, large})
    for (const std::uint32_t i : rest) entries_[i] = {~std::uint32_t{0}, i};
}

std::uint32_t AliasTable::draw(Random& random) const {
  const std::uint64_t bits = random.next();
  const auto index = static_cast<std::uint32_t>(((bits >> 32) * entries_.size()) >> 32);
  const auto share = static_cast<std::uint32_t>(bits);
  return share <= entries_[index].own_share ? index : entries_[index].alias;
}

std::uint32_t AliasTable::choose(std::size_t place, double share) const {
  const Entry& entry = entries_[place];
  return share * 0x1p32 < entry.own_share ? static_cast<std::uint32_t>(place) : entry.alias;
}

}  // namespace dalaup
