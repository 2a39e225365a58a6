#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluation/evaluation.h"
#include "experiments/asking.h"
#include "experiments/text_table.h"

namespace dalaup {
namespace {

constexpr std::array<const char*, 4> kConditions = {"no further labels", "asked by dalaup",
                                                    "random pairs asked", "random anchors"};

std::vector<UserPair> found_in(const nlohmann::json& result) {
  std::vector<UserPair> pairs;
  for (const auto& pair : result.at("found"))
    pairs.push_back({pair.at(0).get<UserId>(), pair.at(1).get<UserId>()});
  return pairs;
}

// The labels a method gets under a condition, besides the initial ones.
std::vector<UserPair> further_labels(std::size_t condition, const Split& split,
                                     const nlohmann::json& by_dalaup,
                                     const nlohmann::json& by_random, const Run& run) {
  if (condition == 0) return {};
  if (condition == 1) return found_in(by_dalaup);
  if (condition == 2) return found_in(by_random);
  std::vector<UserPair> pool = split.pool;
  run.random("experiment reveal").shuffle(std::span(pool));
  pool.resize(std::min(pool.size(), found_in(by_dalaup).size()));
  return pool;
}

// What the answers did to a method, no more than a paired test over the repeats supports.
std::string gain_words(const std::string& method, std::span<const double> without,
                       std::span<const double> with, std::span<const double> random_anchors) {
  const double before = spread_of(without).mean;
  const double after = spread_of(with).mean;
  const std::string random =
      fmt::format("as many random anchors: {:.3f}", spread_of(random_anchors).mean);
  const bool is_paired = without.size() == with.size() && with.size() > 1;
  if (is_paired && paired_test(with, without).p_value < 0.05)
    return fmt::format("They {} precision@30 of {} from {:.3f} to {:.3f} ({}).",
                       after > before ? "raise" : "lower", method, before, after, random);
  return fmt::format("precision@30 of {} is {:.3f} without and {:.3f} with them ({}), {}.", method,
                     before, after, random,
                     is_paired ? "a difference that may be chance"
                               : "of which one repeat does not tell how much is chance");
}

}  // namespace

ExperimentResult run_transfer_experiment(const ExperimentData& data, const ExperimentParams& params,
                                         Run& run) {
  check_fields(params);
  const auto methods = chosen_methods(data, params);
  const std::string asking = asking_method(data, params);
  const ScaledPlan plan = plan_for(data, params);
  const std::string fingerprint = fingerprint_of(data, params, "transfer", run.seed());
  const auto repeats = static_cast<std::size_t>(params.repeats);

  std::vector<Job> asking_jobs;
  for (const char* const strategy : {"dalaup", "random"})
    for (int repeat = 0; repeat < params.repeats; ++repeat)
      asking_jobs.push_back(
          asking_job(data,
                     {.name = fmt::format("transfer-ask-{}-{}-{}", asking, strategy, repeat),
                      .method = asking,
                      .strategy = strategy,
                      .with_matches = repeat == 0},
                     plan, {run.seed(), repeat}, fingerprint));
  const auto asked = run_jobs("choosing labels", data.folder, fingerprint, asking_jobs, run);
  for (const auto& one : asked)
    if (one.is_null())
      throw StateError("transfer: labels could not be chosen", "see the warnings above");

  AlignerShelf shelf;
  std::vector<Job> jobs;
  std::vector<std::size_t> job_of_place;  // by method, condition and repeat
  for (const auto& method : methods)
    for (std::size_t condition = 0; condition < kConditions.size(); ++condition)
      for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        const Repeat this_repeat{run.seed(), static_cast<int>(repeat)};
        const Run repeat_run({.threads = 1, .seed = this_repeat.seed()});
        const Split split = this_repeat.split(data.truth, plan.sizes);
        const auto further =
            further_labels(condition, split, asked[repeat], asked[repeats + repeat], repeat_run);
        if (condition > 0 && further.empty()) {  // the labels of the first condition
          job_of_place.push_back(job_of_place[job_of_place.size() - condition * repeats]);
          continue;
        }
        job_of_place.push_back(jobs.size());
        jobs.push_back({fmt::format("transfer-{}-{}-{}", method, condition, repeat),
                        repeat_run.seed(), [&, method, split, further](Run& job_run) {
                          std::vector<UserPair> known = split.initial;
                          known.insert(known.end(), further.begin(), further.end());
                          auto result =
                              fit_and_measure(data, method, labels_from(data.networks, known),
                                              split.test, job_run, shelf);
                          result["further_labels"] = further.size();
                          return result;
                        }});
      }
  const auto job_results = run_jobs("transfer experiment", data.folder, fingerprint, jobs, run);
  std::vector<nlohmann::json> results;
  for (const std::size_t job : job_of_place) results.push_back(job_results[job]);
  const auto cell = [&](std::size_t method, std::size_t condition) {
    return std::span(results).subspan((method * kConditions.size() + condition) * repeats, repeats);
  };

