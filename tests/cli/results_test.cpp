#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "support/support.h"

// What train, predict, experiment and split leave behind, as people meet it.
namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      row.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return rows;
}

class Results : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    ASSERT_EQ(run_dalaup("generate --users-a 150 --users-b 140 --anchors 110 --edges-a 900 "
                         "--edges-b 900 --overlap 0.8 --quiet --out " +
                         shared_->path())
                  .exit_code,
              0);
    std::string labels;
    const auto truth = rows_of(*shared_ / "truth.tsv");
    for (std::size_t i = 0; i < 50; ++i) labels += truth[i][0] + "\t" + truth[i][1] + "\n";
    write_file(*shared_ / "labels.tsv", labels);
    ASSERT_EQ(train("--labels " + (*shared_ / "labels.tsv") + " --model " + (*shared_ / "m.dalaup"))
                  .exit_code,
              0);
  }
  static void TearDownTestSuite() { delete shared_; }
  static CommandResult train(const std::string& options) {
    return run_dalaup(
        fmt::format("train --quiet --a {0}/a.edges --b {0}/b.edges {1}", shared_->path(), options));
  }
  CommandResult predict(const std::string& options) const {
    return run_dalaup(fmt::format("predict --quiet --model {} {}", *shared_ / "m.dalaup", options));
  }
  static TemporaryFolder* shared_;
  TemporaryFolder folder_;
};
TemporaryFolder* Results::shared_ = nullptr;

TEST_F(Results, RankedListsAreInTheOrderOfTheirScoresToTheLastCandidate) {
  ASSERT_EQ(train(fmt::format("--labels {} --model {} --prior-candidates 5 --listed-candidates 5",
                              *shared_ / "labels.tsv", folder_ / "short.dalaup"))
                .exit_code,
            0);
  for (const char* const direction : {"ab", "ba"}) {
    ASSERT_EQ(run_dalaup(fmt::format("predict --quiet --model {} --top 60 --direction {} --out {}",
                                     folder_ / "short.dalaup", direction, folder_ / "r.tsv"))
                  .exit_code,
              0);
    const auto rows = rows_of(folder_ / "r.tsv");
    std::size_t inversions = 0;
    for (std::size_t i = 2; i < rows.size(); ++i)
      if (rows[i][0] == rows[i - 1][0])
        inversions += std::stod(rows[i][3]) > std::stod(rows[i - 1][3]) ? 1 : 0;
    EXPECT_GT(rows.size(), 3000U);
    EXPECT_EQ(inversions, 0U) << direction;
  }
}

TEST_F(Results, AnUnwritableModelIsRefusedBeforeTheNetworksAreRead) {
  const CommandResult result = run_dalaup(
      fmt::format("train --a nowhere.edges --b nowhere.edges --labels nowhere.tsv --model {}",
                  folder_ / "missing/m.dalaup"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("missing/m.dalaup: cannot be created (No such file"));
  EXPECT_FALSE(file_exists(folder_ / "missing"));
}

TEST_F(Results, ADashMeansStandardOutputAndTheSummaryStaysOutOfIt) {
  const CommandResult result = predict("--out - --top 3");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("a\trank\tb\tscore"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("users of A ranked")));
  EXPECT_THAT(result.err, HasSubstr("users of A ranked"));
  EXPECT_FALSE(file_exists("-"));
}

