#include <gmock/gmock.h>

#include "support/support.h"

// Attributes on the command line: train without labels, info, explain, predict --unmatched.
namespace dalaup {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AttributeCommands : public testing::Test {
 protected:
  static std::string pair(const TemporaryFolder& folder) {
    return "--a " + (folder / "a.edges") + " --b " + (folder / "b.edges");
  }
  static std::string attributes(const TemporaryFolder& folder) {
    return pair(folder) + " --attributes-a " + (folder / "a.attributes.csv") + " --attributes-b " +
           (folder / "b.attributes.csv");
  }
  static void generate(const TemporaryFolder& folder) {
    const CommandResult made = run_dalaup(
        "generate --users-a 300 --users-b 280 --anchors 220 --edges-a 1800 --edges-b 1700 "
        "--overlap 0.7 --attributes --out " +
        folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    ASSERT_THAT(made.out, HasSubstr("a.attributes.csv"));
  }
};

TEST_F(AttributeCommands, TrainWithoutLabelsThenPredictExplainAndUnmatched) {
  const TemporaryFolder folder;
  generate(folder);
  const std::string model = folder / "m.dalaup";
  const CommandResult trained = run_dalaup("train " + attributes(folder) + " --model " + model);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const CommandResult predicted =
      run_dalaup("predict --model " + model + " --out " + (folder / "r.tsv") + " --unmatched " +
                 (folder / "u.tsv"));
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(content_of(folder / "u.tsv"), testing::StartsWith("side\tuser\tprobability\n"));
  const CommandResult scored = run_dalaup("evaluate --json --ranked " + (folder / "r.tsv") +
                                          " --truth " + (folder / "truth.tsv"));
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  const std::string truth = content_of(folder / "truth.tsv");
  const std::string a = truth.substr(0, truth.find('\t'));
  const std::string b = truth.substr(a.size() + 1, truth.find('\n') - a.size() - 1);
  const CommandResult explained = run_dalaup("explain --model " + model + " --pair " + a + " " + b);
  EXPECT_THAT(explained.out, HasSubstr("Attributes say"));
}

TEST_F(AttributeCommands, InfoSaysWhichFieldsHelpAndWhetherLabelsAreNeeded) {
  const TemporaryFolder folder;
  generate(folder);
  const CommandResult info = run_dalaup("info " + attributes(folder));
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("start without labels: possible"), HasSubstr("place"),
                              HasSubstr("born"), HasSubstr("date")));
}

TEST_F(AttributeCommands, WrongUseIsNamed) {
  const TemporaryFolder folder;
  generate(folder);
  const std::string model = " --model " + (folder / "m.dalaup");
  EXPECT_THAT(run_dalaup("train " + pair(folder) + model).err,
              HasSubstr("found neither --labels nor attributes"));
  EXPECT_THAT(run_dalaup("train " + pair(folder) + model + " --attributes-a " +
                         (folder / "a.attributes.csv"))
                  .err,
              HasSubstr("found --attributes-a alone"));
  const CommandResult unknown =
      run_dalaup("train " + attributes(folder) + model + " --compare nam=name");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err,
              AllOf(HasSubstr("no field \"nam\""), HasSubstr("did you mean \"name\"")));
}

}  // namespace
}  // namespace dalaup
