#pragma once
// Candidate lists, by cosine or from rows of scores; their files; the one-to-one matching made from
// them.
#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "ranking/candidates.h"
#include "ranking/cosine_index.h"

namespace dalaup {

struct Match {
  UserPair pair;
  double probability = 0.0;
  bool operator==(const Match&) const = default;
};

struct MatchingParams {
  double least_probability = 0.5;  // pairs less likely than this are never matched
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, MatchingParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("least_probability", params.least_probability, 0.0, 1.0,
        "pairs less likely than this are left out of the matching");
}

// The one-to-one matching with the largest sum of (probability - least_probability) among the given
// candidates of users of A, whose scores are probabilities. With 0.5 that is the most right matches
// less wrong ones to be expected, with 0 the most right ones. Users without a candidate likely
// enough, or outbid on all of them, stay unmatched. Optimal to 1e-9 a pair; sorted by a. Throws
// ParameterError for a probability outside [0, 1] or a user listed twice.
std::vector<Match> one_to_one(const RankedLists& probabilities, const MatchingParams& params,
                              Run& run);

}  // namespace dalaup
