// What a fitted propagation answers: scores, lists, ranks, probabilities and reasons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "methods/propagation/field_words.h"
#include "methods/propagation/propagation_aligner.h"
#include "methods/propagation/row_answers.h"

namespace dalaup {
namespace {

constexpr std::size_t kAnswersPerPiece = 64;
constexpr float kKnownScore = 40.0F;      // a known anchor pair
constexpr float kRefusedScore = -200.0F;  // a pair answered "no"; listed ones stay above -90

}  // namespace

std::optional<std::uint64_t> PropagationAligner::position_of(UserPair pair) const {
  const auto pairs = state_.lists.pairs.of(pair.a);
  const auto found = std::ranges::find(pairs, pair.b, &ListedPair::partner);
  if (found == pairs.end()) return std::nullopt;
  return state_.lists.pairs.begin_of(pair.a) + static_cast<std::uint64_t>(found - pairs.begin());
}

std::vector<Candidate> PropagationAligner::listed(Side side, UserId user) const {
  std::vector<Candidate> candidates;
  const auto add = [&](UserId candidate, std::uint64_t position) {
    if (!labels_.is_negative(pair_of(side, user, candidate)))
      candidates.push_back({candidate, log_odds_[position]});
  };
  if (side == Side::kA) {
    const auto pairs = state_.lists.pairs.of(user);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      add(pairs[i].partner, state_.lists.pairs.begin_of(user) + i);
  } else {
    for (const ColumnEntry& entry : columns_.of(user)) add(entry.user, entry.position);
  }
  std::ranges::sort(candidates, ranks_before);
  return candidates;
}

float PropagationAligner::floor_of(Side side, UserId user) const {
  return floor_below(listed(side, user));
}

float PropagationAligner::unlisted_score(Side side, UserId candidate) const {
  return unlisted_score_of(taken_[index_of(other(side))][candidate],
                           networks_->on(other(side)).degree(candidate));
}

void PropagationAligner::score_row(Side side, UserId user, std::span<float> scores) const {
  require_all_rows();
  const float floor = floor_of(side, user);
  for (UserId candidate = 0; candidate < scores.size(); ++candidate)
    scores[candidate] = floor + unlisted_score(side, candidate);
  for (const Candidate& candidate : listed(side, user)) scores[candidate.user] = candidate.score;
  for (const UserPair& pair : labels_.negatives())
    if (pair.on(side) == user) scores[pair.on(other(side))] = kRefusedScore;
  for (const UserId alone : labels_.without_partner(other(side))) scores[alone] = kRefusedScore;
  if (labels_.has_no_partner(side, user)) std::ranges::fill(scores, kRefusedScore);
  const UserId partner = labels_.partner(side, user);
  if (partner != kNoUser) scores[partner] = kKnownScore;
}

float PropagationAligner::score(UserPair pair) const {
  require_all_rows();
  if (labels_.partner(Side::kA, pair.a) == pair.b) return kKnownScore;
  if (labels_.is_negative(pair) || labels_.has_no_partner(Side::kA, pair.a) ||
      labels_.has_no_partner(Side::kB, pair.b))
    return kRefusedScore;
  if (const auto position = position_of(pair)) return log_odds_[*position];
  return floor_of(Side::kA, pair.a) + unlisted_score(Side::kA, pair.b);
}

RankedLists PropagationAligner::best_candidates(Side side, std::span<const UserId> users,
                                                std::size_t top, Run& run) const {
  require_all_rows();
  RankedLists lists(users.size());
  run.for_pieces(users.size(), kAnswersPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const UserId user = users[i];
      lists[i] = {
          user,
          best_of_listed(
              listed(side, user), top, by_fallback_[index_of(other(side))],
              [&](UserId candidate) { return labels_.is_open(other(side), candidate); },
              [&](UserId candidate) { return labels_.is_negative(pair_of(side, user, candidate)); },
              [&](UserId candidate) { return unlisted_score(side, candidate); })};
    }
  });
  return lists;
}

std::vector<double> PropagationAligner::ranks(std::span<const UserPair> pairs, Run& run) const {
  require_all_rows();
  std::vector<double> ranks(pairs.size());
  std::vector<std::size_t> unlisted;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto candidates = listed(Side::kA, pairs[i].a);
    const auto own = std::ranges::find(candidates, pairs[i].b, &Candidate::user);
    if (own == candidates.end()) {
      unlisted.push_back(i);
      continue;
    }
    double rank = 1.0;
    for (const Candidate& candidate : candidates)
      if (candidate.user != own->user && !labels_.is_anchored(Side::kB, candidate.user))
        rank += candidate.score > own->score ? 1.0 : candidate.score == own->score ? 0.5 : 0.0;
    ranks[i] = rank;
  }
  std::vector<UserPair> rest;
  for (const std::size_t i : unlisted) rest.push_back(pairs[i]);
  const std::vector<double> rest_ranks = Aligner::ranks(rest, run);
  for (std::size_t i = 0; i < unlisted.size(); ++i) ranks[unlisted[i]] = rest_ranks[i];
  return ranks;
}

