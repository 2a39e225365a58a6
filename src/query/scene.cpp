#include <algorithm>
#include <cmath>

#include "query/strategy.h"

namespace dalaup {
namespace {

constexpr std::size_t kPairsPerPiece = 2048;

// The pairs in the best lists of the unanchored users of both sides, each once, sorted.
std::vector<CandidatePair> listed_pairs(Scene& scene) {
  const auto& [aligner, labels, pool, round] = scene.situation;
  std::vector<CandidatePair> pairs;
  for (const Side side : {Side::kA, Side::kB}) {
    const std::vector<UserId> users = unanchored_users(labels, side);
    const RankedLists lists = aligner.best_candidates(
        side, users, static_cast<std::size_t>(scene.params.list_length), scene.run);
    std::vector<double>& last = scene.last_listed[index_of(side)];
    last.assign(labels.user_count(side), 0.0);
    for (const RankedList& list : lists) {
      for (const Candidate& candidate : list.candidates)
        pairs.push_back({pair_of(side, list.user, candidate.user), candidate.score});
      if (list.candidates.size() == static_cast<std::size_t>(scene.params.list_length))
        last[list.user] = clamp_probability(
            aligner.probability(pair_of(side, list.user, list.candidates.back().user)));
    }
  }
  std::ranges::sort(pairs, {}, &CandidatePair::pair);
  const auto is_same = [](const auto& left, const auto& right) { return left.pair == right.pair; };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), is_same), pairs.end());
  return pairs;
}

std::vector<CandidatePair> greedy_matching(std::vector<CandidatePair> pairs,
                                           const LabelSet& labels) {
  std::ranges::sort(pairs, [](const CandidatePair& left, const CandidatePair& right) {
    if (left.probability != right.probability) return left.probability > right.probability;
    if (left.score != right.score) return left.score > right.score;
    return left.pair < right.pair;
  });
  std::vector<bool> is_taken_a(labels.user_count(Side::kA), false);
  std::vector<bool> is_taken_b(labels.user_count(Side::kB), false);
  std::vector<CandidatePair> matching;
  for (const CandidatePair& candidate : pairs) {
    const auto [a, b] = candidate.pair;
    if (is_taken_a[a] || is_taken_b[b] || labels.answer(candidate.pair)) continue;
    is_taken_a[a] = true;
    is_taken_b[b] = true;
    matching.push_back(candidate);
  }
  std::ranges::sort(matching, {}, &CandidatePair::pair);
  return matching;
}

}  // namespace

bool is_open_question(double probability) { return probability >= 0.02 && probability <= 0.98; }

double clamp_probability(double probability) { return std::clamp(probability, 1e-9, 1.0 - 1e-9); }

double entropy(double probability) {
  return -probability * std::log(probability) - (1.0 - probability) * std::log1p(-probability);
}

double highest_entropy(double probability) { return entropy(std::min(probability, 0.5)); }

Scene look_around(const QuerySituation& situation, const QueryParams& params,
                  std::size_t batch_size, Run& run) {
  Scene scene{situation, params, batch_size, run, {}, {}, {}, {}};
  std::vector<CandidatePair> pairs = listed_pairs(scene);
  run.for_pieces(pairs.size(), kPairsPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      pairs[i].probability = clamp_probability(situation.aligner.probability(pairs[i].pair));
  });
  const LabelSet& labels = situation.labels;
  for (const Side side : {Side::kA, Side::kB}) {
    std::vector<double>& matched = scene.matched[index_of(side)];
    matched.assign(labels.user_count(side), 0.0);
    for (UserId user = 0; user < matched.size(); ++user)
      matched[user] = labels.is_anchored(side, user) ? 1.0 : 0.0;
    for (const CandidatePair& candidate : pairs) {
      double& best = matched[candidate.pair.on(side)];
      best = std::max(best, candidate.probability);
    }
  }
  scene.matching = greedy_matching(pairs, labels);
  std::erase_if(pairs, [&](const CandidatePair& candidate) {
    return !situation.pool.may_ask(candidate.pair, labels);
  });
  scene.pairs = std::move(pairs);
  return scene;
}

Proposal score_each(const Scene& scene, std::function<double(const CandidatePair&)> value) {
  Proposal proposal{.pairs = {}, .value = std::move(value)};
  proposal.pairs.reserve(scene.pairs.size());
  for (const CandidatePair& candidate : scene.pairs)
    proposal.pairs.push_back({candidate, proposal.value(candidate)});
  return proposal;
}

}  // namespace dalaup
