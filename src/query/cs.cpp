#include <algorithm>
#include <cmath>

#include "query/strategy.h"

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerPiece = 16;

// Pairs of a cosine below -lowest, at most list_length of each user of A: lists are by the signed
// score, so they do not hold them.
std::vector<CandidatePair> opposite_pairs(const Scene& scene, double lowest) {
  const Aligner& aligner = scene.situation.aligner;  // clang 14 captures no structured bindings
  const LabelSet& labels = scene.situation.labels;
  const Pool& pool = scene.situation.pool;
  const std::vector<UserId> users_a = pool.users(Side::kA, labels);
  const std::vector<UserId> users_b = pool.users(Side::kB, labels);
  const auto most = static_cast<std::size_t>(scene.params.list_length);
  const auto farther = [](const CandidatePair& left, const CandidatePair& right) {
    return left.score != right.score ? left.score < right.score : left.pair < right.pair;
  };
  std::vector<std::vector<CandidatePair>> of_user(users_a.size());
  scene.run.for_pieces(users_a.size(), kUsersPerPiece, [&](const Piece& piece) {
    std::vector<float> scores(labels.user_count(Side::kB));
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      aligner.score_row(Side::kA, users_a[i], scores);
      std::vector<CandidatePair>& pairs = of_user[i];
      for (const UserId b : users_b) {
        const UserPair pair{users_a[i], b};
        if (scores[b] < 0.0F && -static_cast<double>(scores[b]) > lowest &&
            pool.may_ask(pair, labels) &&
            !std::ranges::binary_search(scene.pairs, pair, {}, &CandidatePair::pair))
          pairs.push_back({.pair = pair, .score = scores[b]});
      }
      std::ranges::partial_sort(
          pairs, pairs.begin() + static_cast<std::ptrdiff_t>(std::min(most, pairs.size())),
          farther);
      pairs.resize(std::min(most, pairs.size()));
      for (CandidatePair& candidate : pairs)
        candidate.probability = clamp_probability(aligner.probability(candidate.pair));
    }
  });
  std::vector<CandidatePair> all;
  for (const auto& pairs : of_user) all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

}  // namespace

// Eq. 12, the size of the cosine. Where a method's score is no cosine it may be a logarithm, whose
// size without its sign says nothing: there the highest score counts.
Strategy cs_strategy() {
  return {"cs", "cosine similarity: the pairs that score highest", [](const Scene& scene) {
            const bool are_cosines = scene.situation.aligner.scores_are_cosines();
            Proposal proposal = score_each(scene, [=](const CandidatePair& candidate) {
              const auto score = static_cast<double>(candidate.score);
              return are_cosines ? std::abs(score) : score;
            });
            proposal.pick = Proposal::Pick::kHighest;
            if (are_cosines) proposal.unlisted = opposite_pairs;
            proposal.values_follow_scores = true;
            return proposal;
          }};
}

}  // namespace dalaup
