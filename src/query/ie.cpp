#include "query/strategy.h"

namespace dalaup {

// Eq. 9 with the reward of eq. 10: the entropy of the answer.
Strategy ie_strategy() {
  return {"ie", "information entropy: the least certain pairs", [](const Scene& scene) {
            return score_each(scene, [](const CandidatePair& candidate) {
              return entropy(candidate.probability);
            });
          }};
}

}  // namespace dalaup
