#include "predictions/predictions.h"

#include <algorithm>
#include <functional>

#include "communicator/communicator.h"

namespace dalaup {
namespace {

// The users that this rank ranks.
std::span<const UserId> own_share(std::span<const UserId> users, const Communicator& communicator) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const std::size_t begin = users.size() * rank / ranks;
  return users.subspan(begin, users.size() * (rank + 1) / ranks - begin);
}

// The lists of all ranks, on rank 0.
RankedLists collected(RankedLists own, Communicator& communicator) {
  if (communicator.size() == 1) return own;
  struct Head {
    UserId user;
    std::uint32_t candidates;
  };
  std::vector<Head> heads;
  std::vector<Candidate> candidates;
  for (const RankedList& list : own) {
    heads.push_back({list.user, static_cast<std::uint32_t>(list.candidates.size())});
    candidates.insert(candidates.end(), list.candidates.begin(), list.candidates.end());
  }
  RankedLists all;
  std::size_t next = 0;
  visit_in_turn(communicator, std::move(heads), [&](std::span<const Head> part) {
    for (const Head& head : part)
      all.push_back({head.user, std::vector<Candidate>(head.candidates)});
  });
  visit_in_turn(communicator, std::move(candidates), [&](std::span<const Candidate> part) {
    for (; !part.empty(); ++next) {
      const std::size_t count = all[next].candidates.size();
      std::ranges::copy(part.first(count), all[next].candidates.begin());
      part = part.subspan(count);
    }
  });
  return all;
}

// The two best candidates of each listed user, and where to find its list.
class Rivals {
 public:
  explicit Rivals(const RankedLists& lists) {
    for (const RankedList& list : lists) {
      if (by_user_.size() <= list.user) by_user_.resize(std::size_t{list.user} + 1);
      Entry& entry = by_user_[list.user];
      entry.list = &list;
      for (const Candidate& candidate : list.candidates) {
        if (candidate.score > entry.best.score) {
          entry.next = entry.best.score;
          entry.best = candidate;
        } else {
          entry.next = std::max(entry.next, candidate.score);
        }
      }
    }
  }
  // The probability of the user's best pair with somebody other than the partner.
  double besides(UserId user, UserId partner) const {
    if (user >= by_user_.size()) return 0.0;
    const Entry& entry = by_user_[user];
    return static_cast<double>(entry.best.user == partner ? entry.next : entry.best.score);
  }
  std::size_t place(UserId user, UserId partner) const {
    if (user >= by_user_.size() || by_user_[user].list == nullptr) return 0;
    const auto& candidates = by_user_[user].list->candidates;
    const auto found = std::ranges::find(candidates, partner, &Candidate::user);
    return found == candidates.end() ? 0 : static_cast<std::size_t>(found - candidates.begin()) + 1;
  }

 private:
  struct Entry {
    const RankedList* list = nullptr;
    Candidate best;
    float next = 0.0F;
  };
  std::vector<Entry> by_user_;
};

}  // namespace

RankedLists probabilities_of(const Aligner& aligner, Side side, RankedLists lists, Run& run) {
  run.for_pieces(lists.size(), 64, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      for (Candidate& candidate : lists[i].candidates)
        candidate.score =
            static_cast<float>(aligner.probability(pair_of(side, lists[i].user, candidate.user)));
  });
  return lists;
}

std::size_t write_ranked_lists(const std::string& path, const Aligner& aligner, Side side,
                               std::span<const UserId> users, std::size_t top, Run& run) {
  Communicator& communicator = communicator_of(run);
  const RankedLists lists = aligner.best_candidates(side, own_share(users, communicator), top, run);
  const RankedLists probabilities = probabilities_of(aligner, side, lists, run);
  if (communicator.size() == 1)
    write_ranked_lists(path, side, lists, probabilities, aligner.networks());
  else
    write_ranked_parts(path, side, lists, probabilities, aligner.networks(), communicator);
  return users.size();
}

std::vector<PredictedPair> with_details(std::span<const Match> matches,
                                        const RankedLists& probabilities_a,
                                        const RankedLists& probabilities_b) {
  const Rivals of_a(probabilities_a);
  const Rivals of_b(probabilities_b);
  std::vector<PredictedPair> pairs;
  for (const Match& match : matches) {
    const auto [a, b] = match.pair;
    const double rival = std::max(of_a.besides(a, b), of_b.besides(b, a));
    pairs.push_back({.pair = match.pair,
                     .probability = match.probability,
                     .margin = match.probability - rival,
                     .rank_a = of_a.place(a, b),
                     .rank_b = of_b.place(b, a)});
  }
  return pairs;
}

std::vector<PredictedPair> match_networks(const Aligner& aligner, std::size_t top,
                                          const MatchingParams& params, Run& run) {
  Communicator& communicator = communicator_of(run);
  const auto probabilities = [&](Side side, std::span<const UserId> users) {
    return collected(
        probabilities_of(aligner, side,
                         aligner.best_candidates(side, own_share(users, communicator), top, run),
                         run),
        communicator);
  };
  const RankedLists lists_a = probabilities(Side::kA, unanchored_users(aligner.labels(), Side::kA));
  const std::vector<Match> matches = one_to_one(lists_a, params, run);
  std::vector<UserId> matched_b;
  for (const Match& match : matches) matched_b.push_back(match.pair.b);
  matched_b = gather_all(communicator, std::move(matched_b));  // rank 0 has them all
  std::vector<PredictedPair> pairs =
      with_details(matches, lists_a, probabilities(Side::kB, matched_b));
  std::ranges::stable_sort(pairs, std::greater<>{}, &PredictedPair::probability);
  return pairs;
}

std::vector<PredictedPair> known_pairs(const LabelSet& labels) {
  std::vector<PredictedPair> pairs;
  for (const UserPair anchor : labels.anchors())
    pairs.push_back({.pair = anchor,
                     .probability = 1.0,
                     .margin = 1.0,
                     .rank_a = 1,
                     .rank_b = 1,
                     .is_known = true});
  return pairs;
}

}  // namespace dalaup
