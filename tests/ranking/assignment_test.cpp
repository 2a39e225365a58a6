#include "ranking/assignment.h"

#include "support/support.h"

namespace dalaup {
namespace {

SparseGains random_gains(std::uint32_t rows, std::uint32_t columns, int candidates,
                         std::uint64_t largest, std::uint64_t seed) {
  Random random(seed, "assignment test");
  SparseGains gains;
  gains.column_count = columns;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (const std::uint64_t column : random.sample(
             columns, std::min<std::uint64_t>(columns, static_cast<std::uint64_t>(candidates)))) {
      gains.rows.items.push_back({static_cast<std::uint32_t>(column),
                                  static_cast<std::int64_t>(1 + random.below(largest))});
    }
    gains.rows.end_row();
  }
  return gains;
}

TEST(Assignment, ProvesItselfOptimalOnCrowdedAndRoomyGraphs) {
  dalaup::Run run;
  for (const std::uint32_t columns : {20U, 900U, 1000U, 5000U})
    for (const int candidates : {1, 3, 12})
      for (const std::uint64_t largest : {3ULL, 1ULL << 30}) {
        const SparseGains gains = random_gains(1000, columns, candidates, largest, columns);
        const Assignment assignment = best_assignment(gains, run);
        EXPECT_TRUE(assignment.is_proven_optimal(gains))
            << columns << " columns, " << candidates << " candidates, gains to " << largest;
      }
}

TEST(Assignment, TheProofRefusesWhatIsNotOptimal) {
  SparseGains gains;  // two rows want column 0, which gains 5 and 3
  gains.rows = {.begins = {0, 1, 2}, .items = {{0, 5}, {0, 3}}};
  gains.column_count = 2;
  constexpr auto kNone = Assignment::kNone;
  EXPECT_TRUE((Assignment{{0, kNone}, {4, 0}}.is_proven_optimal(gains)));
  EXPECT_FALSE((Assignment{{kNone, 0}, {3, 0}}.is_proven_optimal(gains)));      // the wrong row
  EXPECT_FALSE((Assignment{{0, 0}, {3, 0}}.is_proven_optimal(gains)));          // both
  EXPECT_FALSE((Assignment{{kNone, kNone}, {5, 0}}.is_proven_optimal(gains)));  // price of no taker
  EXPECT_FALSE((Assignment{{0, 1}, {3, 0}}.is_proven_optimal(gains)));          // no such edge
}

}  // namespace
}  // namespace dalaup
