#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "evaluation/evaluation.h"
#include "support/support.h"

namespace dalaup {
namespace {

// ann -> x is first; bob -> y shares the second place with q (rank 2.5); cid -> z is not listed;
// dora has no rows; eve is labelled, so that neither she nor v is judged.
constexpr const char* kTruth = "ann\tx\nbob\ty\ncid\tz\ndora\tw\neve\tv\n";
constexpr const char* kLabels = "# known\neve\tv\nann\ty\t0\n";
constexpr const char* kRanked =
    "a\trank\tb\tscore\n"
    "ann\t1\tx\t0.9\nann\t2\ty\t0.3\n"
    "bob\t1\tp\t5\nbob\t2\ty\t4\nbob\t3\tq\t4\n"
    "cid\t1\tp\t-1\n"
    "zoe\t1\tv\t1\n";

class EvaluateCommand : public testing::Test {
 protected:
  EvaluateCommand() {
    write_file(folder_ / "truth.tsv", kTruth);
    write_file(folder_ / "labels.tsv", kLabels);
  }
  CommandResult evaluate(const std::string& ranked, const std::string& more = "") {
    write_file(folder_ / "ranked.tsv", ranked);
    return run_dalaup("evaluate --ranked " + (folder_ / "ranked.tsv") + " --truth " +
                      (folder_ / "truth.tsv") + " --labels " + (folder_ / "labels.tsv") + " " +
                      more);
  }
  TemporaryFolder folder_;
};

TEST_F(EvaluateCommand, AgreesWithRanksComputedByHand) {
  const auto result = evaluate(kRanked, "--json --quiet");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["tests"], 4);
  EXPECT_DOUBLE_EQ(json["precision@30"], 0.5);
  EXPECT_DOUBLE_EQ(json["hits@1"], 0.25);
  EXPECT_DOUBLE_EQ(json["hits@10"], 0.5);
  EXPECT_DOUBLE_EQ(json["map@30"], (1 + 1 / 2.5) / 4);
  EXPECT_DOUBLE_EQ(json["mrr"], (1 + 1 / 2.5) / 4);
  EXPECT_DOUBLE_EQ(json["map-linear@30"], (30.0 + 28.5) / 30 / 4);
  EXPECT_EQ(json["missed"], 2);
  EXPECT_EQ(json["users_without_rows"], 1);
}

TEST_F(EvaluateCommand, SaysItsProtocolInWords) {
  const auto result = evaluate(kRanked);
  EXPECT_NE(result.out.find("4 test pairs: the truth without the 1 that the labels hold"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("counts as a miss, also in mrr"), std::string::npos);
  EXPECT_NE(result.err.find("fewer than the 30 of precision@30"), std::string::npos) << result.err;
}

TEST_F(EvaluateCommand, RefusesAScoreThatIsNotFinite) {
  for (const char* const score : {"nan", "inf", "-inf", "abc", ""}) {
    const auto result = evaluate(std::string("a\trank\tb\tscore\nann\t1\tx\t") + score + "\n");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("ranked.tsv:2: found score"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("expected a finite number"), std::string::npos);
  }
}

TEST_F(EvaluateCommand, RefusesALabelledPartnerAmongTheCandidates) {
  const auto result = evaluate("a\trank\tb\tscore\nann\t1\tv\t1\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("but the labels know its partner already"), std::string::npos)
      << result.err;
}

TEST_F(EvaluateCommand, RefusesForeignHeadersTwiceListedCandidatesAndShortRows) {
  EXPECT_EQ(evaluate("ann\t1\tx\t0.5\n").exit_code, 1);
  EXPECT_EQ(evaluate("").exit_code, 1);
  EXPECT_EQ(evaluate("a\trank\tb\tscore\nann\t1\ty\t1\nann\t2\ty\t1\n").exit_code, 1);
  EXPECT_EQ(evaluate("a\trank\tb\tscore\nann\t1\tx\t1\nann\t2\tx\t1\n").exit_code, 1);
  const auto result = evaluate("a\trank\tb\tscore\nann\t1\tx\n");
  EXPECT_NE(result.err.find("found 3 columns, expected 4"), std::string::npos) << result.err;
}

TEST_F(EvaluateCommand, WarnsWhenRanksContradictScores) {
  const auto result = evaluate("a\trank\tb\tscore\nann\t1\tx\t1\nann\t2\ty\t2\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("1 row has a better score than the row before"), std::string::npos)
      << result.err;
}

TEST_F(EvaluateCommand, ReadsFurtherColumnsAndListsOfTheOtherSide) {
  const auto wide =
      evaluate("a\trank\tb\tscore\tprobability\nann\t1\tx\t0.9\t0.5\n", "--json --quiet");
  ASSERT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(wide.out)["hits@1"], 0.25);
  // x ranks bob before ann; y ranks bob first: one right of four, one second.
  const auto back = evaluate(
      "b\trank\ta\tscore\tprobability\nx\t1\tbob\t2\t0.5\nx\t2\tann\t1\t0.4\n"
      "y\t1\tbob\t3\t0.9\n",
      "--json --quiet");
  ASSERT_EQ(back.exit_code, 0) << back.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(back.out)["hits@1"], 0.25);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(back.out)["mrr"], (1 + 0.5) / 4);
  EXPECT_EQ(evaluate("b\trank\ta\tscore\nx\t1\teve\t2\n").exit_code, 1);  // eve is labelled
}

TEST_F(EvaluateCommand, CountsPairsOfUsersTheTruthDoesNotMentionApart) {
  write_file(folder_ / "matching.tsv",
             "a\tb\tprobability\tmargin\nann\tx\t0.9\t1\nyan\tk\t0.9\t1\nyu\tl\t0.3\t1\n");
  const auto result = evaluate(kRanked, "--quiet --matching " + (folder_ / "matching.tsv"));
  EXPECT_NE(result.out.find("\nnot judged: 1 further pair at that probability, of users the truth "
                            "does not mention"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("precision 1.0000 (1 of 1)"), std::string::npos) << result.out;
}

TEST_F(EvaluateCommand, JudgesAMatching) {
  write_file(folder_ / "matching.tsv",
             "a\tb\tprobability\nann\tx\t0.9\nbob\tz\t0.8\nzoe\tw\t0.7\neve\tv\t1\nyan\tk\t0.9\n");
  const auto result = evaluate(kRanked, "--json --quiet --matching " + (folder_ / "matching.tsv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out)["matching"];
  EXPECT_EQ(json["proposed"], 3);  // ann, bob, and zoe who took dora's w
  EXPECT_EQ(json["right"], 1);
  EXPECT_EQ(json["not_judged"], 1);
  EXPECT_DOUBLE_EQ(json["recall"], 0.25);
}

// The project's independent scorer, when it is beside the repository.
TEST_F(EvaluateCommand, AgreesWithTheIndependentScorer) {
  const std::string script = source_folder() + "/../shared/tools/score.py";
  if (!file_exists(script)) GTEST_SKIP() << "the independent scorer is not beside the repository";
  Random random(5);
  std::string truth;
  std::string labels;
  std::string ranked = "a\trank\tb\tscore\n";
  for (int user = 0; user < 200; ++user) {
    truth += fmt::format("a{}\tb{}\n", user, user);
    if (user < 40) {
      labels += fmt::format("a{}\tb{}\n", user, user);
      continue;
    }
    if (random.chance(0.1)) continue;       // no rows at all
    std::vector<std::pair<int, int>> rows;  // few distinct scores: many ties
    for (const auto b : random.sample(160, 60))
      rows.emplace_back(-static_cast<int>(random.below(25)), static_cast<int>(b) + 40);
    std::ranges::sort(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      ranked += fmt::format("a{}\t{}\tb{}\t{}\n", user, i + 1, rows[i].second, -rows[i].first);
  }
  write_file(folder_ / "truth.tsv", truth);
  write_file(folder_ / "labels.tsv", labels);
  const auto result = evaluate(ranked, "--json --quiet");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto ours = nlohmann::json::parse(result.out);
  const std::string command = "python3 " + script + " " + (folder_ / "ranked.tsv") + " " +
                              (folder_ / "truth.tsv") + " " + (folder_ / "labels.tsv") + " > " +
                              (folder_ / "score.json");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto theirs = nlohmann::json::parse(content_of(folder_ / "score.json"));
  for (const auto& [name, value] : theirs.items())
    EXPECT_NEAR(ours[name].get<double>(), value.get<double>(), 1e-12) << name;
}

}  // namespace
}  // namespace dalaup
