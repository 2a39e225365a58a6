#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evaluation.h"
#include "experiments/jobs.h"
#include "experiments/text_table.h"

namespace dalaup {
namespace {

nlohmann::json run_one(const ExperimentData& data, const std::string& method, const Split& split,
                       AlignerShelf& shelf, bool with_matches, Run& run) {
  return fit_and_measure(data, method, labels_from(data.networks, split.initial), split.test, run,
                         shelf, with_matches);
}

// Results of all repeats of each (method, ratio).
using Cells = std::vector<std::vector<std::vector<nlohmann::json>>>;

LineChart chart_of(const Cells& cells, const std::vector<std::string>& methods,
                   const std::vector<double>& ratios, const std::string& metric) {
  LineChart chart{.title = fmt::format("{} against the labelled share", metric),
                  .x_label = "labelled share of the anchors",
                  .y_label = metric,
                  .y_lowest = 0.0,
                  .note = kBandWords};
  for (std::size_t method = 0; method < methods.size(); ++method) {
    std::vector<SpreadPoint> points;
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio) {
      const Spread spread = spread_of(values_of(cells[method][ratio], metric));
      if (spread.count > 0) points.push_back({.x = ratios[ratio], .spread = spread});
    }
    chart.series.push_back(series_of(methods[method], points, 1.0));
  }
  return chart;
}

ReportTable table_of(const Cells& cells, const std::vector<std::string>& methods,
                     const std::vector<double>& ratios, const std::string& metric) {
  ReportTable table{.title = metric + " by labelled share, mean ± standard deviation over repeats",
                    .columns = {"method"}};
  for (const double ratio : ratios) table.columns.push_back(fmt::format("{:g}", ratio));
  for (std::size_t method = 0; method < methods.size(); ++method) {
    std::vector<std::string> row = {methods[method]};
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      row.push_back(spread_words(spread_of(values_of(cells[method][ratio], metric))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// How many labels the other methods need for what the first reaches with its fewest; nothing when
// there is no other or none succeeded.
std::string economy_words(const Cells& cells, const std::vector<std::string>& methods,
                          const std::vector<double>& ratios, std::size_t truth) {
  const auto labels_at = [&](std::size_t ratio) {
    return std::floor(ratios[ratio] * static_cast<double>(truth));
  };
  const auto fewest = static_cast<std::size_t>(std::ranges::min_element(ratios) - ratios.begin());
  const auto reached = values_of(cells[0][fewest], "precision@30");
  if (reached.empty()) return {};
  const double wanted = spread_of(reached).mean;
  std::vector<std::string> parts;
  for (std::size_t method = 1; method < methods.size(); ++method) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      if (const auto values = values_of(cells[method][ratio], "precision@30"); !values.empty())
        points.emplace_back(labels_at(ratio), spread_of(values).mean);
    if (points.empty()) continue;
    std::ranges::sort(points);
    AccuracyCurve curve;
    for (const auto& [labels, accuracy] : points) {
      curve.labels.push_back(labels);
      curve.accuracy.push_back(accuracy);
    }
    const auto needed = labels_for(curve, wanted);
    if (!needed)
      parts.push_back(
          fmt::format("{} does not reach it with {:.0f}", methods[method], curve.labels.back()));
    else if (*needed == curve.labels.front())
      parts.push_back(fmt::format("{} needs no more than {:.0f}", methods[method], *needed));
    else
      parts.push_back(fmt::format("{} needs {:.0f}", methods[method], *needed));
  }
  if (parts.empty()) return {};
  return fmt::format("{:.0f} labelled anchors give {} precision@30 {:.3f}; {}.", labels_at(fewest),
                     methods[0], wanted, fmt::join(parts, "; "));
}

}  // namespace

std::vector<double> ratios_of(const ExperimentParams& params) {
  std::vector<double> ratios;
  for (const auto& word : split_words(params.ratios)) {
    const auto ratio = parse_number(word);
    if (!ratio || !(*ratio > 0.0 && *ratio < 1.0))
      throw ParameterError(
          fmt::format("ratios: found {}, expected shares between 0 and 1", dalaup::quoted(word)),
          "such as 0.1,0.5,0.9");
    ratios.push_back(*ratio);
  }
  if (ratios.empty()) throw ParameterError("ratios: found none, expected at least one");
  return ratios;
}

std::size_t nearest_to_half(std::span<const double> ratios) {
  const auto nearest =
      std::ranges::min_element(ratios, {}, [](double ratio) { return std::abs(ratio - 0.5); });
  return static_cast<std::size_t>(nearest - ratios.begin());
}

Split ratio_split(const ExperimentData& data, double ratio, const Repeat& repeat) {
  const std::size_t anchors = data.truth.size();
  const auto labelled = static_cast<std::size_t>(ratio * static_cast<double>(anchors) + 1e-9);
  if (labelled == 0 || labelled == anchors)
    throw ParameterError(
        fmt::format("ratios: {} of {} anchors leaves nothing to learn or to test", ratio, anchors));
  return repeat.split(data.truth,
                      {.initial = labelled, .validation = 0, .test = anchors - labelled});
}

ExperimentResult run_ratio_experiment(const ExperimentData& data, const ExperimentParams& params,
                                      Run& run) {
  check_fields(params);
  const auto methods = chosen_methods(data, params);
  const auto ratios = ratios_of(params);
  const std::size_t shown = nearest_to_half(ratios);
  AlignerShelf shelf;
  std::vector<Job> jobs;
  for (const auto& method : methods)
    for (const double ratio : ratios)
      for (int repeat = 0; repeat < params.repeats; ++repeat) {
        const bool is_shown = method == methods[0] && ratio == ratios[shown] && repeat == 0;
        const Repeat this_repeat{run.seed(), repeat};
        jobs.push_back({fmt::format("ratio-{}-{:g}-{}", method, ratio, repeat), this_repeat.seed(),
                        [&, method, ratio, is_shown, this_repeat](Run& job_run) {
                          return run_one(data, method, ratio_split(data, ratio, this_repeat), shelf,
                                         is_shown, job_run);
                        }});
      }
  const auto results = run_jobs("ratio experiment", data.folder,
                                fingerprint_of(data, params, "ratio", run.seed()), jobs, run);

  Cells cells(methods.size(), std::vector<std::vector<nlohmann::json>>(ratios.size()));
  std::string csv = fmt::format("method,ratio,repeat,{}\n", metric_columns());
  std::size_t place = 0;
  for (std::size_t method = 0; method < methods.size(); ++method)
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      for (int repeat = 0; repeat < params.repeats; ++repeat, ++place) {
        cells[method][ratio].push_back(results[place]);
        if (results[place].is_null()) continue;
        csv += fmt::format("{},{:g},{},{}\n", methods[method], ratios[ratio], repeat,
                           metric_cells(results[place]));
      }
  write_result(data, "ratio.csv", csv);

  ExperimentResult result{.report = {.title = "Accuracy against the labelled share of the truth"},
                          .files = {"ratio.csv"}};
  std::vector<std::vector<std::string>> summary = {{"precision@30 / map@30 with"}};
  for (const double ratio : ratios) summary.front().push_back(fmt::format("{:g} labelled", ratio));
  for (std::size_t method = 0; method < methods.size(); ++method) {
    std::vector<std::string>& row = summary.emplace_back(1, methods[method]);
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      row.push_back(spread_words(spread_of(values_of(cells[method][ratio], "precision@30"))) +
                    " / " + spread_words(spread_of(values_of(cells[method][ratio], "map@30"))));
  }
  result.summary = aligned_lines(summary);
  std::vector<Comparison> comparisons;
  for (std::size_t method = 1; method < methods.size(); ++method)
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      comparisons.push_back(
          {fmt::format("{} minus {} at {:g}", methods[0], methods[method], ratios[ratio]),
           cells[method][ratio], cells[0][ratio]});
  ReportSection section{
      "Results",
      {chart_of(cells, methods, ratios, "precision@30"), chart_of(cells, methods, ratios, "map@30"),
       table_of(cells, methods, ratios, "precision@30"),
       table_of(cells, methods, ratios, "map@30")}};
  add_comparisons(comparisons, section);
  result.report.sections.push_back(std::move(section));
  add_sureness(result.report, data, cells[0][shown][0],
               fmt::format("The first candidate of every test user in the first repeat of {} with "
                           "{:.3g} % of the anchors labelled, with the probability it gives.",
                           methods[0], 100.0 * ratios[shown]));
  std::vector<std::string> verdicts;
  for (std::size_t method = 1; method < methods.size(); ++method)
    verdicts.push_back(verdict_words(methods[0], methods[method],
                                     values_of(cells[0][shown], "precision@30"),
                                     values_of(cells[method][shown], "precision@30")));
  begin_with_result(result.report, data, cells[0][shown][0],
                    fmt::format("With {:.3g} % of the anchors labelled, by {} (first repeat)",
                                100.0 * ratios[shown], methods[0]),
                    verdicts);
  result.report.headline = fmt::format(
      "With {:.3g} % of the anchors labelled, {} finds the partner among its first 30 candidates "
      "for {} of the test users; with {:.3g} %, for {}.",
      100.0 * ratios.front(), methods[0],
      spread_words(spread_of(values_of(cells[0].front(), "precision@30"))), 100.0 * ratios.back(),
      spread_words(spread_of(values_of(cells[0].back(), "precision@30"))));
  const std::string economy = economy_words(cells, methods, ratios, data.truth.size());
  if (!economy.empty()) {
    result.report.headline += fmt::format(
        " {} {}", economy,
        params.repeats < 2 ? "That is one repeat; how much of it is chance, nothing tells."
                           : "These are means; the result below says what the repeats tell apart.");
    result.summary.push_back(economy);
  }
  result.report.facts.emplace_back("repeats", fmt::format("{}", params.repeats));
  finish_experiment(data, params, run.seed(), result);
  return result;
}

}  // namespace dalaup
