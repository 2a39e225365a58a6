#include "cli/simulation_report.h"

#include <algorithm>
#include <map>

namespace dalaup {
namespace {

std::vector<std::string> strategies_of(std::span<const SimulatedRun> runs) {
  std::vector<std::string> names;
  for (const SimulatedRun& run : runs)
    if (std::ranges::find(names, run.strategy) == names.end()) names.push_back(run.strategy);
  return names;
}

// Mean over repeats with its spread against the number of answers.
LineChart curve_chart(std::span<const SimulatedRun> runs, const std::string& title,
                      double Metrics::*metric) {
  LineChart chart{.title = title, .x_label = "answers", .y_label = title};
  for (const std::string& strategy : strategies_of(runs)) {
    std::map<std::size_t, std::vector<double>> points;
    for (const SimulatedRun& run : runs)
      if (run.strategy == strategy)
        for (const RoundResult& round : run.state.rounds)
          points[round.answers].push_back(round.test.*metric);
    LineSeries series{.name = strategy, .is_reference = strategy == kControl};
    for (const auto& [answers, values] : points) {
      const Spread spread = spread_of(values);
      series.x.push_back(static_cast<double>(answers));
      series.y.push_back(spread.mean);
      series.low.push_back(spread.mean - spread.standard_deviation);
      series.high.push_back(spread.mean + spread.standard_deviation);
    }
    chart.series.push_back(std::move(series));
  }
  chart.note = "Mean over repeats; the band is one standard deviation.";
  return chart;
}

ReportTable results_table(std::span<const SimulatedRun> runs) {
  ReportTable table{.title = "At the end of the budget",
                    .columns = {"strategy", "answers", "yes", "precision@30", "map@30", "hits@1"}};
  for (const std::string& strategy : strategies_of(runs)) {
    std::vector<double> answers, yes, precision, map, hits_1;
    for (const SimulatedRun& run : runs) {
      if (run.strategy != strategy) continue;
      const RoundResult& last = run.state.rounds.back();
      answers.push_back(strategy == kControl ? 0.0 : static_cast<double>(last.answers));
      yes.push_back(static_cast<double>(last.positives));
      precision.push_back(last.test.precision);
      map.push_back(last.test.map);
      hits_1.push_back(last.test.hits_1);
    }
    const auto cell = [](const std::vector<double>& values) {
      const Spread spread = spread_of(values);
      return fmt::format("{:.3f} ± {:.3f}", spread.mean, spread.standard_deviation);
    };
    table.rows.push_back({strategy, fmt::format("{:.0f}", spread_of(answers).mean),
                          fmt::format("{:.0f}", spread_of(yes).mean), cell(precision), cell(map),
                          cell(hits_1)});
  }
  return table;
}

ReportTable bandit_table(std::span<const SimulatedRun> runs) {
  ReportTable table{.title = "The bandit's arms, summed over repeats",
                    .columns = {"bandit", "arm", "times chosen", "mean reward"}};
  for (const std::string& strategy : strategies_of(runs)) {
    if (!is_bandit(strategy)) continue;
    std::map<std::string, std::pair<std::int64_t, double>> arms;  // times, sum of rewards
    for (const SimulatedRun& run : runs)
      if (run.strategy == strategy)
        for (const Arm& arm : run.state.bandit.arms()) {
          arms[arm.name].first += arm.times_chosen;
          arms[arm.name].second += arm.mean_reward * static_cast<double>(arm.times_chosen);
        }
    for (const auto& [name, sums] : arms)
      table.rows.push_back(
          {strategy, name, fmt::format("{}", sums.first),
           sums.first == 0
               ? "-"
               : fmt::format("{:+.4f}", sums.second / static_cast<double>(sums.first))});
  }
  table.note = "Reward: mean rise of precision@30 and map@30 on validation anchors after a round.";
  return table;
}

std::string headline(std::span<const SimulatedRun> runs) {
  std::string best;
  double best_precision = -1.0;
  double control = -1.0;
  double answers = 0.0;
  for (const std::string& strategy : strategies_of(runs)) {
    std::vector<double> precision;
    double asked = 0.0;
    for (const SimulatedRun& run : runs)
      if (run.strategy == strategy) {
        precision.push_back(run.state.rounds.back().test.precision);
        asked = static_cast<double>(run.state.rounds.back().answers);
      }
    const double mean = spread_of(precision).mean;
    if (strategy == kControl) {
      control = mean;
    } else if (mean > best_precision) {
      best = strategy;
      best_precision = mean;
      answers = asked;
    }
  }
  if (best.empty()) return "Nothing was asked.";
  std::string words = fmt::format("{:.0f} answers chosen by {} give precision@30 {:.3f}", answers,
                                  best, best_precision);
  if (control >= 0.0) words += fmt::format("; without answers it is {:.3f}", control);
  return words + ".";
}

}  // namespace

Report simulation_report(std::span<const SimulatedRun> runs, const NetworkPair& networks,
                         const SimulationFacts& facts) {
  const SimulationParams& params = facts.params;
  Report report{.title = "Active learning, simulated", .headline = headline(runs)};
  report.facts = network_facts(networks);
  report.facts.emplace_back("method", facts.method);
  report.facts.emplace_back("anchor pairs in the truth", fmt::format("{}", facts.truth));
  report.facts.emplace_back("split", fmt::format("{} initial, {} validation, {} test",
                                                 params.initial, params.validation, params.test));
  report.facts.emplace_back("questions",
                            fmt::format("{} {} questions in batches of {}", params.label_budget,
                                        facts.questions, params.batch_size));
  report.facts.emplace_back("repeats", fmt::format("{}", params.repeats));
  report.facts.emplace_back("wrong answers", fmt::format("{:.0f} %", 100.0 * params.oracle_error));
  report.facts.emplace_back("command", facts.command_line);
  ReportSection curves{.title = "What the answers bought"};
  curves.items.push_back(results_table(runs));
  curves.items.push_back(curve_chart(runs, "precision@30", &Metrics::precision));
  curves.items.push_back(curve_chart(runs, "map@30", &Metrics::map));
  curves.items.push_back(curve_chart(runs, "hits@1", &Metrics::hits_1));
  report.sections.push_back(std::move(curves));
  ReportTable arms = bandit_table(runs);
  if (!arms.rows.empty())
    report.sections.push_back({.title = "The bandit", .items = {std::move(arms)}});
  return report;
}

}  // namespace dalaup