TEST_F(Results, TablesOfExperimentsHaveHeadings) {
  const CommandResult result = run_dalaup(
      fmt::format("experiment ratio --quiet --a {0}/a.edges --b {0}/b.edges --truth {0}/truth.tsv "
                  "--ratios 0.3,0.5 --repeats 1 --methods propagation,deepwalk:walks=2:dim=4 "
                  "--out {1}",
                  shared_->path(), folder_ / "out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("precision@30 / map@30 with"));
  EXPECT_THAT(result.out, HasSubstr("0.3 labelled"));
  EXPECT_THAT(result.out, HasSubstr("0.5 labelled\npropagation "));
}

TEST_F(Results, EveryCandidateComesWithItsProbability) {
  ASSERT_EQ(predict("--top 5 --out " + (folder_ / "r.tsv")).exit_code, 0);
  const auto rows = rows_of(folder_ / "r.tsv");
  EXPECT_EQ(rows[0], (std::vector<std::string>{"a", "rank", "b", "score", "probability"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 5U);
    EXPECT_GT(std::stod(rows[i][4]), 0.0);
    EXPECT_LE(std::stod(rows[i][4]), 1.0);
  }
}

TEST_F(Results, TheOtherDirectionSaysSoInItsHeader) {
  ASSERT_EQ(predict("--top 2 --direction ba --out " + (folder_ / "r.tsv")).exit_code, 0);
  EXPECT_THAT(content_of(folder_ / "r.tsv"), StartsWith("b\trank\ta\tscore\tprobability\n"));
  const CommandResult judged =
      run_dalaup(fmt::format("evaluate --quiet --ranked {} --truth {} --labels {}",
                             folder_ / "r.tsv", *shared_ / "truth.tsv", *shared_ / "labels.tsv"));
  EXPECT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("Users of A are ranked for those of B."));
}

TEST_F(Results, TheMatchingBeginsWithTheSurestPairs) {
  ASSERT_EQ(predict(fmt::format("--out {} --matching {} --with-labels --least-probability 0.1",
                                folder_ / "r.tsv", folder_ / "m.tsv"))
                .exit_code,
            0);
  const auto rows = rows_of(folder_ / "m.tsv");
  EXPECT_EQ(rows[0], (std::vector<std::string>{"a", "b", "probability", "margin", "rank_a",
                                               "rank_b", "known"}));
  ASSERT_GT(rows.size(), 60U);
  for (std::size_t i = 2; i < rows.size(); ++i)
    EXPECT_GE(std::stod(rows[i - 1][2]), std::stod(rows[i][2]));
  EXPECT_EQ(rows[1][6], "1");  // 50 known ones first
  EXPECT_EQ(rows[51][6], "0");
}

TEST_F(Results, TheMatchingCanBeLimitedToTheBestOrToSomeUsers) {
  const std::string out =
      fmt::format("--out {} --least-probability 0.1 --matching ", folder_ / "r.tsv");
  ASSERT_EQ(predict(out + (folder_ / "all.tsv")).exit_code, 0);
  ASSERT_EQ(predict(out + (folder_ / "best.tsv") + " --best 7").exit_code, 0);
  const auto all = rows_of(folder_ / "all.tsv");
  const auto best = rows_of(folder_ / "best.tsv");
  ASSERT_GT(all.size(), 12U);
  ASSERT_EQ(best.size(), 8U);
  for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(best[i], all[i]);
  write_file(folder_ / "users.txt", all[5][0] + "\n" + all[9][0] + "\n");
  ASSERT_EQ(predict(fmt::format("{}{} --users {}", out, folder_ / "two.tsv", folder_ / "users.txt"))
                .exit_code,
            0);
  EXPECT_EQ(rows_of(folder_ / "two.tsv"),
            (std::vector<std::vector<std::string>>{all[0], all[5], all[9]}));
  write_file(folder_ / "users.txt", all[4][1] + "\n");
  ASSERT_EQ(predict(fmt::format("{}{} --users {} --direction ba", out, folder_ / "one.tsv",
                                folder_ / "users.txt"))
                .exit_code,
            0);
  EXPECT_EQ(rows_of(folder_ / "one.tsv"), (std::vector<std::vector<std::string>>{all[0], all[4]}));
}

TEST_F(Results, AListOfUsersMayHaveQuotesAndBlanksButNoHeader) {
  const auto truth = rows_of(*shared_ / "truth.tsv");
  const auto ranked = [&](const std::string& list) {
    write_file(folder_ / "users.txt", list);
    return predict("--top 1 --out - --users " + (folder_ / "users.txt"));
  };
  const CommandResult two =
      ranked("\"" + truth[60][0] + "\"\r\n " + truth[61][0] + "\t\n#a note\n");
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_THAT(two.out,
              testing::AllOf(HasSubstr(truth[60][0] + "\t1\t"), HasSubstr(truth[61][0] + "\t1\t")));
  const CommandResult header = ranked("user\n" + truth[60][0] + "\n");
  EXPECT_EQ(header.exit_code, 1);
  EXPECT_THAT(header.err, HasSubstr("users.txt:1: found \"user\", expected the name of a user\n"
                                    "hint: one name a line, without a header"));
}

// A few users are answered without loading the model, which shows where the model is damaged.
TEST_F(Results, AFewUsersAreRankedWithoutTheRestOfTheModel) {
  const std::string at = folder_ / "pair";
  ASSERT_EQ(
      run_dalaup("generate --users-a 800 --users-b 800 --anchors 400 --edges-a 4000 --edges-b "
                 "4000 --labels-share 0.3 --quiet --out " +
                 at)
          .exit_code,
      0);
  const std::string path = folder_ / "large.dalaup";
  ASSERT_EQ(
      run_dalaup(fmt::format("train --quiet --a {0}/a.edges --b {0}/b.edges --labels "
                             "{0}/labels.tsv --iterations 3 --calibration-folds 0 --model {1}",
                             at, path))
          .exit_code,
      0);
  const auto ranked = [&](const std::string& users, const std::string& out) {
    std::string options = fmt::format("predict --quiet --model {} --out {}", path, folder_ / out);
    if (!users.empty()) {
      write_file(folder_ / "users.txt", users);
      options += " --users " + (folder_ / "users.txt");
    }
    return run_dalaup(options);
  };
  ASSERT_EQ(ranked("", "all.tsv").exit_code, 0);
  std::string first;  // in the order of the model: those without known partner
  std::string last;
  for (const auto& row : rows_of(folder_ / "all.tsv")) {
    if (row[1] != "1") continue;
    if (first.empty()) first = row[0];
    last = row[0];
  }
  const CommandResult two = ranked(last + "\n" + first + "\n", "two.tsv");
  ASSERT_EQ(two.exit_code, 0) << two.err;
  std::vector<std::vector<std::string>> expected{{"a", "rank", "b", "score", "probability"}};
  for (const std::string& name : {last, first})
    for (const auto& row : rows_of(folder_ / "all.tsv"))
      if (row[0] == name) expected.push_back(row);
  EXPECT_EQ(rows_of(folder_ / "two.tsv"), expected);

  std::string model = content_of(path);
  const std::size_t pairs = model.find("propagation.pairs");
  const std::size_t log_odds = model.find("propagation.log_odds");
  ASSERT_GT(log_odds - pairs, std::size_t{4} << 16);
  model[(pairs + log_odds) / 2] ^= 1;
  write_file(path, model);
  ASSERT_EQ(ranked(first, "one.tsv").exit_code, 0);
  EXPECT_EQ(rows_of(folder_ / "one.tsv").size(), 31U);
  for (const std::string& users : {std::string("nobody"), std::string()}) {
    const CommandResult refused = ranked(users, "none.tsv");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("found a truncated or damaged file"));
  }
}

TEST_F(Results, SplitWritesNamesThatAreReadAgain) {
  write_file(folder_ / "truth.csv", "\"#golang\",x\n\"\"\"Slim\"\" Jim\",y\n");
  const CommandResult split = run_dalaup(fmt::format("split --truth {} --share 1 --labels {}",
                                                     folder_ / "truth.csv", folder_ / "l.tsv"));
  EXPECT_EQ(split.exit_code, 0) << split.err;
  EXPECT_EQ(content_of(folder_ / "l.tsv"), "\"#golang\"\tx\n\"\"\"Slim\"\" Jim\"\ty\n");
  EXPECT_THAT(split.err, HasSubstr("comma-separated, quoted, no header, columns 1, 2; 2 pairs"));
  const CommandResult again = run_dalaup(
      fmt::format("split --truth {} --share 1 --labels {}", folder_ / "l.tsv", folder_ / "l2.tsv"));
  EXPECT_EQ(content_of(folder_ / "l2.tsv"), content_of(folder_ / "l.tsv"));
  write_file(folder_ / "nothing.tsv", "");
  const CommandResult none = run_dalaup(fmt::format("split --truth {} --share 0.5 --labels {}",
                                                    folder_ / "nothing.tsv", folder_ / "l3.tsv"));
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing.tsv: found no pairs, expected at least one line"));
}

TEST_F(Results, TrainingGoesOnFromAModelWithFurtherLabels) {
  const auto truth = rows_of(*shared_ / "truth.tsv");
  std::string more;
  for (std::size_t i = 45; i < 70; ++i) more += truth[i][0] + "\t" + truth[i][1] + "\n";
  write_file(folder_ / "more.tsv", more);
  const CommandResult result =
      run_dalaup(fmt::format("train --quiet --from {} --labels {} --model {}",
                             *shared_ / "m.dalaup", folder_ / "more.tsv", folder_ / "next.dalaup"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("50 anchor pairs known before, 20 new\n"));
  EXPECT_THAT(result.out, HasSubstr("(anchor pairs: 70, other answers: 0)"));
  ASSERT_EQ(run_dalaup(fmt::format("predict --quiet --model {} --out {}", folder_ / "next.dalaup",
                                   folder_ / "r.tsv"))
                .exit_code,
            0);

  write_file(folder_ / "wrong.tsv", truth[0][0] + "\t" + truth[1][1] + "\n");
  const CommandResult wrong =
      run_dalaup(fmt::format("train --from {} --labels {} --model {}", *shared_ / "m.dalaup",
                             folder_ / "wrong.tsv", folder_ / "x.dalaup"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("but the model knows"));
  EXPECT_EQ(train(fmt::format("--from {0} --labels {1} --model {2}", *shared_ / "m.dalaup",
                              folder_ / "more.tsv", folder_ / "x.dalaup"))
                .exit_code,
            2);
}

// numpy.random.RandomState(7).permutation(10) = 8 5 0 2 1 9 7 3 6 4
TEST_F(Results, SplitsAreThoseOfNumPy) {
  std::string truth = "# ten pairs\n";
  for (int i = 0; i < 10; ++i) truth += fmt::format("a{0}\tb{0}\n", i);
  write_file(folder_ / "t.tsv", truth);
  ASSERT_EQ(run_dalaup(fmt::format("split --truth {} --share 0.5 --seed 7 --labels {}",
                                   folder_ / "t.tsv", folder_ / "l.tsv"))
                .exit_code,
            0);
  EXPECT_EQ(content_of(folder_ / "l.tsv"), "a0\tb0\na1\tb1\na2\tb2\na5\tb5\na8\tb8\n");
}

TEST_F(Results, SplitCutsATruthFileIntoLabelsAndARest) {
  const std::string split =
      fmt::format("split --truth {} --share 0.3 --labels {} --rest {} --seed ",
                  *shared_ / "truth.tsv", folder_ / "l.tsv", folder_ / "rest.tsv");
  const CommandResult result = run_dalaup(split + "3");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  auto all = rows_of(folder_ / "l.tsv");
  EXPECT_EQ(all.size(), 33U);
  const auto first = all;
  const auto rest = rows_of(folder_ / "rest.tsv");
  all.insert(all.end(), rest.begin(), rest.end());
  std::ranges::sort(all);
  auto truth = rows_of(*shared_ / "truth.tsv");
  std::ranges::sort(truth);
  EXPECT_EQ(all, truth);
  ASSERT_EQ(run_dalaup(split + "4").exit_code, 0);
  EXPECT_NE(rows_of(folder_ / "l.tsv"), first);
}

TEST_F(Results, AMatchingIsWrittenWithoutRankedListsToo) {
  ASSERT_EQ(predict("--matching " + (folder_ / "alone.tsv")).exit_code, 0);
  ASSERT_EQ(predict(fmt::format("--out {} --matching {}", folder_ / "r.tsv", folder_ / "m.tsv"))
                .exit_code,
            0);
  EXPECT_EQ(read_all(*open_bytes(folder_ / "alone.tsv")), read_all(*open_bytes(folder_ / "m.tsv")));
  const CommandResult none = predict("--top 5");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("found none of --out, --matching and --unmatched"), none.err.npos)
      << none.err;
}

}  // namespace
}  // namespace dalaup
