#include "cli/predictions.h"

namespace dalaup {

std::vector<Match> match_networks(const Aligner& aligner, std::size_t top,
                                  const MatchingParams& params, Run& run) {
  const auto users = unanchored_users(aligner.labels(), Side::kA);
  RankedLists lists = aligner.best_candidates(Side::kA, users, top, run);
  run.for_pieces(lists.size(), 64, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      for (Candidate& candidate : lists[i].candidates)
        candidate.score = static_cast<float>(aligner.probability({lists[i].user, candidate.user}));
  });
  return one_to_one(lists, params, run);
}

}  // namespace dalaup
