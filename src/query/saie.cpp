#include <algorithm>
#include <cmath>

#include "query/strategy.h"

namespace dalaup {

// Eqs. 9 and 11: the entropy, and for a yes also the information of all pairs it rules out, which
// are the rest of the pair's row and column.
Strategy saie_strategy() {
  return {"saie", "structure-aware entropy: entropy plus what a yes rules out",
          [](const Scene& scene) {
            const Aligner& aligner = scene.situation.aligner;
            const std::vector<double> of_a = aligner.negative_information(Side::kA, scene.run);
            const std::vector<double> of_b = aligner.negative_information(Side::kB, scene.run);
            Proposal proposal = score_each(scene, [of_a, of_b](const CandidatePair& candidate) {
              const double probability = candidate.probability;
              const double own = -std::log1p(-probability);
              const double ruled_out =
                  std::max(0.0, of_a[candidate.pair.a] + of_b[candidate.pair.b] - 2.0 * own);
              return entropy(probability) + probability * ruled_out;
            });
            proposal.unlisted = unlisted_by_bound(
                {of_a, of_b, [](double probability, double weight_a, double weight_b) {
                   return highest_entropy(probability) + probability * (weight_a + weight_b);
                 }});
            return proposal;
          }};
}

}  // namespace dalaup
