#include <cmath>

#include "query/strategy.h"

namespace dalaup {

// Eq. 12. The aligner's score is the cosine where it has embeddings, and its own measure of
// similarity elsewhere.
Strategy cs_strategy() {
  return {"cs", "cosine similarity: the pairs that score highest", [](const Scene& scene) {
            return score_each(scene, [](const CandidatePair& candidate) {
              return std::abs(static_cast<double>(candidate.score));
            });
          }};
}

}  // namespace dalaup
