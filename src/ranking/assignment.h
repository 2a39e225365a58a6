#pragma once
// Maximum-weight assignment on a sparse bipartite graph.
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"
#include "numeric/numeric.h"

namespace dalaup {

// A row may take the column for a gain above 0.
struct Gain {
  std::uint32_t column = 0;
  std::int64_t gain = 0;
};
struct SparseGains {
  Rows<Gain> rows;
  std::uint32_t column_count = 0;
};

// An assignment with the prices that prove it optimal: no row gains more elsewhere, at those
// prices, than it does where it is, and a column nobody takes costs nothing.
struct Assignment {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> column_of_row;  // kNone: left out
  std::vector<std::int64_t> prices;          // of columns

  std::int64_t total(const SparseGains& gains) const;
  bool is_proven_optimal(const SparseGains& gains) const;
};

// Rows and columns may stay unassigned. Whole-number gains keep the arithmetic exact; they must be
// below 2^40 so that sums of prices cannot overflow.
Assignment best_assignment(const SparseGains& gains, Run& run);

}  // namespace dalaup
