#include <gtest/gtest.h>

#include "ranking/ranking.h"
#include "support/support.h"

namespace dalaup {
namespace {

TEST(RankedFiles, NamesTheUsersOfBothSidesAndCountsRanksFromOne) {
  const TemporaryFolder folder;
  const Network a = network_of("alice bob\nbob carol");
  const Network b = network_of("x y\ny z");
  const RankedLists lists{{2, {{1, 0.9F}, {0, 1e-7F}}}, {0, {{2, -0.25F}}}};
  write_ranked(folder / "list.tsv", lists, a.names(), b.names());
  EXPECT_EQ(content_of(folder / "list.tsv"),
            "a\trank\tb\tscore\ncarol\t1\ty\t0.9\ncarol\t2\tx\t1e-07\nalice\t1\tz\t-0.25\n");
}

}  // namespace
}  // namespace dalaup
