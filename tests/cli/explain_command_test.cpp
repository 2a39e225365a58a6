#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;

// ann - bob - cid in A, x - y - z in B; bob = y is known.
std::string model_of_two_paths(const TemporaryFolder& folder) {
  write_file(folder / "a.edges", "ann bob\nbob cid\n");
  write_file(folder / "b.edges", "x y\ny z\n");
  write_file(folder / "labels.tsv", "bob\ty\n");
  const CommandResult result = run_dalaup(
      fmt::format("train --quiet --a {} --b {} --labels {} --model {}", folder / "a.edges",
                  folder / "b.edges", folder / "labels.tsv", folder / "paths.dalaup"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return folder / "paths.dalaup";
}

TEST(ExplainCommand, NamesTheKnownNeighboursBehindAPair) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_dalaup(fmt::format("explain --model {} --pair ann x", model_of_two_paths(folder)));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ann and x: score "));
  EXPECT_THAT(result.out,
              HasSubstr("1 pair of neighbours is matched with each other, 1 of them known."));
  EXPECT_THAT(result.out, HasSubstr(" 100.0 %  bob = y (known)\n"));
}

TEST(ExplainCommand, AsksForExactlyTwoNames) {
  const TemporaryFolder folder;
  const std::string model = model_of_two_paths(folder);
  for (const char* const names : {"ann", "ann x z"}) {
    const CommandResult result =
        run_dalaup(fmt::format("explain --model {} --pair {}", model, names));
    EXPECT_EQ(result.exit_code, 2) << names;
    EXPECT_THAT(result.err, HasSubstr("expected two: a user of A and a user of B\nhint: such as"));
  }
}

TEST(ExplainCommand, SaysOfAKnownPairThatItIsKnown) {
  const TemporaryFolder folder;
  const std::string model = model_of_two_paths(folder);
  const auto words_of = [&](const char* names) {
    return run_dalaup(fmt::format("explain --model {} --pair {}", model, names)).out;
  };
  EXPECT_THAT(words_of("bob y"), HasSubstr("The labels say that the two are one person."));
  EXPECT_THAT(words_of("bob x"), HasSubstr("The labels know another partner of bob: y."));
  EXPECT_THAT(words_of("cid y"), HasSubstr("The labels know another partner of y: bob."));
}

TEST(ExplainCommand, SaysWhenTheTwoNamesAreExchanged) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_dalaup(fmt::format("explain --model {} --pair x ann", model_of_two_paths(folder)));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(
      result.err,
      "error: --pair: found \"x\" of network B first, expected the user of A and then the one "
      "of B\nhint: exchange the two names\n");
}

TEST(ExplainCommand, RefusesAnUnknownUser) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_dalaup(fmt::format("explain --model {} --pair anne x", model_of_two_paths(folder)));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("\"anne\""));
  EXPECT_THAT(result.err, HasSubstr("ann"));
}

// Names come from files of others: on a terminal they must not move the cursor or rename a window.
TEST(ExplainCommand, ShowsControlCharactersOfNamesAsText) {
  const TemporaryFolder folder;
  write_file(folder / "a.edges", "ann\x1b]0;pwned\x07\tbob\nbob\tcid\n");
  write_file(folder / "b.edges",
             "x\ty\ny\tz\xc2\x9b"
             "2J\n");
  write_file(folder / "labels.tsv", "bob\ty\n");
  const CommandResult trained = run_dalaup(
      fmt::format("train --quiet --a {} --b {} --labels {} --model {}", folder / "a.edges",
                  folder / "b.edges", folder / "labels.tsv", folder / "m.dalaup"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string names =
      "'ann\x1b]0;pwned\x07' 'z\xc2\x9b"
      "2J'";
  const CommandResult result =
      run_dalaup(fmt::format("explain --model {} --pair {}", folder / "m.dalaup", names));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ((result.out + result.err).find_first_of("\x1b\x07\x9b"), std::string::npos);
  const CommandResult unknown =
      run_dalaup(fmt::format("explain --model {} --pair ann x", folder / "m.dalaup"));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.err.find('\x1b'), std::string::npos) << "in suggestions too";
}

}  // namespace
}  // namespace dalaup
