#include "query/strategy.h"

namespace dalaup {

// Matches that would be exported, drawn evenly: the sample that audits a model.
Strategy random_match_strategy() {
  return {"random-match", "matches with a probability of at least one half, drawn evenly",
          [](const Scene& scene) {
            constexpr double kExported = 0.5;
            Random random = scene.run.random("query random match", scene.situation.round);
            Proposal proposal;
            for (const CandidatePair& match : scene.matching) {
              const double drawn = random.uniform();
              if (match.probability >= kExported &&
                  scene.situation.pool.may_ask(match.pair, scene.situation.labels))
                proposal.pairs.push_back({match, drawn});
            }
            proposal.pick = Proposal::Pick::kHighest;
            return proposal;
          },
          /*looks_further=*/false};
}

}  // namespace dalaup
