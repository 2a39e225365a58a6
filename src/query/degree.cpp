#include <cmath>

#include "query/strategy.h"

namespace dalaup {

// p * sqrt(d_a * d_b): likely pairs whose yes is evidence for many neighbours.
Strategy degree_strategy() {
  return {"degree", "likely pairs with many neighbours", [](const Scene& scene) {
            const auto degrees = [&](Side side) {
              const Network& network = scene.networks().on(side);
              std::vector<double> values(network.user_count());
              for (UserId user = 0; user < values.size(); ++user)
                values[user] = network.degree(user);
              return values;
            };
            const auto value = [](double probability, double degree_a, double degree_b) {
              return probability * std::sqrt(degree_a * degree_b);
            };
            return score_by_weight(scene, {degrees(Side::kA), degrees(Side::kB), value}, value);
          }};
}

}  // namespace dalaup
