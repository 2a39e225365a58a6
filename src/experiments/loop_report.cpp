#include <fmt/format.h>

#include <cmath>
#include <map>

#include "evaluation/evaluation.h"
#include "experiments/experiments.h"

namespace dalaup {
namespace {

LineChart accuracy_chart(const std::vector<RoundResult>& rounds) {
  LineChart chart{.title = "Accuracy against answers",
                  .x_label = "answers given",
                  .y_label = "share of test users",
                  .series = {{.name = "precision@30"}, {.name = "hits@10"}, {.name = "hits@1"}},
                  .y_lowest = 0.0,
                  .y_highest = 1.0};
  for (const RoundResult& round : rounds) {
    const double values[] = {round.test.precision, round.test.hits_10, round.test.hits_1};
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      chart.series[i].x.push_back(static_cast<double>(round.answers));
      chart.series[i].y.push_back(values[i]);
    }
  }
  return chart;
}

// A bar per round in the colour of the strategy that asked.
BarChart answers_chart(const std::vector<RoundResult>& rounds) {
  BarChart chart{.title = "Partners found in each round, by the strategy that asked",
                 .x_label = "round",
                 .y_label = "yes answers",
                 .is_stacked = true};
  std::map<std::string, std::vector<double>> found;
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    chart.groups.push_back(fmt::format("{}", rounds[i].round));
    auto& values = found[rounds[i].strategy];
    values.resize(rounds.size() - 1, 0.0);
    values[i - 1] = static_cast<double>(rounds[i].positives - rounds[i - 1].positives);
  }
  for (auto& [name, values] : found) chart.series.push_back({.name = name, .values = values});
  return chart;
}

ReportTable rounds_table(const std::vector<RoundResult>& rounds) {
  ReportTable table{.title = "Round by round",
                    .columns = {"round", "answers", "yes", "precision@30", "map@30", "hits@1",
                                "asked by", "reward", "exploration"}};
  for (const RoundResult& round : rounds)
    table.rows.push_back(
        {fmt::format("{}", round.round), fmt::format("{}", round.answers),
         fmt::format("{}", round.positives), fmt::format("{:.3f}", round.test.precision),
         fmt::format("{:.3f}", round.test.map), fmt::format("{:.3f}", round.test.hits_1),
         round.strategy.empty() ? "–" : round.strategy,
         round.round == 0 ? "–" : fmt::format("{:+.3f}", round.reward),
         round.round == 0 ? "–" : fmt::format("{:.2f}", round.exploration_probability)});
  table.note =
      "Reward is the rise of (precision@30 + map@30)/2 on validation anchors; exploration is "
      "the chance the bandit drew for trying any strategy.";
  return table;
}

// The first candidate of every test user with its probability, and the rank of the true one.
struct TestMatches {
  std::vector<JudgedMatch> first_candidates;
  std::vector<JudgedMatch> true_pairs;
};

TestMatches judge(const Aligner& aligner, std::span<const UserPair> test, Run& run) {
  const NetworkPair& networks = aligner.networks();
  std::vector<UserId> users;
  for (const UserPair& pair : test) users.push_back(pair.a);
  const RankedLists lists = aligner.best_candidates(Side::kA, users, 1, run);
  const std::vector<double> ranks = aligner.ranks(test, run);
  TestMatches matches;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const std::string a(networks.a.name(test[i].a));
    matches.true_pairs.push_back({a, std::string(networks.b.name(test[i].b)),
                                  aligner.probability(test[i]), ranks[i], ranks[i] <= 1.0});
    if (lists[i].candidates.empty()) continue;
    const UserId first = lists[i].candidates.front().user;
    matches.first_candidates.push_back({a, std::string(networks.b.name(first)),
                                        aligner.probability({test[i].a, first}), 1.0,
                                        first == test[i].b});
  }
  return matches;
}

Calibration calibration_of_matches(const std::vector<JudgedMatch>& matches) {
  std::vector<double> probabilities;
  std::vector<bool> is_right;
  for (const JudgedMatch& match : matches) {
    probabilities.push_back(match.probability);
    is_right.push_back(match.is_right);
  }
  return calibration_of(probabilities, is_right);
}

}  // namespace

Report loop_report(const LoopReportInput& input, Run& run) {
  const auto& rounds = input.state.rounds;
  if (rounds.empty()) throw StateError("report: found no rounds, expected a finished run");
  const RoundResult& first = rounds.front();
  const RoundResult& last = rounds.back();
  Report report{.title = input.title, .facts = network_facts(input.aligner.networks())};
  AccuracyCurve asked;
  for (const RoundResult& round : rounds) {
    asked.labels.push_back(static_cast<double>(round.answers));
    asked.accuracy.push_back(round.test.precision);
  }
  report.headline =
      fmt::format("{} answers, {} of them yes, took precision@30 from {:.3f} to {:.3f}. {}",
                  last.answers, last.positives, first.test.precision, last.test.precision,
                  label_economy(asked, input.random_anchors, "precision@30"));
  report.sections.push_back(
      {"What the answers brought",
       {accuracy_chart(rounds), answers_chart(rounds), rounds_table(rounds)}});
  if (!input.split.test.empty()) {
    const TestMatches matches = judge(input.aligner, input.split.test, run);
    report.sections.push_back(
        {"How sure, and how right",
         {ReportText{
              "The first candidate of every test user, with the probability the method gives "
              "it. Test users were never asked about."},
          calibration_chart(calibration_of_matches(matches.first_candidates)),
          surest_matches(matches.first_candidates), hardest_matches(matches.true_pairs)}});
  }
  report.sections.push_back({"The networks", {degree_chart(input.aligner.networks())}});
  report.facts.emplace_back("method", input.aligner.method());
  report.facts.emplace_back(
      "split", fmt::format("{} anchors to begin with, {} to validate, {} to test, {} in the pool",
                           input.split.initial.size(), input.split.validation.size(),
                           input.split.test.size(), input.split.pool.size()));
  report.facts.emplace_back("seed", fmt::format("{}", run.seed()));
  report.facts.emplace_back(
      "protocol",
      "A test anchor (a, b) is ranked among all users of B that are not known partners; rank = 1 + "
      "those scoring higher + half of the others scoring the same.");
  for (const auto& fact : input.facts) report.facts.push_back(fact);
  return report;
}

}  // namespace dalaup
