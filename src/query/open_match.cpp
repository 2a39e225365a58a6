#include <cmath>

#include "query/strategy.h"

namespace dalaup {

// Matches the model is least sure of: |p - 1/2| smallest. What is all but certain is not asked.
Strategy open_match_strategy() {
  return {"open-match", "matches with a probability nearest one half",
          [](const Scene& scene) {
            Proposal proposal;
            for (const CandidatePair& match : scene.matching)
              if (is_open_question(match.probability) &&
                  scene.situation.pool.may_ask(match.pair, scene.situation.labels))
                proposal.pairs.push_back({match, -std::abs(match.probability - 0.5)});
            proposal.pick = Proposal::Pick::kHighest;
            return proposal;
          },
          /*looks_further=*/false};
}

}  // namespace dalaup
