#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::Not;
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

TEST_F(InfoCommand, CountsInSingularAndPlural) {
  write_file(folder_ / "a.edges", "alice bob\n");
  write_file(folder_ / "b.edges", "x y\nx x\n");
  write_file(folder_ / "labels.tsv", "alice\tx\n");
  const CommandResult result = info("--labels " + (folder_ / "labels.tsv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a.edges: separated by spaces, no header, columns 1, 2; 2 "
                                    "users, 1 edge\n"));
  EXPECT_THAT(result.err, HasSubstr("b.edges: 1 self-loop dropped\n"));
  EXPECT_THAT(result.err, HasSubstr("; 1 label\n"));
  EXPECT_THAT(result.out, HasSubstr("labels                1 anchor pair, 0 answers"));
  EXPECT_THAT(result.out, HasSubstr("1 anchor pair is few:"));
}

TEST_F(InfoCommand, NamesTheFirstOfManyFields) {
  std::string header = "id";
  std::string values;
  for (int field = 1; field <= 50; ++field) {
    header += fmt::format(",field{}", field);
    values += fmt::format(",v{}", field);
  }
  const std::string a = folder_ / "a.csv";
  const std::string b = folder_ / "b.csv";
  write_file(a, header + "\nalice" + values + "\n");
  write_file(b, header + "\nx" + values + "\n");
  const CommandResult result = info("--attributes-a " + a + " --attributes-b " + b);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("fields field1, field2, field3, field4, field5, field6, field7, "
                        "field8, field9, field10, field11, field12 and 38 more\n"));
}

TEST_F(InfoCommand, SaysWhatToExpectInWords) {
  const CommandResult without = info("");
  EXPECT_THAT(without.out, HasSubstr("users without edges              1           0\n"));
  EXPECT_THAT(without.out, HasSubstr("1 user has no edges: structure cannot place it."));
  EXPECT_THAT(without.out, HasSubstr("No labels given."));
  const CommandResult with = info("--labels " + (folder_ / "labels.tsv"));
  EXPECT_THAT(with.out, HasSubstr("3 anchor pairs are few"));
  EXPECT_THAT(with.out, HasSubstr("3 in A, 2 in B, 2 in both (66.7 % of A's, 100.0 % of B's)"));
}

TEST(OrderOfFiles, InfoAndTrainSayWhenPartnersStandAtTheSamePlace) {
  const TemporaryFolder folder;
  for (const char* order : {"aligned", "shuffled"}) {
    const std::string out = folder / order;
    ASSERT_EQ(run_dalaup(fmt::format("generate --out {} --users-a 90 --users-b 80 --anchors 60 "
                                     "--edges-a 300 --edges-b 300 --labels-share 1 --order {}",
                                     out, order))
                  .exit_code,
              0);
    const std::string files =
        fmt::format("--a {0}/a.edges --b {0}/b.edges --labels {0}/labels.tsv", out);
    const CommandResult info = run_dalaup("info " + files);
    const CommandResult train = run_dalaup(fmt::format("train {} --model {}/m.dalaup", files, out));
    ASSERT_EQ(train.exit_code, 0) << train.err;
    if (order == std::string("aligned")) {
      EXPECT_THAT(
          info.out,
          HasSubstr(
              "rank correlation 1.00, beyond their degrees 1.00 (by chance within 0.26 of 0)"));
      EXPECT_THAT(info.out, HasSubstr("Labelled partners stand at similar places"));
      EXPECT_THAT(train.err, HasSubstr("Labelled partners stand at similar places"));
    } else {
      EXPECT_THAT(info.out, HasSubstr("by chance within 0.26 of 0"));
      EXPECT_THAT(info.out, Not(HasSubstr("Labelled partners stand at similar places")));
      EXPECT_THAT(train.err, Not(HasSubstr("Labelled partners stand at similar places")));
    }
  }
}

TEST_F(InfoCommand, CountsEqualNames) {
  write_file(folder_ / "b.edges", "alice bob\nbob carol\nerin\n");
  write_file(folder_ / "labels.tsv", "alice\talice\nbob\tbob\ncarol\tcarol\ndave\terin\n");
  const CommandResult result = info("--labels " + (folder_ / "labels.tsv"));
  EXPECT_THAT(result.out, HasSubstr("labelled pairs with equal names: 3"));
  const CommandResult train = run_dalaup(fmt::format(
      "train --a {0}/a.edges --b {0}/b.edges --labels {0}/labels.tsv --model {0}/m.dalaup",
      folder_.path()));
  EXPECT_THAT(train.err, HasSubstr("3 of 4 labelled pairs have equal names."));
}