  std::string csv =
      fmt::format("method,labels_chosen,repeat,further_labels,{}\n", metric_columns());
  ExperimentResult result{
      .report = {.title = "Do the labels that dalaup asks for help other methods?"},
      .files = {"transfer.csv"}};
  ReportTable tables[std::size(kShownMetrics)];
  for (std::size_t i = 0; i < std::size(kShownMetrics); ++i) {
    tables[i].title = std::string(kShownMetrics[i]) + ", mean ± standard deviation over repeats";
    tables[i].columns = {"method", kConditions[0], kConditions[1], kConditions[2], kConditions[3]};
    for (std::size_t method = 0; method < methods.size(); ++method) {
      tables[i].rows.push_back({methods[method]});
      for (std::size_t condition = 0; condition < kConditions.size(); ++condition)
        tables[i].rows.back().push_back(
            spread_words(spread_of(values_of(cell(method, condition), kShownMetrics[i]))));
    }
  }
  BarChart chart{
      .title = "precision@30 by labels",
      .x_label = "method",
      .y_label = "precision@30",
      .groups = methods,
      .note = "Lines are 95 % intervals of the mean over repeats, cut at what is possible."};
  std::vector<Comparison> comparisons;
  for (std::size_t condition = 0; condition < kConditions.size(); ++condition) {
    BarSeries series{.name = kConditions[condition]};
    for (std::size_t method = 0; method < methods.size(); ++method) {
      const Spread spread = spread_of(values_of(cell(method, condition), "precision@30"));
      series.values.push_back(spread.count == 0 ? std::nan("") : spread.mean);
      series.low.push_back(std::max(spread.low, 0.0));
      series.high.push_back(std::min(spread.high, 1.0));
    }
    chart.series.push_back(std::move(series));
  }
  std::vector<std::vector<std::string>> summary = {{"precision@30 / map@30"}};
  for (const auto& condition : kConditions) summary.front().emplace_back(condition);
  for (std::size_t method = 0; method < methods.size(); ++method) {
    std::vector<std::string>& row = summary.emplace_back(1, methods[method]);
    for (std::size_t condition = 0; condition < kConditions.size(); ++condition) {
      const auto values = cell(method, condition);
      row.push_back(spread_words(spread_of(values_of(values, "precision@30"))) + " / " +
                    spread_words(spread_of(values_of(values, "map@30"))));
      if (condition != 1)
        comparisons.push_back({fmt::format("{}: {} minus {}", methods[method], kConditions[1],
                                           kConditions[condition]),
                               {values.begin(), values.end()},
                               {cell(method, 1).begin(), cell(method, 1).end()}});
      for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        if (values[repeat].is_null()) continue;
        csv += fmt::format("{},{},{},{},{}\n", methods[method], kConditions[condition], repeat,
                           values[repeat].at("further_labels").get<int>(),
                           metric_cells(values[repeat]));
      }
    }
  }
  result.summary = aligned_lines(summary);
  write_result(data, "transfer.csv", csv);
  double found = 0.0;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    found += static_cast<double>(asked[repeat].at("found").size()) / static_cast<double>(repeats);
  std::vector<std::string> gains;
  for (std::size_t method = 0; method < methods.size(); ++method) {
    const auto without = values_of(cell(method, 0), "precision@30");
    const auto with = values_of(cell(method, 1), "precision@30");
    const auto random_anchors = values_of(cell(method, 3), "precision@30");
    if (!without.empty() && !with.empty() && !random_anchors.empty())
      gains.push_back(gain_words(methods[method], without, with, random_anchors));
  }
  result.report.headline = fmt::format("{} asked for by {} with the bandit found {:.0f} anchors.",
                                       counted(plan.budget, "answer"), asking, found);
  if (!gains.empty()) result.report.headline += fmt::format(" {}", fmt::join(gains, " "));
  result.summary.push_back(result.report.headline);
  ReportSection section{"Results", {chart, tables[0], tables[1]}};
  add_comparisons(comparisons, section);
  result.report.sections.push_back(std::move(section));
  add_sureness(result.report, data, asked.front(),
               fmt::format("The first candidate of every test user after the last answer of the "
                           "first repeat, with the probability {} gives. Test users were never "
                           "asked about.",
                           asking));
  std::vector<std::string> verdicts;
  for (std::size_t method = 0; method < methods.size(); ++method)
    verdicts.push_back(verdict_words(
        fmt::format("{} with the answers", methods[method]), "with as many random anchors",
        values_of(cell(method, 1), "precision@30"), values_of(cell(method, 3), "precision@30")));
  begin_with_result(result.report, data, asked.front(),
                    fmt::format("After {} asked for by {} (first repeat)",
                                counted(plan.budget, "answer"), asking),
                    verdicts);
  result.report.facts = {{"asking method", asking},
                         {"split", plan.words},
                         {"repeats", fmt::format("{}", params.repeats)}};
  finish_experiment(data, params, run.seed(), result);
  return result;
}

}  // namespace dalaup