double PropagationAligner::probability(UserPair pair) const {
  require_all_rows();
  if (const auto answer = labels_.answer(pair))
    return *answer == Label::kAnchor ? 1.0 - kLeastProbability : kLeastProbability;
  const auto position = position_of(pair);
  return clamped_probability(
      position ? double{probability_[*position]}
               : unlisted_chance(taken_[0][pair.a], taken_[1][pair.b], by_fallback_[1].size()));
}

std::optional<double> PropagationAligner::no_partner_probability(Side side, UserId user) const {
  require_all_rows();
  if (labels_.is_anchored(side, user)) return kLeastProbability;
  if (labels_.has_no_partner(side, user)) return 1.0 - kLeastProbability;
  return clamped_probability(1.0 - double{taken_[index_of(side)][user]});
}

std::vector<double> PropagationAligner::negative_information(Side side, Run& run) const {
  require_all_rows();
  std::vector<double> sums(networks().on(side).user_count(), 0.0);
  const double open = static_cast<double>(by_fallback_[index_of(other(side))].size());
  const double open_b = static_cast<double>(std::max<std::size_t>(1, by_fallback_[1].size()));
  double free_others = 0.0;
  for (const UserId candidate : by_fallback_[index_of(other(side))])
    free_others += 1.0 - taken_[index_of(other(side))][candidate];
  run.for_pieces(sums.size(), kAnswersPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const auto user = static_cast<UserId>(i);
      if (!labels_.is_open(side, user)) continue;
      double unlisted = free_others;
      for (const Candidate& candidate : listed(side, user)) {
        const UserPair pair = pair_of(side, user, candidate.user);
        if (labels_.answer(pair)) continue;
        sums[i] -= std::log1p(-probability(pair));
        unlisted -= 1.0 - taken_[index_of(other(side))][candidate.user];
      }
      // Unlisted pairs have tiny probabilities, for which -log(1 - p) = p.
      sums[i] +=
          std::max(kLeastProbability * open, kUnlistedShare * (1.0 - taken_[index_of(side)][user]) *
                                                 std::max(0.0, unlisted) / open_b);
    }
  });
  return sums;
}

std::string PropagationAligner::known_words(UserPair pair) const {
  const UserId partner = labels_.partner(Side::kA, pair.a);
  if (partner == pair.b) return "The labels say that the two are one person.";
  if (labels_.is_negative(pair)) return "The labels say that the two are not one person.";
  return partner != kNoUser
             ? fmt::format("The labels know another partner of {}: {}.", networks().a.name(pair.a),
                           networks().b.name(partner))
             : fmt::format("The labels know another partner of {}: {}.", networks().b.name(pair.b),
                           networks().a.name(labels_.partner(Side::kB, pair.b)));
}

Explanation PropagationAligner::explain(UserPair pair, std::size_t most_parts) const {
  Explanation explanation{.score = score(pair),
                          .probability = probability(pair),
                          .parts = {},
                          .fields = fields_with_values(pair),
                          .words = {}};
  double total = 0.0;
  for (const UserId neighbour : networks().a.neighbours(pair.a))
    for (const WeightedUser& match : state_.matched.of(neighbour)) {
      if (!std::ranges::binary_search(networks().b.neighbours(pair.b), match.user)) continue;
      const double contribution =
          double{weights_.a[neighbour]} * match.weight * weights_.b[match.user];
      total += contribution;
      explanation.parts.push_back({{neighbour, match.user},
                                   contribution,
                                   labels_.partner(Side::kA, neighbour) == match.user});
    }
  std::size_t labelled = 0;
  for (Explanation::Part& part : explanation.parts) {
    part.contribution /= total;
    labelled += part.is_label ? 1 : 0;
  }
  std::ranges::stable_sort(explanation.parts, [](const auto& left, const auto& right) {
    return left.contribution > right.contribution;
  });
  const std::size_t all = explanation.parts.size();
  const auto position = position_of(pair);
  const std::string context =
      labels_.answer(pair) ? known_words(pair)
      : position
          ? fmt::format(
                "{} the two users are {:.0f} % alike.",
                params_.prior == "context" ? "Seen from the known anchors" : "By the learned prior",
                100.0 *
                    state_.lists.pairs.of(pair.a)[*position - state_.lists.pairs.begin_of(pair.a)]
                        .prior)
          : "The pair is not among the candidates that were kept.";
  explanation.words =
      all == 0
          ? fmt::format("No neighbours of the two users are matched with each other. {}", context)
          : fmt::format("{} pair{} of neighbours {} matched with each other, {} of them known. {}",
                        all, all == 1 ? "" : "s", all == 1 ? "is" : "are", labelled, context);
  explanation.words += field_words(explanation.fields);
  if (all > most_parts) explanation.parts.resize(most_parts);
  return explanation;
}

}  // namespace dalaup
