#include "cli/simulation_report.h"

#include <algorithm>
#include <map>

#include "experiments/experiments.h"

namespace dalaup {
namespace {

std::vector<std::string> strategies_of(std::span<const SimulatedRun> runs) {
  std::vector<std::string> names;
  for (const SimulatedRun& run : runs)
    if (std::ranges::find(names, run.strategy) == names.end()) names.push_back(run.strategy);
  return names;
}

// The last value of every repeat, in order.
std::vector<double> last_precisions(std::span<const SimulatedRun> runs,
                                    const std::string& strategy) {
  std::vector<double> values;
  for (const SimulatedRun& run : runs)
    if (run.strategy == strategy) values.push_back(run.state.rounds.back().test.precision);
  return values;
}

LineSeries curve_of(std::span<const SimulatedRun> runs, const std::string& strategy,
                    double Metrics::*metric) {
  std::map<std::size_t, std::vector<double>> values;
  for (const SimulatedRun& run : runs)
    if (run.strategy == strategy)
      for (const RoundResult& round : run.state.rounds)
        values[round.answers].push_back(round.test.*metric);
  std::vector<SpreadPoint> points;
  for (const auto& [answers, at_once] : values)
    points.push_back({.x = static_cast<double>(answers), .spread = spread_of(at_once)});
  return series_of(strategy, points, 1.0);
}

LineChart curve_chart(std::span<const SimulatedRun> runs, const std::string& name,
                      double Metrics::*metric) {
  LineChart chart{.title = name + " against answers",
                  .x_label = "answers given",
                  .y_label = name,
                  .note = kBandWords};
  for (const std::string& strategy : strategies_of(runs)) {
    chart.series.push_back(curve_of(runs, strategy, metric));
    chart.series.back().is_reference = strategy == kControl;
  }
  return chart;
}

// Every strategy against the first one, and the first against none: on the same splits.
ReportTable differences(std::span<const SimulatedRun> runs) {
  ReportTable table = comparison_table("Is the difference more than chance? (precision@30)");
  const auto strategies = strategies_of(runs);
  for (std::size_t other = 1; other < strategies.size(); ++other)
    table.rows.push_back(comparison_row(
        fmt::format("{} minus {}, at the end", strategies[0], strategies[other]),
        last_precisions(runs, strategies[other]), last_precisions(runs, strategies[0])));
  return table;
}

BarChart choices_of(std::span<const SimulatedRun> runs, const std::string& bandit) {
  std::vector<std::vector<std::string>> repeats;
  for (const SimulatedRun& run : runs) {
    if (run.strategy != bandit) continue;
    auto& chosen = repeats.emplace_back();
    for (const RoundResult& round : run.state.rounds)
      if (round.round > 0) chosen.push_back(round.strategy);
  }
  return choices_chart(bandit, repeats);
}

ReportTable results_table(std::span<const SimulatedRun> runs) {
  ReportTable table{.title = "After the last answer, mean ± standard deviation over repeats",
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
      return spread.count < 2
                 ? fmt::format("{:.3f}", spread.mean)
                 : fmt::format("{:.3f} ± {:.3f}", spread.mean, spread.standard_deviation);
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
               ? "–"
               : fmt::format("{:+.4f}", sums.second / static_cast<double>(sums.first))});
  }
  table.note = "Reward: mean rise of precision@30 and map@30 on validation anchors after a round.";
  return table;
}

// What the first strategy's answers are worth in random anchors, when those were told as well; else
// what they gave.
std::string headline(std::span<const SimulatedRun> runs) {
  const auto strategies = strategies_of(runs);
  const auto has = [&](const char* name) {
    return std::ranges::find(strategies, name) != strategies.end();
  };
  const std::string& first = strategies.front();
  if (first == kControl) return "Nothing was asked.";
  const LineSeries asked = curve_of(runs, first, &Metrics::precision);
  std::string words = fmt::format("{:.0f} answers chosen by {} give precision@30 {:.3f}",
                                  asked.x.back(), first, asked.y.back());
  if (has(kControl))
    words += fmt::format("; without answers it is {:.3f}",
                         spread_of(last_precisions(runs, kControl)).mean);
  words += ".";
  if (first == kRandomAnchors || !has(kRandomAnchors)) return words;
  const LineSeries told = curve_of(runs, kRandomAnchors, &Metrics::precision);
  std::map<std::size_t, ToldValues> values;
  for (const SimulatedRun& run : runs)
    if (run.strategy == kRandomAnchors)
      for (const RoundResult& round : run.state.rounds) {
        values[round.answers].anchors = static_cast<double>(round.answers);
        values[round.answers].values.push_back(round.test.precision);
      }
  std::vector<ToldValues> in_order;
  for (const auto& [anchors, one] : values) in_order.push_back(one);
  return words + " " + label_economy({asked.x, asked.y}, {told.x, told.y}, "precision@30") + " " +
         label_economy_doubt(last_precisions(runs, first), in_order);
}

