#include <cmath>

#include "query/frontier.h"
#include "query/strategy.h"

namespace dalaup {

std::vector<double> mass_around(const Network& network, std::span<const double> matched) {
  std::vector<double> mass(network.user_count(), 0.0);
  for (UserId user = 0; user < mass.size(); ++user)
    for (const UserId neighbour : network.neighbours(user)) mass[user] += matched[neighbour];
  return mass;
}

std::vector<double> need_around(const Network& network, std::span<const double> mass) {
  std::vector<double> need(network.user_count(), 0.0);
  for (UserId user = 0; user < need.size(); ++user)
    for (const UserId neighbour : network.neighbours(user))
      need[user] += 1.0 / (1.0 + mass[neighbour]);
  return need;
}

// p (1 - p) * sqrt(g_a * g_b), with g what the neighbourhood still needs.
Strategy coverage_strategy() {
  return {"coverage", "uncertain pairs whose neighbours have little evidence yet",
          [](const Scene& scene) {
            const auto need = [&](Side side) {
              const Network& network = scene.networks().on(side);
              return need_around(network,
                                 mass_around(network, scene.matched[side == Side::kA ? 0 : 1]));
            };
            const std::vector<double> need_a = need(Side::kA);
            const std::vector<double> need_b = need(Side::kB);
            return score_each(scene, [&](const CandidatePair& candidate) {
              const double probability = candidate.probability;
              return probability * (1.0 - probability) *
                     std::sqrt(need_a[candidate.pair.a] * need_b[candidate.pair.b]);
            });
          }};
}

}  // namespace dalaup
