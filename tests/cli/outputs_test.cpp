#include <filesystem>
#include <fstream>
#include <map>

#include "support/support.h"

namespace dalaup {
namespace {

class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    for (const char side : {'a', 'b'}) {
      std::ofstream edges(folder_ / (std::string(1, side) + ".edges"));
      for (int user = 0; user < 30; ++user)
        edges << side << user << ' ' << side << (user + 1) % 30 << '\n';
    }
    std::ofstream(folder_ / "known.tsv") << "a0\tb0\na5\tb5\na11\tb11\na20\tb20\n";
    networks_ = " --a " + (folder_ / "a.edges") + " --b " + (folder_ / "b.edges");
    study_ = folder_ / "s.study";
    run_dalaup("new " + study_ + networks_ + " --labels " + (folder_ / "known.tsv"));
    run_dalaup("train" + networks_ + " --labels " + (folder_ / "known.tsv") + " --model " +
               (folder_ / "m.dalaup"));
  }
  // Refused with exit code 2, and every file is as it was.
  void expect_refused(const std::string& arguments, const std::string& words) {
    std::map<std::string, std::string> before;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      before[file.path()] = content_of(file.path());
    const CommandResult result = run_dalaup(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << arguments << "\n" << result.err;
    for (const auto& [path, content] : before) EXPECT_EQ(content_of(path), content) << path;
  }
  TemporaryFolder folder_;
  std::string networks_;
  std::string study_;
};

TEST_F(Outputs, NeverOverwriteInputs) {
  expect_refused("export " + study_ + " --labels " + study_, "is the same file as");
  expect_refused("export " + study_ + " --labels " + study_ + "-wal", "is the same file as");
  expect_refused("predict --model " + (folder_ / "m.dalaup") + " --out " + (folder_ / "m.dalaup"),
                 "is the same file as");
  expect_refused("train" + networks_ + " --labels " + (folder_ / "known.tsv") + " --model " +
                     (folder_ / "a.edges"),
                 "is the same file as");
  std::filesystem::create_symlink(folder_ / "a.edges", folder_ / "link");
  expect_refused("train" + networks_ + " --labels " + (folder_ / "known.tsv") + " --model " +
                     (folder_ / "link"),
                 "is the same file as");
}

TEST_F(Outputs, NeverOverwriteEachOther) {
  expect_refused("predict --model " + (folder_ / "m.dalaup") + " --out " + (folder_ / "x") +
                     " --matching " + (folder_ / "./x"),
                 "each output needs a file of its own");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

TEST_F(Outputs, NeverReplaceAStudyOrAModelOfSomethingElse) {
  expect_refused("predict --model " + (folder_ / "m.dalaup") + " --out " + study_, "is a study");
  expect_refused("export " + study_ + " --labels " + (folder_ / "m.dalaup"), "is a model");
  expect_refused(
      "train" + networks_ + " --labels " + (folder_ / "known.tsv") + " --model " + study_,
      "is a study");
  const CommandResult again =
      run_dalaup("train" + networks_ + " --labels " + (folder_ / "known.tsv") + " --model " +
                 (folder_ / "m.dalaup"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(Outputs, ACheckpointIsAFileOfItsOwn) {
  const std::string train = "train" + networks_ + " --labels " + (folder_ / "known.tsv");
  expect_refused(train + " --model " + (folder_ / "n") + " --checkpoint " + (folder_ / "n"),
                 "is the same file as");
  expect_refused(train + " --model " + (folder_ / "n") + " --checkpoint " + (folder_ / "m.dalaup"),
                 "is a model");
  const std::string kept = " --checkpoint " + (folder_ / "checkpoint");
  for (int again = 0; again < 2; ++again) {
    const CommandResult done = run_dalaup(train + " --model " + (folder_ / "n") + kept);
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
  expect_refused(train + " --model " + (folder_ / "checkpoint"), "is a checkpoint");
  expect_refused("train --from " + (folder_ / "n") + " --labels " + (folder_ / "known.tsv") +
                     " --model " + (folder_ / "o") + kept,
                 "together with --from");
}

TEST_F(Outputs, ACopyOfAStudyIsSoundAndHasTheSameHash) {
  const CommandResult copied = run_dalaup("backup " + study_ + " " + (folder_ / "c.study"));
  EXPECT_EQ(copied.exit_code, 0) << copied.err;
  EXPECT_NE(copied.out.find("with 4 journal entries"), std::string::npos) << copied.out;
  const CommandResult first = run_dalaup("check " + study_);
  const CommandResult second = run_dalaup("check " + (folder_ / "c.study"));
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out.substr(first.out.find("journal:")),
            second.out.substr(second.out.find("journal:")));
  EXPECT_EQ(run_dalaup("backup " + study_ + " " + (folder_ / "c.study")).exit_code, 2);
  std::ofstream(folder_ / "bad.study") << content_of(study_).substr(0, 20000);
  EXPECT_EQ(run_dalaup("check " + (folder_ / "bad.study")).exit_code, 1);
}

}  // namespace
}  // namespace dalaup
