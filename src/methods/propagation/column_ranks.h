#pragma once
// Where listed pairs stand among all pairs of their user of B, whoever lists them.
#include "methods/propagation/soft_matching.h"

namespace dalaup {

struct ColumnBest {
  float best = 0.0F;  // scores of the best listed pairs of a user of B
  float second = 0.0F;
  UserId best_user = kNoUser;
};

struct ColumnRanks {
  std::vector<std::uint32_t> ranks;  // beside the listed pairs, from 0
  std::vector<ColumnBest> best;      // by user of B
  std::size_t longest = 0;           // the most pairs of one user of B
};

ColumnRanks column_ranks(const PairLists& lists, UserId users_b, Run& run);

}  // namespace dalaup
