#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evaluation/evaluation.h"
#include "experiments/experiments.h"
#include "query/query.h"

namespace dalaup {
namespace {

LineChart accuracy_chart(const std::vector<RoundResult>& rounds) {
  LineChart chart{.title = "Accuracy against answers",
                  .x_label = "answers given",
                  .y_label = "share of test users",
                  .series = {{.name = "precision@30"}, {.name = "hits@10"}, {.name = "hits@1"}}};
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

}  // namespace

Facts strategy_facts(std::span<const std::string> names, std::span<const std::string> arms) {
  Facts facts;
  for (const auto& name : names) {
    const auto known = std::ranges::find(query_strategies(), name, &StrategySummary::name);
    if (known != query_strategies().end())
      facts.emplace_back(name, known->summary);
    else if (name == "dalaup-all")
      facts.emplace_back(name, "the bandit over all strategies");
    else if (is_bandit(name))
      facts.emplace_back(name, fmt::format("the bandit over {}", fmt::join(arms, ", ")));
    else if (name == kStudyPlan)
      facts.emplace_back(name, "what people are asked in a study: its plan, with audits");
    else if (name == kControl)
      facts.emplace_back(name, "asks nothing");
    else if (name == kRandomAnchors)
      facts.emplace_back(name, "is told true anchors at random, without asking");
  }
  return facts;
}

Report loop_report(const LoopReportInput& input, Run& run) {
  const auto& rounds = input.state.rounds;
  if (rounds.empty()) throw StateError("report: found no rounds, expected a finished run");
  const RoundResult& first = rounds.front();
  const RoundResult& last = rounds.back();
  Report report{.title = input.title, .facts = network_facts(input.aligner.networks())};
  report.headline = fmt::format("{}, {} of them yes, took precision@30 from {:.3f} to {:.3f}.",
                                counted(last.answers, "answer"), last.positives,
                                first.test.precision, last.test.precision);
  ReportSection brought{"What the answers brought",
                        {accuracy_chart(rounds), answers_chart(rounds), rounds_table(rounds)}};
  report.sections.push_back(std::move(brought));
  if (!input.split.test.empty()) {
    report.sections.push_back(
        sureness_section("The first candidate of every test user, with the probability the method "
                         "gives it. Test users were never asked about.",
                         judged_matches(input.aligner, input.split.test, run)));
  }
  report.sections.push_back({"The networks", {degree_chart(input.aligner.networks())}});
  report.facts.emplace_back("method", input.aligner.method());
  report.facts.emplace_back(
      "split",
      fmt::format("{} to begin with, {} to validate, {} to test, {} in the pool",
                  counted(input.split.initial.size(), "anchor"), input.split.validation.size(),
                  input.split.test.size(), input.split.pool.size()));
  report.facts.emplace_back("seed", fmt::format("{}", run.seed()));
  report.facts.emplace_back("protocol", ranking_protocol());
  std::vector<std::string> used;
  for (const Arm& arm : input.state.bandit.arms()) used.push_back(arm.name);
  for (const auto& fact : strategy_facts(used, {})) report.facts.push_back(fact);
  for (const auto& fact : input.facts) report.facts.push_back(fact);
  return report;
}

}  // namespace dalaup
