#include <fmt/format.h>

#include <limits>

#include "active_learning/active_learning.h"
#include "evaluation/evaluation.h"
#include "experiments/asking.h"
#include "experiments/text_table.h"

namespace dalaup {
namespace {

// Results of one strategy over repeats, by round.
struct StrategyRuns {
  std::string name;
  std::vector<nlohmann::json> repeats;

  std::vector<nlohmann::json> at_round(std::size_t round) const {
    std::vector<nlohmann::json> results;
    for (const auto& repeat : repeats) {
      const bool has_round = !repeat.is_null() && round < repeat.at("rounds").size();
      results.push_back(has_round ? repeat.at("rounds").at(round) : nlohmann::json());
    }
    return results;
  }
  // A run that ended early, its pool being empty, keeps its last value.
  std::vector<nlohmann::json> at_end() const {
    std::vector<nlohmann::json> results;
    for (const auto& repeat : repeats)
      results.push_back(repeat.is_null() ? nlohmann::json() : repeat.at("rounds").back());
    return results;
  }
  std::size_t round_count() const {
    std::size_t count = 0;
    for (const auto& repeat : repeats)
      if (!repeat.is_null()) count = std::max(count, repeat.at("rounds").size());
    return count;
  }
  LineSeries curve(const std::string& metric) const {
    std::vector<SpreadPoint> points;
    for (std::size_t round = 0; round < round_count(); ++round) {
      const auto results = at_round(round);
      const Spread spread = spread_of(values_of(results, metric));
      const double labels = spread_of(values_of(results, "labels")).mean;
      if (spread.count > 0) points.push_back({.x = labels, .spread = spread});
    }
    const bool is_count = metric == "positives" || metric.starts_with("right_pairs");
    const double highest = is_count ? std::numeric_limits<double>::infinity() : 1.0;
    return series_of(name, points, highest);
  }
};

LineChart chart_of(const std::vector<StrategyRuns>& runs, const std::string& metric,
                   const std::string& words) {
  LineChart chart{.title = fmt::format("{} against answers", words),
                  .x_label = "answers given",
                  .y_label = words,
                  .note = std::string(kBandWords) +
                          " random-anchors is told true anchors without asking; control asks "
                          "nothing."};
  for (const StrategyRuns& strategy : runs) chart.series.push_back(strategy.curve(metric));
  return chart;
}

BarChart choices_of(const StrategyRuns& bandit) {
  std::vector<std::vector<std::string>> repeats;
  for (const auto& repeat : bandit.repeats) {
    if (repeat.is_null()) continue;
    auto& chosen = repeats.emplace_back();
    for (const auto& round : repeat.at("rounds"))
      if (round.at("round").get<int>() > 0)
        chosen.push_back(round.at("strategy").get<std::string>());
  }
  return choices_chart(bandit.name, repeats);
}

// With a blank before it; nothing when a repeat failed.
std::string doubt_of(const StrategyRuns& asked, const StrategyRuns& told) {
  std::vector<ToldValues> values;
  for (std::size_t round = 0; round < told.round_count(); ++round) {
    const auto results = told.at_round(round);
    values.push_back({.anchors = spread_of(values_of(results, "labels")).mean,
                      .values = values_of(results, "precision@30")});
  }
  const auto end = values_of(asked.at_end(), "precision@30");
  if (end.size() != asked.repeats.size()) return {};
  const std::string words = label_economy_doubt(end, values);
  return words.empty() ? words : " " + words;
}

std::string count_words(const Spread& spread) {
  return spread.count == 0 ? "–"
                           : fmt::format("{:.0f} ± {:.0f}", spread.mean, spread.standard_deviation);
}

std::string csv_of(const std::vector<StrategyRuns>& runs) {
  std::string csv =
      "strategy,repeat,round,labels,positives,precision@30,map@30,hits@1,hits@10,mrr,seconds,"
      "map-linear@30,chosen,right_pairs,right_pairs@wanted\n";
  for (const StrategyRuns& strategy : runs)
    for (std::size_t repeat = 0; repeat < strategy.repeats.size(); ++repeat) {
      if (strategy.repeats[repeat].is_null()) continue;
      for (const auto& round : strategy.repeats[repeat].at("rounds")) {
        csv += fmt::format("{},{},{},{},{}", strategy.name, repeat, round.at("round").get<int>(),
                           round.at("labels").get<int>(), round.at("positives").get<int>());
        for (const char* const metric : {"precision@30", "map@30", "hits@1", "hits@10", "mrr"})
          csv += fmt::format(",{}", round.at(metric).get<double>());
        csv += fmt::format(",{:.3f},{},{},{},{}\n", round.at("seconds").get<double>(),
                           round.at("map-linear@30").get<double>(),
                           round.at("strategy").get<std::string>(),
                           round.at("right_pairs").get<std::size_t>(),
                           round.at("right_pairs@wanted").get<std::size_t>());
      }
    }
  return csv;
}

}  // namespace

ExperimentResult run_strategies_experiment(const ExperimentData& data,
                                           const ExperimentParams& params, Run& run) {
  check_fields(params);
  const std::string method = asking_method(data, params);
  const ScaledPlan plan = plan_for(data, params);
  auto names = split_words(params.strategies);
  if (names.empty()) throw ParameterError("strategies: found none, expected at least one");
  for (const auto& name : names) require_strategy(name, further_strategies());
  if (std::ranges::find(names, kRandomAnchors) == names.end()) names.emplace_back(kRandomAnchors);

  const std::string fingerprint = fingerprint_of(data, params, "strategies", run.seed());
  std::vector<Job> jobs;
  for (const auto& name : names)
    for (int repeat = 0; repeat < params.repeats; ++repeat)
      jobs.push_back(asking_job(data,
                                {.name = fmt::format("strategies-{}-{}-{}", method, name, repeat),
                                 .method = method,
                                 .strategy = name,
                                 .with_matches = repeat == 0},
                                plan, {run.seed(), repeat}, fingerprint));
  const auto results = run_jobs("strategies experiment", data.folder, fingerprint, jobs, run);
  std::vector<StrategyRuns> runs;
  for (std::size_t place = 0; place < names.size(); ++place) {
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(place) * params.repeats;
    runs.push_back({names[place], {begin, begin + params.repeats}});
  }
  write_result(data, "curves.csv", csv_of(runs));

  ExperimentResult result{.report = {.title = "Which questions to ask"}, .files = {"curves.csv"}};
  ReportTable table{.title = "After the last answer, mean ± standard deviation over repeats",
                    .columns = {"strategy", "answers", "found", "precision@30", "map@30", "hits@1",
                                "right pairs", "right pairs at .95"}};
  std::vector<Comparison> comparisons;
  for (const StrategyRuns& strategy : runs) {
    const auto end = strategy.at_end();
    table.rows.push_back({strategy.name,
                          strategy.name == kControl
                              ? "0"
                              : fmt::format("{:.0f}", spread_of(values_of(end, "labels")).mean),
                          fmt::format("{:.0f}", spread_of(values_of(end, "positives")).mean),
                          spread_words(spread_of(values_of(end, "precision@30"))),
                          spread_words(spread_of(values_of(end, "map@30"))),
                          spread_words(spread_of(values_of(end, "hits@1"))),
                          count_words(spread_of(values_of(end, "right_pairs"))),
                          count_words(spread_of(values_of(end, "right_pairs@wanted")))});
    if (&strategy != &runs.front())
      comparisons.push_back(
          {fmt::format("{} minus {}, at the end", runs.front().name, strategy.name), end,
           runs.front().at_end()});
  }
  std::vector<std::vector<std::string>> summary = {table.columns};
  summary.insert(summary.end(), table.rows.begin(), table.rows.end());
  result.summary = aligned_lines(summary);
  const LineSeries asked = runs.front().curve("precision@30");
  const LineSeries told =
      runs.back().name == kRandomAnchors ? runs.back().curve("precision@30") : LineSeries{};
  result.report.headline = label_economy({asked.x, asked.y}, {told.x, told.y}, "precision@30");
  if (!result.report.headline.empty())
    result.report.headline =
        fmt::format("With questions chosen by {}, {}", runs.front().name, result.report.headline);
  if (!told.y.empty()) result.report.headline += doubt_of(runs.front(), runs.back());
  if (!result.report.headline.empty()) result.summary.push_back(result.report.headline);

  ReportSection section{"Results", {chart_of(runs, "precision@30", "precision@30")}};
  for (const StrategyRuns& strategy : runs)
    if (is_bandit(strategy.name)) section.items.push_back(choices_of(strategy));
  section.items.push_back(chart_of(runs, "map@30", "map@30"));
  section.items.push_back(chart_of(runs, "positives", "anchors found"));
  section.items.push_back(
      chart_of(runs, "right_pairs@wanted", "right pairs at a precision of .95"));
  section.items.push_back(table);
  add_comparisons(comparisons, section);
  result.report.sections.push_back(std::move(section));
  add_sureness(result.report, data, runs.front().repeats.front(),
               fmt::format("The first candidate of every test user after the last answer of the "
                           "first repeat of {}, with the probability {} gives. Test users were "
                           "never asked about.",
                           runs.front().name, method));
  std::vector<std::string> verdicts;
  for (std::size_t other = 1; other < runs.size(); ++other)
    verdicts.push_back(verdict_words(runs.front().name, runs[other].name,
                                     values_of(runs.front().at_end(), "precision@30"),
                                     values_of(runs[other].at_end(), "precision@30")));
  begin_with_result(result.report, data, runs.front().repeats.front(),
                    runs.front().name == kControl
                        ? std::string("Without any answer")
                        : fmt::format("After {} to questions of {} (first repeat)",
                                      counted(plan.budget, "answer"), runs.front().name),
                    verdicts);
  result.report.facts = {
      {"method", method}, {"split", plan.words}, {"repeats", fmt::format("{}", params.repeats)}};
  for (const auto& fact : strategy_facts(names, LoopParams{}.arms))
    result.report.facts.push_back(fact);
  finish_experiment(data, params, run.seed(), result);
  return result;
}

}  // namespace dalaup
