#include <cmath>

#include "query/strategy.h"

namespace dalaup {

// p * sqrt(d_a * d_b): likely pairs whose yes is evidence for many neighbours.
Strategy degree_strategy() {
  return {"degree", "likely pairs with many neighbours", [](const Scene& scene) {
            const NetworkPair& networks = scene.networks();
            return score_each(scene, [&](const CandidatePair& candidate) {
              const double degrees = static_cast<double>(networks.a.degree(candidate.pair.a)) *
                                     networks.b.degree(candidate.pair.b);
              return candidate.probability * std::sqrt(degrees);
            });
          }};
}

}  // namespace dalaup
