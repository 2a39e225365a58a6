#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/support.h"

// dalaup simulate as people meet it: what it writes, and what it says when asked for too much.
namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SimulateCommand : public testing::Test {
 protected:
  SimulateCommand() {
    const CommandResult made = run_dalaup(
        "generate --users-a 120 --users-b 110 --anchors 90 --edges-a 700 --edges-b 700 "
        "--overlap 0.8 --quiet --out " +
        (folder_ / "pair"));
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  CommandResult simulate(const std::string& options, const std::string& out = "out") const {
    return run_dalaup(
        fmt::format("simulate --a {0}/a.edges --b {0}/b.edges --truth {0}/truth.tsv --initial 20 "
                    "--validation 10 --test 30 --repeats 1 --quiet --out {1} {2}",
                    folder_ / "pair", folder_ / out, options));
  }
  std::string error_of(const std::string& options) const {
    const CommandResult result = simulate(options);
    EXPECT_EQ(result.exit_code, 2) << options;
    return result.err;
  }
  TemporaryFolder folder_;
};

TEST_F(SimulateCommand, WritesCurvesQuestionsSettingsAndAReport) {
  const CommandResult result = simulate("--strategy cs,control --budget 8 --batch 4");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\ncs "));
  EXPECT_THAT(result.out, HasSubstr("\ncontrol "));
  for (const char* const file : {"curves.csv", "questions.csv", "settings.toml", "report.html"})
    EXPECT_TRUE(file_exists(folder_ / "out" + "/" + file)) << file;
}

TEST_F(SimulateCommand, TheReportHasFactsSignificanceChoicesMatchesAndFigures) {
  const CommandResult result =
      simulate("--strategy dalaup,random-anchors --budget 8 --batch 4 --questions pair");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string html = content_of(folder_ / "out/report.html");
  for (const char* const part :
       {"<dt>seed</dt>", "<dt>version</dt>", "<dt>protocol</dt>", "<dt>files</dt>",
        "dalaup minus control, at the end", "What dalaup chose", "The surest matches",
        "Are the probabilities what they say?", "Degrees of both networks", "random anchors"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_TRUE(file_exists(folder_ / "out/figures/01-right-pairs-against-answers.svg"));
  EXPECT_LT(html.find("How sure a pair must be"), html.find("What dalaup chose"));
  EXPECT_THAT(html, HasSubstr("One repeat does not tell dalaup and random-anchors apart."));
  EXPECT_THAT(html, HasSubstr("That is one repeat; how much of it is chance, nothing tells."));
}

TEST_F(SimulateCommand, RandomAnchorsAreToldWithoutAskingAndTheSameAfterAStop) {
  const std::string options = "--strategy random-anchors --no-control --budget 8 --batch 4";
  ASSERT_EQ(simulate(options).exit_code, 0);
  const auto curves = [&] { return content_of(folder_ / "out/curves.csv"); };
  const std::string first = curves();
  EXPECT_THAT(first, HasSubstr("random-anchors,1,1,4,4,"));
  EXPECT_THAT(first, HasSubstr("random-anchors,1,2,8,8,"));
  ASSERT_EQ(simulate(options).exit_code, 0);
  EXPECT_EQ(curves(), first);
}

TEST_F(SimulateCommand, TheSameSeedGivesTheSameCurvesAtAnyThreadCount) {
  ASSERT_EQ(simulate("--strategy dalaup --budget 8 --batch 4 --threads 1", "one").exit_code, 0);
  ASSERT_EQ(simulate("--strategy dalaup --budget 8 --batch 4 --threads 2", "two").exit_code, 0);
  const auto questions_of = [&](const char* out) {
    return read_all(*open_bytes(folder_ / out + "/questions.csv"));
  };
  EXPECT_EQ(questions_of("one"), questions_of("two"));
}

TEST_F(SimulateCommand, ItsSettingsFileAloneRepeatsTheRun) {
  ASSERT_EQ(simulate("--strategy cs --budget 8 --batch 4").exit_code, 0);
  const std::string curves = content_of(folder_ / "out/curves.csv");
  const std::string settings = folder_ / "out/settings.toml";
  const CommandResult again = run_dalaup("simulate --quiet --config " + settings);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(content_of(folder_ / "out/curves.csv"), curves);
  const CommandResult elsewhere =
      run_dalaup(fmt::format("simulate --quiet --config {} --out {}", settings, folder_ / "new"));
  ASSERT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  EXPECT_EQ(content_of(folder_ / "new/questions.csv"), content_of(folder_ / "out/questions.csv"));
}

TEST_F(SimulateCommand, WarningsThatDifferInNumbersAreSaidOnceAndCounted) {
  const CommandResult result = run_dalaup(
      fmt::format("simulate --a {0}/a.edges --b {0}/b.edges --truth {0}/truth.tsv --initial 10 "
                  "--validation 10 --test 30 --repeats 2 --out {1} --strategy random-anchors "
                  "--budget 12 --batch 2",
                  folder_ / "pair", folder_ / "out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::size_t said = 0;
  for (auto at = result.err.find("anchor pairs: propagation"); at != std::string::npos;
       at = result.err.find("anchor pairs: propagation", at + 1))
    ++said;
  EXPECT_EQ(said, 2U) << result.err;
  EXPECT_THAT(result.err, testing::ContainsRegex("warning: said [0-9]+ more times, last as: only"));
}

TEST_F(SimulateCommand, SaysWhatIsTooMuch) {
  EXPECT_THAT(error_of("--strategy degre --budget 8 --batch 4"),
              HasSubstr("hint: did you mean \"degree\"?"));
  EXPECT_THAT(error_of("--strategy cs --budget 8 --batch 20"),
              StartsWith("error: batch: found 20 questions between refits, expected at most"));
  EXPECT_THAT(error_of("--strategy cs --budget 8 --batch 4 --oracle-error 0.7"),
              StartsWith("error: --oracle-error: found \"0.7\", expected a number from 0 to"));
  EXPECT_THAT(error_of("--strategy cs --budget 100000000 --batch 4"),
              HasSubstr("no more pairs are left"));
  EXPECT_THAT(error_of("--strategy cs --budget 8 --batch 4 --test 500"),
              StartsWith("error: found 90 anchor pairs in the truth, expected at least 530"));
}

}  // namespace
}  // namespace dalaup
