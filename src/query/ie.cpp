#include "query/strategy.h"

namespace dalaup {

// Eq. 9 with the reward of eq. 10: the entropy of the answer.
Strategy ie_strategy() {
  return {"ie", "information entropy: the least certain pairs", [](const Scene& scene) {
            Proposal proposal = score_each(scene, [](const CandidatePair& candidate) {
              return entropy(candidate.probability);
            });
            proposal.unlisted = unlisted_by_bound({{}, {}, [](double probability, double, double) {
                                                     return highest_entropy(probability);
                                                   }});
            return proposal;
          }};
}

}  // namespace dalaup
