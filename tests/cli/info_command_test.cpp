#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A: alice - bob - carol, alice - carol, dave alone.   B: x - y - z, z - w.
class InfoCommand : public testing::Test {
 protected:
  InfoCommand() {
    write_file(folder_ / "a.edges", "alice bob\nbob carol\nalice carol\ndave\n");
    write_file(folder_ / "b.edges", "x y\ny z\nz w\n");
    write_file(folder_ / "labels.tsv", "alice\tx\nbob\ty\ncarol\tz\ndave\tx\t0\n");
  }
  CommandResult info(const std::string& more) {
    return run_dalaup(
        fmt::format("info --a {} --b {} {}", folder_ / "a.edges", folder_ / "b.edges", more));
  }
  TemporaryFolder folder_;
};

TEST_F(InfoCommand, CountsWhatCanBeCountedByHand) {
  const CommandResult result = info("--json --quiet --labels " + (folder_ / "labels.tsv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& a = json["a"];
  EXPECT_EQ(a["users"], 4);
  EXPECT_EQ(a["edges"], 3);
  EXPECT_EQ(a["isolated"], 1);
  EXPECT_DOUBLE_EQ(a["mean_degree"], 1.5);
  EXPECT_DOUBLE_EQ(a["median_degree"], 2.0);
  EXPECT_EQ(a["largest_degree"], 2);
  EXPECT_EQ(a["components"], 2);
  EXPECT_EQ(a["largest_component"], 3);
  EXPECT_NEAR(a["degree_skew"].get<double>(), -1.1547, 1e-4);  // of the degrees 0, 2, 2, 2
  EXPECT_DOUBLE_EQ(json["b"]["median_degree"], 1.5);
  EXPECT_DOUBLE_EQ(json["density_ratio"], 1.0);
  // Labelled pairs: x-y and y-z exist on both sides, alice-carol has no x-z.
  const auto& labels = json["labels"];
  EXPECT_EQ(labels["anchors"], 3);
  EXPECT_EQ(labels["negatives"], 1);
  EXPECT_EQ(labels["sharing_no_labelled_neighbour"], 0);
  EXPECT_EQ(labels["sharing_one"], 2);
  EXPECT_EQ(labels["sharing_two_or_more"], 1);
  EXPECT_EQ(labels["edges_a"], 3);
  EXPECT_EQ(labels["edges_b"], 2);
  EXPECT_EQ(labels["edges_both"], 2);
}

TEST_F(InfoCommand, SaysWhatToExpectInWords) {
  const CommandResult without = info("");
  EXPECT_THAT(without.out, HasSubstr("users without edges              1           0\n"));
  EXPECT_THAT(without.out, HasSubstr("1 users have no edges: structure cannot place them."));
  EXPECT_THAT(without.out, HasSubstr("No labels given."));
  const CommandResult with = info("--labels " + (folder_ / "labels.tsv"));
  EXPECT_THAT(with.out, HasSubstr("3 anchor pairs are few"));
  EXPECT_THAT(with.out, HasSubstr("3 in A, 2 in B, 2 in both (66.7 % of A's, 100.0 % of B's)"));
}

TEST_F(InfoCommand, WarnsOfWhatItDropped) {
  write_file(folder_ / "b.edges", "x y\ny x\nz z\n");
  const CommandResult result = info("");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("b.edges: 1 self-loops dropped"));
  EXPECT_THAT(result.err, HasSubstr("b.edges: 1 duplicate edges dropped"));
}

TEST_F(InfoCommand, PassesOnWhatReadersSayOfBadFiles) {
  write_file(folder_ / "labels.tsv", "alice\tx\nalicia\ty\n");
  const CommandResult unknown = info("--labels " + (folder_ / "labels.tsv"));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, StartsWith("error: " + (folder_ / "labels.tsv:2: found \"alicia\", ")));
  EXPECT_THAT(unknown.err, HasSubstr("hint: did you mean \"alice\"?"));
  write_file(folder_ / "b.edges", "x y\nx y -1\n");
  const CommandResult negative = info("");
  EXPECT_EQ(negative.exit_code, 1);
  EXPECT_THAT(negative.err, StartsWith("error: " + (folder_ / "b.edges:2: ")));
}

}  // namespace
}  // namespace dalaup
