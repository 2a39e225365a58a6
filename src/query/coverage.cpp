#include <algorithm>
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
              return need_around(network, mass_around(network, scene.matched[index_of(side)]));
            };
            const auto value = [](double probability, double need_a, double need_b) {
              return probability * (1.0 - probability) * std::sqrt(need_a * need_b);
            };
            const auto highest = [=](double probability, double need_a, double need_b) {
              return value(std::min(probability, 0.5), need_a, need_b);
            };
            return score_by_weight(scene, {need(Side::kA), need(Side::kB), highest}, value);
          }};
}

}  // namespace dalaup
