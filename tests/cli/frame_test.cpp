#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/support.h"

// The frame of all subcommands: help, suggestions, settings files, exit codes.
namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CommandLine, HelpListsEveryCommandAndExitsWithZero) {
  const CommandResult result = run_dalaup("--help");
  EXPECT_EQ(result.exit_code, 0);
  for (const char* command : {"train", "completion"}) EXPECT_THAT(result.out, HasSubstr(command));
  EXPECT_EQ(result.err, "");
}

TEST(CommandLine, WithoutACommandItSaysSoAndExitsWithTwo) {
  const CommandResult result = run_dalaup("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "error: dalaup: A subcommand is required\nhint: dalaup --help lists the options\n");
}

TEST(CommandLine, AMisspeltCommandIsAnsweredWithTheClosestOne) {
  const CommandResult result = run_dalaup("trian --a x");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("error: unknown command \"trian\"; known: "));
  EXPECT_THAT(result.err, HasSubstr("\nhint: did you mean \"train\"?\n"));
}

TEST(CommandLine, AMisspeltOptionIsAnsweredWithTheClosestOne) {
  const CommandResult result =
      run_dalaup("train --a x --b y --labels z --model m --metod propagation");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("error: dalaup train: found \"--metod\", expected one of its "
                                     "options\nhint: did you mean \"--method\"?\n"));
  EXPECT_THAT(run_dalaup("train --a x --b y --lables z --model m").err,
              StartsWith("error: dalaup train: found \"--lables\", expected one of its options\n"
                         "hint: did you mean \"--labels\"?\n"));
}

TEST(CommandLine, AMissingRequiredOptionIsNamed) {
  const CommandResult result = run_dalaup("train --a x --b y --labels z");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("error: dalaup train: --model is required\n"));
}

TEST(CommandLine, AMisspeltMethodIsAnsweredWithTheClosestOne) {
  const CommandResult result =
      run_dalaup("train --a x --b y --labels z --model m --method propagashun");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("error: unknown method \"propagashun\"; known: "));
  EXPECT_THAT(result.err, HasSubstr("hint: did you mean \"propagation\"?\n"));
}

TEST(CommandLine, EveryMethodShowsItsSettings) {
  for (const char* const method : {"propagation", "deepwalk", "pale", "ione", "aup"})
    for (const char* const command : {"train", "simulate", "new"}) {
      const CommandResult result =
          run_dalaup(fmt::format("{} --method {} --help", command, method));
      EXPECT_EQ(result.exit_code, 0) << command << " " << method << ": " << result.err;
      EXPECT_EQ(result.err, "");
    }
}

TEST(CommandLine, AMethodOfAnExperimentMayNameItsSettings) {
  const TemporaryFolder folder;
  write_file(folder / "n.edges", "a b\nb c\n");
  write_file(folder / "t.tsv", "a\ta\nb\tb\n");
  const auto error_of = [&](const std::string& method) {
    return run_dalaup(fmt::format("experiment ratio --a {0} --b {0} --truth {1} --out {2} --quiet "
                                  "--ratios 0.5 --repeats 1 --methods {3}",
                                  folder / "n.edges", folder / "t.tsv", folder / "out", method))
        .err;
  };
  EXPECT_EQ(error_of("deepwalk:align=procrustes:walks=2:dim=4"), "");
  EXPECT_THAT(error_of("deepwalk:walk=2"),
              StartsWith("error: deepwalk:walk=2: deepwalk has no setting \"walk\"\n"));
  EXPECT_THAT(error_of("deepwalk:align=procrust"), HasSubstr("did you mean \"procrustes\"?"));
  EXPECT_THAT(error_of("deepwalk:dim=few"), HasSubstr("found \"few\", expected a whole number"));
  EXPECT_THAT(error_of("deepwalk:dim"), HasSubstr("found \"dim\", expected NAME=VALUE"));
}

TEST(CommandLine, AMissingFileIsAnInputErrorAndExitsWithOne) {
  const CommandResult result = run_dalaup("train --a nowhere.edges --b y --labels z --model m");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "error: nowhere.edges: cannot be opened (No such file or directory)\n"
            "hint: check the spelling of the path\n");
}

TEST(SettingsFile, GivesValuesThatTheCommandLineOverrides) {
  const TemporaryFolder folder;
  write_file(folder / "s.toml",
             "a = \"from-config.edges\"\nb = \"x\"\n[train]\nlabels = \"z\"\n"
             "model = \"m\"\n[predict]\ntop = 3\n");
  EXPECT_THAT(run_dalaup("train --config " + (folder / "s.toml")).err,
              StartsWith("error: from-config.edges: cannot be opened"));
  EXPECT_THAT(run_dalaup("train --a typed.edges --config " + (folder / "s.toml")).err,
              StartsWith("error: typed.edges: cannot be opened"));
}