Facts facts_of(const NetworkPair& networks, const SimulationFacts& facts,
               std::span<const std::string> strategies) {
  const SimulationParams& params = facts.params;
  Facts list = network_facts(networks);
  list.emplace_back("truth", fmt::format("{} anchor pairs", grouped(facts.truth)));
  list.emplace_back("method", facts.method);
  list.emplace_back("split", fmt::format("{} anchors to begin with, {} to validate, {} to test",
                                         params.initial, params.validation, params.test));
  list.emplace_back("questions", fmt::format("{} {} questions in rounds of {}", params.label_budget,
                                             facts.questions, params.batch_size));
  list.emplace_back("repeats", fmt::format("{}", params.repeats));
  list.emplace_back("wrong answers", fmt::format("{:.0f} %", 100.0 * params.oracle_error));
  list.emplace_back("seed", fmt::format("{}", facts.seed));
  list.emplace_back(
      "protocol", ranking_protocol() +
                      " Repeats differ in their split of the truth; strategies share the splits.");
  for (const auto& fact : strategy_facts(strategies, split_names("arms", params.arms)))
    list.push_back(fact);
  for (const auto& fact : facts.facts) list.push_back(fact);
  return list;
}

}  // namespace

Report simulation_report(std::span<const SimulatedRun> runs, const NetworkPair& networks,
                         const SimulationFacts& facts, const TestMatches& matches) {
  const auto strategies = strategies_of(runs);
  Report report{.title = "Active learning, simulated",
                .headline = headline(runs),
                .facts = facts_of(networks, facts, strategies)};
  const std::string& first = strategies.front();
  const std::size_t answers = first == kControl ? 0 : runs.front().state.rounds.back().answers;
  ReportSection result = test_result_section(
      matches,
      answers == 0 ? std::string("Without any answer")
                   : fmt::format("After {} answers to questions of {} (first repeat)",
                                 grouped(answers), first),
      {"compare strategies over ten repeats or more before you prefer one;",
       "dalaup new --strategy NAME and dalaup label ask people the questions of that strategy."});
  if (strategies.size() > 1) {
    std::string verdicts = "precision@30 at the end:";
    for (std::size_t other = 1; other < strategies.size(); ++other)
      verdicts += " " + verdict_words(first, strategies[other], last_precisions(runs, first),
                                      last_precisions(runs, strategies[other]));
    result.items.emplace_back(ReportText{verdicts});
  }
  report.sections.push_back(std::move(result));
  ReportSection curves{.title = "What the answers bought"};
  curves.items.emplace_back(curve_chart(runs, "precision@30", &Metrics::precision));
  for (const std::string& strategy : strategies)
    if (is_bandit(strategy)) curves.items.emplace_back(choices_of(runs, strategy));
  curves.items.emplace_back(curve_chart(runs, "map@30", &Metrics::map));
  curves.items.emplace_back(curve_chart(runs, "hits@1", &Metrics::hits_1));
  curves.items.emplace_back(results_table(runs));
  ReportTable comparisons = differences(runs);
  if (!comparisons.rows.empty()) curves.items.emplace_back(std::move(comparisons));
  if (std::ranges::find(strategies, kRandomAnchors) == strategies.end())
    curves.items.emplace_back(
        ReportText{"With random-anchors among the strategies, this report also says how many "
                   "random anchors the answers are worth."});
  report.sections.push_back(std::move(curves));
  ReportTable arms = bandit_table(runs);
  if (!arms.rows.empty())
    report.sections.push_back({.title = "The bandit", .items = {std::move(arms)}});
  report.sections.push_back(
      sureness_section(fmt::format("The first candidate of every test user after the last answer "
                                   "of the first repeat of {}, with the probability {} gives. "
                                   "Test users were never asked about.",
                                   first, facts.method),
                       matches));
  report.sections.push_back({.title = "The networks", .items = {degree_chart(networks)}});
  return report;
}

}  // namespace dalaup
