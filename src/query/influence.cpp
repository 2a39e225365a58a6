#include <algorithm>

#include "query/strategy.h"

namespace dalaup {
namespace {

constexpr double kOwnUncertainty = 0.25;  // what settling the pair itself is worth

// Sum of q (1 - q) over pairs of neighbours that are matched with probability q: what an answer
// about the pair can tip over.
class NeighbourUncertainty {
 public:
  explicit NeighbourUncertainty(const Scene& scene)
      : networks_(scene.networks()),
        partner_(networks_.a.user_count(), kNoUser),
        uncertainty_(networks_.a.user_count(), 0.0) {
    for (const CandidatePair& match : scene.matching) {
      partner_[match.pair.a] = match.pair.b;
      uncertainty_[match.pair.a] = match.probability * (1.0 - match.probability);
    }
  }
  double around(UserPair pair) const {
    const auto neighbours_b = networks_.b.neighbours(pair.b);
    double sum = 0.0;
    for (const UserId neighbour : networks_.a.neighbours(pair.a)) {
      const UserId partner = partner_[neighbour];
      if (partner != kNoUser && std::ranges::binary_search(neighbours_b, partner))
        sum += uncertainty_[neighbour];
    }
    return sum;
  }

 private:
  const NetworkPair& networks_;
  std::vector<UserId> partner_;
  std::vector<double> uncertainty_;
};

}  // namespace

// p (1 - p) * (1/4 + sum over matched neighbour pairs of q (1 - q)).
Strategy influence_strategy() {
  return {"influence", "uncertain pairs among uncertain matches of their neighbours",
          [](const Scene& scene) {
            return score_each(
                scene, [neighbours = NeighbourUncertainty(scene)](const CandidatePair& candidate) {
                  const double p = candidate.probability;
                  return p * (1.0 - p) * (kOwnUncertainty + neighbours.around(candidate.pair));
                });
          }};
}

}  // namespace dalaup