TEST(MethodSettings, HaveANamespaceOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string files = "--a a --b b --labels l --model m ";
  const auto error_of = [&](const std::string& options) {
    return run_dalaup("train " + files + options).err;
  };
  const char* const refused = "found \"3\", expected a number from 0.01 to 0.99";
  EXPECT_THAT(error_of("--restart-probability 3"), HasSubstr(refused));
  EXPECT_THAT(error_of("--propagation.restart-probability 3"), HasSubstr(refused));
  EXPECT_THAT(error_of("--propagation.restart=3"), HasSubstr(refused));
  EXPECT_THAT(error_of("--method anchor_context --propagation.restart 3"),
              HasSubstr("expected one of its options"));
  write_file(folder / "s.toml", "[propagation]\nrestart_probability = 3\n[pale]\nepochs = 7\n");
  EXPECT_THAT(error_of("--config " + (folder / "s.toml")), HasSubstr(refused));
  // Two options of one name: the command keeps it, the method's has the longer one.
  const std::string help = run_dalaup("simulate --help").out;
  EXPECT_THAT(help, HasSubstr("--trust-no"));
  EXPECT_THAT(help, HasSubstr("--propagation.trust-no"));
  EXPECT_THAT(run_dalaup("train --help").out, Not(HasSubstr("--propagation.trust-no")));
}

TEST(SettingsFile, UnknownKeysAreRefusedWithTheClosestOption) {
  const TemporaryFolder folder;
  write_file(folder / "s.toml", "modle = \"x\"\n");
  const CommandResult result = run_dalaup("train --config " + (folder / "s.toml"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("s.toml: found setting \"modle\", expected an option of dalaup "
                                    "train\nhint: did you mean \"model\"?\n"));
}

TEST(SettingsFile, BrokenTomlIsAnErrorWithItsLine) {
  const TemporaryFolder folder;
  write_file(folder / "s.toml", "a = \"x\"\nb = = 3\n");
  EXPECT_THAT(run_dalaup("train --config " + (folder / "s.toml")).err,
              HasSubstr("s.toml:2: found no valid TOML"));
}

TEST(Completion, NamesCommandsAndTheirOptionsForBothShells) {
  for (const char* shell : {"bash", "zsh"}) {
    const CommandResult result = run_dalaup(std::string("completion ") + shell);
    EXPECT_EQ(result.exit_code, 0) << shell;
    EXPECT_THAT(result.out, HasSubstr("--labels")) << shell;
    EXPECT_THAT(result.out, HasSubstr("train")) << shell;
  }
  EXPECT_THAT(run_dalaup("completion bsh").err, HasSubstr("did you mean \"bash\"?"));
}

TEST(Completion, KnowsMethodsStrategiesAndExperiments) {
  for (const char* shell : {"bash", "zsh"}) {
    const std::string script = run_dalaup(std::string("completion ") + shell).out;
    EXPECT_THAT(script, testing::ContainsRegex("--method\\) values=.propagation")) << shell;
    EXPECT_THAT(script, testing::ContainsRegex("--strategy\\) values=.dalaup.*saie")) << shell;
    EXPECT_THAT(script, testing::ContainsRegex("--strategy\\) values=.dalaup dalaup-all study"));
    EXPECT_THAT(script, testing::ContainsRegex("--methods\\) values=.propagation")) << shell;
    EXPECT_THAT(script, testing::ContainsRegex("train\\) .*--embedding-dim")) << shell;  // of aup
    EXPECT_THAT(script, HasSubstr("ratio strategies transfer headline")) << shell;
    EXPECT_THAT(script, Not(HasSubstr("no-no-"))) << shell;
  }
}

TEST(ManualPages, ComeFromTheOptionsThatTheHelpShows) {
  const std::string all = run_dalaup("man").out;
  EXPECT_THAT(all, StartsWith(".TH dalaup 1"));
  EXPECT_THAT(all, HasSubstr(".BR dalaup\\-train (1)\nlearns from labelled pairs"));
  const CommandResult page = run_dalaup("man predict");
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_THAT(page.out,
              HasSubstr("\\fB\\-\\-top\\fR \\fIINT\\fR\ncandidates listed for each user [30]\n"));
  EXPECT_THAT(page.out, HasSubstr("model written by train (required)"));
  EXPECT_THAT(run_dalaup("man backup").out,
              HasSubstr("\\fBdalaup backup\\fR \\fISTUDY\\fR \\fIFILE\\fR"));
  EXPECT_THAT(run_dalaup("man trian").err, HasSubstr("did you mean \"train\"?"));
}

TEST(Help, IsACommandToo) {
  const CommandResult all = run_dalaup("help");
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.out, run_dalaup("--help").out);
  const CommandResult one = run_dalaup("help train");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, run_dalaup("train --help").out);
  EXPECT_THAT(run_dalaup("help trian").err, HasSubstr("did you mean \"train\"?"));
}

TEST(Help, NamesTheProgramAndGroupsItsOptions) {
  const std::string help = run_dalaup("help train").out;
  EXPECT_THAT(help, HasSubstr("Usage: dalaup train [OPTIONS]"));
  for (const char* const heading :
       {"\nInput:", "\nOutput:", "\nMethod:", "\nSettings of propagation:", "\nOf every command:"})
    EXPECT_THAT(help, HasSubstr(heading));
  EXPECT_LT(help.find("\nInput:"), help.find("\nSettings of propagation:"));
  EXPECT_GT(help.find("Of every command:"), help.find("Settings of propagation:"));
  EXPECT_THAT(help, Not(HasSubstr("{false}")));
  EXPECT_THAT(help, Not(HasSubstr("\n\n\n")));
}

TEST(CommandLine, AFullDiskOnStandardOutputIsReported) {
  const CommandResult result = run_dalaup("--help >/dev/full; echo $? ");
  EXPECT_THAT(result.out, StartsWith("1"));
}

}  // namespace
}  // namespace dalaup
