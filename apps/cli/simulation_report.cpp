#include "cli/simulation_report.h"

#include <algorithm>
#include <cmath>
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

// What is measured after a round.
using Measure = double (*)(const RoundResult&);
double precision_of(const RoundResult& round) { return round.test.precision; }
double map_of(const RoundResult& round) { return round.test.map; }
double hits_1_of(const RoundResult& round) { return round.test.hits_1; }
double right_pairs_of(const RoundResult& round) { return static_cast<double>(round.right.found()); }

// The last value of every repeat, in order.
std::vector<double> last_values(std::span<const SimulatedRun> runs, const std::string& strategy,
                                Measure measure) {
  std::vector<double> values;
  for (const SimulatedRun& run : runs)
    if (run.strategy == strategy) values.push_back(measure(run.state.rounds.back()));
  return values;
}

LineSeries curve_of(std::span<const SimulatedRun> runs, const std::string& strategy,
                    Measure measure) {
  std::map<std::size_t, std::vector<double>> values;
  double highest = 1.0;
  for (const SimulatedRun& run : runs)
    if (run.strategy == strategy)
      for (const RoundResult& round : run.state.rounds) {
        values[round.answers].push_back(measure(round));
        highest = std::max(highest, values[round.answers].back());
      }
  std::vector<SpreadPoint> points;
  for (const auto& [answers, at_once] : values)
    points.push_back({.x = static_cast<double>(answers), .spread = spread_of(at_once)});
  return series_of(strategy, points, highest > 1.0 ? HUGE_VAL : 1.0);
}

// Axes of shares span a tenth at least: chance does not look like a rise.
LineChart curve_chart(std::span<const SimulatedRun> runs, const std::string& name,
                      Measure measure) {
  LineChart chart{.title = name + " against answers",
                  .x_label = "answers given",
                  .y_label = name,
                  .note = kBandWords};
  double lowest = HUGE_VAL;
  double highest = 0.0;
  for (const std::string& strategy : strategies_of(runs)) {
    chart.series.push_back(curve_of(runs, strategy, measure));
    chart.series.back().is_reference = strategy == kControl;
    const auto [low, high] = std::ranges::minmax(chart.series.back().y);
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
  if (highest > 1.0)
    chart.y_lowest = 0.0;
  else if (highest - lowest < 0.1)
    chart.y_lowest = std::max(0.0, highest - 0.1);
  return chart;
}

// Every strategy against the first one, and the first against none: on the same splits.
ReportTable differences(std::span<const SimulatedRun> runs) {
  ReportTable table = comparison_table("Is the difference more than chance? (precision@30)");
  const auto strategies = strategies_of(runs);
  for (std::size_t other = 1; other < strategies.size(); ++other)
    table.rows.push_back(
        comparison_row(fmt::format("{} minus {}, at the end", strategies[0], strategies[other]),
                       last_values(runs, strategies[other], precision_of),
                       last_values(runs, strategies[0], precision_of)));
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
  const bool is_repeated =
      std::ranges::any_of(runs, [](const SimulatedRun& run) { return run.repeat > 1; });
  ReportTable table{
      .title = is_repeated ? "After the last answer, mean ± standard deviation over repeats"
                           : "After the last answer",
      .columns = {"strategy", "answers", "yes", "right pairs", "precision@30", "map@30", "hits@1"},
      .note = "A right pair is known by then, or matched and true."};
  for (const std::string& strategy : strategies_of(runs)) {
    const auto mean_of = [&](Measure measure) {
      return fmt::format("{:.0f}", spread_of(last_values(runs, strategy, measure)).mean);
    };
    const auto cell = [&](Measure measure, int digits) {
      const Spread spread = spread_of(last_values(runs, strategy, measure));
      return spread.count < 2 ? fmt::format("{:.{}f}", spread.mean, digits)
                              : fmt::format("{:.{}f} ± {:.{}f}", spread.mean, digits,
                                            spread.standard_deviation, digits);
    };
    table.rows.push_back(
        {strategy, strategy == kControl ? "0" : mean_of([](const RoundResult& round) {
           return static_cast<double>(round.answers);
         }),
         mean_of([](const RoundResult& round) { return static_cast<double>(round.positives); }),
         cell(right_pairs_of, 0), cell(precision_of, 3), cell(map_of, 3), cell(hits_1_of, 3)});
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
  const LineSeries asked = curve_of(runs, first, precision_of);
  const auto mean_of = [&](const std::string& strategy, Measure measure) {
    return spread_of(last_values(runs, strategy, measure)).mean;
  };
  std::string words = fmt::format(
      "{:.0f} answers chosen by {} lead to {:.0f} right pairs and to precision@30 {:.3f}",
      asked.x.back(), first, mean_of(first, right_pairs_of), asked.y.back());
  if (has(kControl))
    words +=
        fmt::format("; without answers it is {:.0f} and {:.3f}. Right pairs: {} precision@30: {}",
                    mean_of(kControl, right_pairs_of), mean_of(kControl, precision_of),
                    verdict_words(first, kControl, last_values(runs, first, right_pairs_of),
                                  last_values(runs, kControl, right_pairs_of)),
                    verdict_words(first, kControl, last_values(runs, first, precision_of),
                                  last_values(runs, kControl, precision_of)));
  else
    words += ".";
  if (first == kRandomAnchors || !has(kRandomAnchors)) return words;
  const LineSeries told = curve_of(runs, kRandomAnchors, precision_of);
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
         label_economy_doubt(last_values(runs, first, precision_of), in_order);
}

Facts facts_of(const NetworkPair& networks, const SimulationFacts& facts,
               std::span<const std::string> strategies) {
  const SimulationParams& params = facts.params;
  Facts list = network_facts(networks);
  list.emplace_back("truth", counted(facts.truth, "anchor pair"));
  list.emplace_back("method", facts.method);
  list.emplace_back("split",
                    fmt::format("{} to begin with, {} to validate, {} to test",
                                counted(static_cast<std::uint64_t>(params.initial), "anchor"),
                                params.validation, params.test));
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
                   : fmt::format("After {} to questions of {} (first repeat)",
                                 counted(answers, "answer"), first),
      {"compare strategies over ten repeats or more before you prefer one;",
       "dalaup new --strategy NAME and dalaup label ask people the questions of that strategy."});
  if (strategies.size() > 1) {
    std::string verdicts;
    struct Compared {
      const char* name;
      Measure measure;
    };
    for (const auto& [name, measure] :
         {Compared{"Right pairs", right_pairs_of}, Compared{"precision@30", precision_of}}) {
      verdicts += fmt::format("{}{} at the end:", verdicts.empty() ? "" : "\n\n", name);
      for (std::size_t other = 1; other < strategies.size(); ++other)
        verdicts += " " + verdict_words(first, strategies[other], last_values(runs, first, measure),
                                        last_values(runs, strategies[other], measure));
    }
    result.items.emplace_back(ReportText{verdicts});
  }
  report.sections.push_back(std::move(result));
  ReportSection curves{.title = "What the answers bought"};
  curves.items.emplace_back(curve_chart(runs, "right pairs", right_pairs_of));
  curves.items.emplace_back(curve_chart(runs, "precision@30", precision_of));
  for (const std::string& strategy : strategies)
    if (is_bandit(strategy)) curves.items.emplace_back(choices_of(runs, strategy));
  curves.items.emplace_back(curve_chart(runs, "map@30", map_of));
  curves.items.emplace_back(curve_chart(runs, "hits@1", hits_1_of));
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
