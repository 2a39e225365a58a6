#pragma once
// What a fitted aligner predicts, as people take it away: ranked lists with probabilities and a
// one-to-one matching, and their files.
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/ranking.h"

namespace dalaup {

// The same candidates with their probabilities as scores.
RankedLists probabilities_of(const Aligner& aligner, Side side, RankedLists lists, Run& run);

// Ranks the users and writes the ranked list file: a, rank, b, score, probability for users of A;
// those of B are listed as b, rank, a. Gives the number of users. src/evaluation reads it. With
// several ranks each ranks some of the users, and rank 0 writes.
std::size_t write_ranked_lists(const std::string& path, const Aligner& aligner, Side side,
                               std::span<const UserId> users, std::size_t top, Run& run);
void write_ranked_lists(const std::string& path, Side side, const RankedLists& lists,
                        const RankedLists& probabilities, const NetworkPair& networks);
// Lists of users of A from a model's file, with the names they need; and the same file of them.
struct NamedLists {
  StoredLists lists;
  std::unordered_map<UserId, std::string> names_a;
  std::unordered_map<UserId, std::string> names_b;
};
NamedLists with_names(StoredLists lists, StoredModel& model);
void write_ranked_lists(const std::string& path, const NamedLists& named);
// The same where each rank has the lists of some users, in the order of ranks.
void write_ranked_parts(const std::string& path, Side side, const RankedLists& lists,
                        const RankedLists& probabilities, const NetworkPair& networks,
                        Communicator& communicator);

struct PredictedPair {
  UserPair pair;
  double probability = 0.0;
  double margin = 0.0;     // probability minus that of the best other pair of either user
  std::size_t rank_a = 0;  // place of b in the list of a; 0: not in it
  std::size_t rank_b = 0;  // place of a in the list of b; 0: not in it
  bool is_known = false;   // a label, not a guess
};

// The one-to-one matching of all users of A without a known partner, from the `top` candidates of
// each and their probabilities; surest first. With several ranks each ranks some of the users, and
// rank 0 gets the matching, the others an empty one.
std::vector<PredictedPair> match_networks(const Aligner& aligner, std::size_t top,
                                          const MatchingParams& params, Run& run);
// The known pairs in the same form.
std::vector<PredictedPair> known_pairs(const LabelSet& labels);

// Matches with margins and ranks from the probabilities of the candidates of both sides. Lists that
// are cut are taken as they are: a rival nobody lists is none.
std::vector<PredictedPair> with_details(std::span<const Match> matches,
                                        const RankedLists& probabilities_a,
                                        const RankedLists& probabilities_b);

// The matching file: a, b, probability, margin, rank_a, rank_b, known; surest first.
void write_matched_pairs(const std::string& path, std::span<const PredictedPair> pairs,
                         const NetworkPair& networks);

struct UnmatchedUser {
  Side side = Side::kA;
  UserId user = kNoUser;
  double probability = 0.0;  // of having no partner
};
// All users without a known partner, the likeliest to have none first. Throws ParameterError when
// the method cannot tell.
std::vector<UnmatchedUser> unmatched_users(const Aligner& aligner);

// TSV side, user, probability of these users. Returns how many are expected to have no partner.
double write_unmatched(const std::string& path, const Aligner& aligner);

}  // namespace dalaup