TEST_F(InfoCommand, WarnsOfWhatItDropped) {
  write_file(folder_ / "b.edges", "x y\nx y\nz z\n");
  const CommandResult result = info("");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("b.edges: 1 self-loop dropped"));
  EXPECT_THAT(result.err, HasSubstr("b.edges: 1 duplicate edge dropped"));
}

TEST_F(InfoCommand, PassesOnWhatReadersSayOfBadFiles) {
  write_file(folder_ / "labels.tsv", "alice\tx\nalicia\ty\n");
  const CommandResult unknown = info("--labels " + (folder_ / "labels.tsv"));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("error: " + (folder_ / "labels.tsv:2: found \"alicia\", ")));
  EXPECT_THAT(unknown.err, HasSubstr("hint: did you mean \"alice\"?"));
  write_file(folder_ / "b.edges", "x y\nx y -1\n");
  const CommandResult negative = info("");
  EXPECT_EQ(negative.exit_code, 1);
  EXPECT_THAT(negative.err, HasSubstr("error: " + (folder_ / "b.edges:2: ")));
}

TEST_F(InfoCommand, SaysWhenDirectionSeemsToMatter) {
  write_file(folder_ / "a.edges", "u v\nv u\nv w\nw u\n");
  EXPECT_THAT(info("").out, HasSubstr("In A 1 of 3 edges stands in both directions and the others "
                                      "in one: direction seems to mean something. Give "
                                      "--directed."));
  EXPECT_THAT(info("--directed").out, testing::Not(HasSubstr("Give --directed")));
  std::string once_twice = "u1 u0\n";  // one of 200: a slip rather than a direction
  for (int user = 0; user < 200; ++user) once_twice += fmt::format("u{} u{}\n", user, user + 1);
  write_file(folder_ / "a.edges", once_twice);
  EXPECT_THAT(info("").out, testing::Not(HasSubstr("Give --directed")));
  write_file(folder_ / "a.edges", "u v\nv u\nv w\nw v\n");  // every edge from both ends
  EXPECT_THAT(info("").out, testing::Not(HasSubstr("Give --directed")));
}

TEST_F(InfoCommand, SaysWhenNamesOrNetworksAreAlike) {
  write_file(folder_ / "b.edges", "alice bob\nbob carol\nalice carol\ndave\n");
  EXPECT_THAT(info("").out, HasSubstr("The networks look identical: equal names, equal edges."));
  EXPECT_THAT(info("").out, HasSubstr("4 users of A have the name of a user of B."));
  write_file(folder_ / "b.edges", "alice bob\nbob carol\nalice carol\ndave erin\n");
  EXPECT_THAT(info("").out, HasSubstr("A is contained in B"));
  write_file(folder_ / "b.edges", "1 2\n2 3\n1 3\n4\n");
  EXPECT_THAT(info("").out, HasSubstr("Both networks have the same degrees"));
  write_file(folder_ / "b.edges", "x y\ny z\nz w\n");
  EXPECT_THAT(info("").out, testing::Not(HasSubstr("same degrees")));
}

TEST_F(InfoCommand, SaysHowFilesWereUnderstood) {
  write_file(folder_ / "a.edges", "source,target\nAgent 47,alice\nalice,dave\n");
  EXPECT_THAT(info("").err, HasSubstr("a.edges: comma-separated, header, columns source, target; 3 "
                                      "users, 2 edges\n"));
  EXPECT_EQ(info("--quiet").err, "");
  write_file(folder_ / "labels.csv", "left,right\nAgent 47,x\nALICE,y\n");
  const std::string labels = "--labels " + (folder_ / "labels.csv");
  EXPECT_THAT(info(labels).err, HasSubstr("\"ALICE\""));
  EXPECT_THAT(info(labels + " --ignore-case").err, HasSubstr("found by ignoring the case"));
  EXPECT_THAT(info(labels + " --skip-unknown").err, HasSubstr("1 line with users the networks"));
}

TEST(InfoOfGeneratedNetworks, EstimatesTheAccuracyFromHiddenLabels) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_dalaup("generate --users-a 200 --users-b 190 --anchors 150 --edges-a 1200 "
                       "--edges-b 1200 --overlap 0.9 --quiet --out " +
                       folder.path())
                .exit_code,
            0);
  const std::string info = fmt::format(
      "info --quiet --a {0}/a.edges --b {0}/b.edges --labels "
      "{0}/truth.tsv ",
      folder.path());
  EXPECT_THAT(run_dalaup(info).out,
              HasSubstr("Learned from 100 of the labels, the default method puts the right "
                        "partner of the other 50 first for "));
  EXPECT_THAT(run_dalaup(info + "--quick").out, testing::Not(HasSubstr("Learned from")));
}

}  // namespace
}  // namespace dalaup
