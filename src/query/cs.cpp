#include "query/strategy.h"

namespace dalaup {

// Eq. 12. The aligner's score is the cosine where it has embeddings, and its own measure of
// similarity elsewhere; the latter may be a logarithm, so its size without the sign says nothing.
Strategy cs_strategy() {
  return {"cs", "cosine similarity: the pairs that score highest", [](const Scene& scene) {
            Proposal proposal = score_each(scene, [](const CandidatePair& candidate) {
              return static_cast<double>(candidate.score);
            });
            proposal.pick = Proposal::Pick::kHighest;
            return proposal;
          }};
}

}  // namespace dalaup
