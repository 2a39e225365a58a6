#include "experiments/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "active_learning/active_learning.h"
#include "communicator/communicator.h"
#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

std::optional<nlohmann::json> stored_result(const std::string& path,
                                            const std::string& fingerprint) {
  if (!file_exists(path)) return std::nullopt;
  try {
    const auto source = open_bytes(path);
    auto file = nlohmann::json::parse(read_all(*source));
    if (file.at("fingerprint") == fingerprint) return std::move(file.at("result"));
  } catch (const nlohmann::json::exception&) {
    // Not ours or damaged: made again and written over.
  }
  return std::nullopt;
}

struct Finished {
  std::size_t place = 0;  // of the job
  nlohmann::json result;  // null: it failed
  std::string warning;    // why
};

Finished finished(const Job& job, std::size_t place, int threads, const Run& run) {
  Run job_run({.threads = threads, .seed = job.seed, .cancelled = run.options().cancelled});
  try {
    return {place, job.work(job_run), {}};
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return {place, nullptr, fmt::format("{}: {}; left out", job.name, error.what())};
  }
}

// The jobs of all ranks in the order of ranks.
std::vector<Finished> gathered(const std::vector<Finished>& own, Communicator& communicator) {
  auto text = nlohmann::json::array();
  for (const Finished& one : own) text.push_back({one.place, one.result, one.warning});
  const std::string dumped = text.dump();
  const auto parts = gather_parcels(communicator, std::vector<char>(dumped.begin(), dumped.end()));
  std::vector<Finished> all;
  for (int rank = 0; rank < communicator.size(); ++rank)
    for (auto& one : nlohmann::json::parse(parts.of(rank)))
      all.push_back({one[0].get<std::size_t>(), std::move(one[1]), one[2].get<std::string>()});
  return all;
}

}  // namespace

std::vector<nlohmann::json> run_jobs(const std::string& title, const std::string& folder,
                                     const std::string& fingerprint, const std::vector<Job>& jobs,
                                     Run& run) {
  Communicator& communicator = communicator_of(run);
  const auto path_of = [&](std::size_t job) {
    return fmt::format("{}/jobs/{}.json", folder, jobs[job].name);
  };
  std::vector<nlohmann::json> results(jobs.size());
  std::vector<Finished> stored;
  if (communicator.is_first()) {
    create_folders(folder + "/jobs");
    for (std::size_t job = 0; job < jobs.size(); ++job)
      if (auto result = stored_result(path_of(job), fingerprint))
        stored.push_back({job, std::move(*result), {}});
  }
  if (communicator.size() > 1) stored = gathered(stored, communicator);
  std::vector<std::uint8_t> is_open(jobs.size(), 1);
  for (Finished& one : stored) {
    is_open[one.place] = 0;
    results[one.place] = std::move(one.result);
  }
  std::vector<std::size_t> open;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    if (is_open[job] != 0) open.push_back(job);

  Task task(run, title, open.size());
  const auto keep = [&](Finished one) {
    if (communicator.is_first() && !one.result.is_null())
      write_file(path_of(one.place),
                 nlohmann::json{{"fingerprint", fingerprint}, {"result", one.result}}.dump(1));
    if (!one.warning.empty()) run.warn(one.warning);
    task.advance(1, jobs[one.place].name);
    results[one.place] = std::move(one.result);
  };
  // One thread a job: with more jobs than cores nothing is gained by more.
  const int threads = open.size() == 1 ? run.threads() : 1;
  std::mutex mutex;
  if (communicator.size() == 1) {
    run.for_jobs(open.size(), [&](std::size_t i) {
      Finished one = finished(jobs[open[i]], open[i], threads, run);
      const std::lock_guard lock(mutex);
      keep(std::move(one));
    });
    return results;
  }
  // In turns of a job for each thread of each rank, after which rank 0 keeps what is finished.
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::size_t turn = ranks * static_cast<std::size_t>(run.threads());
  for (std::size_t first = 0; first < open.size(); first += turn) {
    std::vector<std::size_t> own;
    for (std::size_t i = first; i < std::min(open.size(), first + turn); ++i)
      if (i % ranks == static_cast<std::size_t>(communicator.rank())) own.push_back(open[i]);
    std::vector<Finished> done(own.size());
    run.for_jobs(own.size(),
                 [&](std::size_t i) { done[i] = finished(jobs[own[i]], own[i], threads, run); });
    for (Finished& one : gathered(done, communicator)) keep(std::move(one));
  }
  return results;
}

void write_result(const ExperimentData& data, const std::string& name, const std::string& content) {
  if (!data.folder.empty()) write_file(data.folder + "/" + name, content);
}

std::string fingerprint_of(const ExperimentData& data, const ExperimentParams& params,
                           std::string_view kind, std::uint64_t seed) {
  Settings settings = to_settings(params);
  // What only selects jobs may change without making finished ones void.
  for (const char* const name : {"methods", "ratios", "strategies", "repeats"})
    settings.set(name, "");
  // The number rises when the same settings give other splits.
  return fmt::format("{} 2 {:016x} {} {}", kind, contents_of(data.networks, data.truth), seed,
                     settings.to_json());
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + ",") {
    if (c == ' ') continue;
    if (c != ',') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

std::vector<std::string> chosen_methods(const ExperimentData& data,
                                        const ExperimentParams& params) {
  auto methods = params.methods.empty() ? data.registry.names() : split_words(params.methods);
  for (const auto& method : methods) data.registry.variant(method);
  if (methods.empty()) throw ParameterError("methods: found none, expected at least one");
  return methods;
}

std::string asking_method(const ExperimentData& data, const ExperimentParams& params) {
  if (params.method.empty() && data.registry.names().empty())
    throw ParameterError("method: found none, expected at least one");
  return data.registry
      .variant(params.method.empty() ? data.registry.names().front() : params.method)
      .name;
}

std::uint64_t Repeat::seed() const {
  return Random(experiment_seed, "experiment repeat", static_cast<std::uint64_t>(index)).next();
}

Split Repeat::split(std::span<const UserPair> truth, const SplitSizes& sizes) const {
  return repeat_split(truth, sizes, experiment_seed, index + 1);
}

std::unique_ptr<Aligner> AlignerShelf::take(const std::string& method, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  const auto found = aligners_.find({method, seed});
  return found == aligners_.end() ? nullptr : std::move(found->second);
}

void AlignerShelf::put_back(const std::string& method, std::uint64_t seed,
                            std::unique_ptr<Aligner> aligner) {
  const std::lock_guard lock(mutex_);
  aligners_[{method, seed}] = std::move(aligner);
}

LabelSet labels_from(const NetworkPair& networks, std::span<const UserPair> anchors) {
  LabelSet labels(networks.a.user_count(), networks.b.user_count());
  for (const UserPair& anchor : anchors) labels.add(anchor, Label::kAnchor);
  return labels;
}

nlohmann::json fit_and_measure(const ExperimentData& data, const std::string& method,
                               const LabelSet& labels, std::span<const UserPair> test, Run& run,
                               AlignerShelf& shelf, bool with_matches) {
  const auto started = std::chrono::steady_clock::now();
  auto aligner = shelf.take(method, run.seed());
  if (aligner != nullptr) {
    aligner->refit(labels, run);
  } else {
    aligner = data.registry.variant(method).make({});
    aligner->fit(data.networks, labels, run);
  }
  nlohmann::json result;
  for (const auto& [name, value] : named_values(metrics_of(aligner->ranks(test, run))))
    result[name] = value;
  result["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (with_matches) result["matches"] = matches_json(*aligner, test, run);
  if (aligner->serves_many_label_sets()) shelf.put_back(method, run.seed(), std::move(aligner));
  return result;
}

ScaledPlan plan_for(const ExperimentData& data, const ExperimentParams& params) {
  constexpr double kLargestShare = 2.0 / 3.0;      // of the truth, for initial, validation and test
  constexpr double kPaperShare = 1500.0 / 2141.0;  // answers per pool anchor in the paper
  const SplitSizes wanted{static_cast<std::size_t>(params.initial),
                          static_cast<std::size_t>(params.validation),
                          static_cast<std::size_t>(params.test)};
  ScaledPlan plan{.sizes = scale_to_truth(wanted, data.truth.size(), kLargestShare),
                  .budget = static_cast<std::size_t>(params.budget),
                  .batch = static_cast<std::size_t>(params.batch),
                  .words = {}};
  const double pool =
      static_cast<double>(data.truth.size()) -
      static_cast<double>(plan.sizes.initial + plan.sizes.validation + plan.sizes.test);
  if (plan.budget == 0)
    plan.budget = std::max<std::size_t>(
        1, std::min<std::size_t>(1500, static_cast<std::size_t>(std::llround(kPaperShare * pool))));
  if (plan.batch == 0) plan.batch = (plan.budget + 14) / 15;
  plan.words = fmt::format(
      "{} to begin with, {} to validate, {} to test, {:.0f} in the pool; {} in rounds of {}{}",
      counted(plan.sizes.initial, "anchor"), plan.sizes.validation, plan.sizes.test, pool,
      counted(plan.budget, "answer"), plan.batch,
      plan.sizes.test < wanted.test ? " (sizes scaled down to the truth)" : "");
  return plan;
}

std::vector<double> values_of(std::span<const nlohmann::json> results, const std::string& metric) {
  std::vector<double> values;
  for (const auto& result : results)
    if (!result.is_null()) values.push_back(result.at(metric).get<double>());
  return values;
}

std::string metric_columns() {
  std::string columns;
  for (const auto& [name, value] : named_values(Metrics{})) columns += name + ",";
  return columns + "seconds";
}

std::string metric_cells(const nlohmann::json& result) {
  std::string cells;
  for (const auto& [name, value] : named_values(Metrics{}))
    cells += fmt::format("{},", result.at(name).get<double>());
  return cells + fmt::format("{:.3f}", result.at("seconds").get<double>());
}

std::string spread_words(const Spread& spread) {
  if (spread.count == 0) return "–";
  if (spread.count == 1) return fmt::format("{:.3f}", spread.mean);
  return fmt::format("{:.3f} ± {:.3f}", spread.mean, spread.standard_deviation);
}

void add_comparisons(std::span<const Comparison> comparisons, ReportSection& section) {
  if (comparisons.empty()) return;
  for (const std::string metric : kShownMetrics) {
    ReportTable table = comparison_table("Is the difference more than chance? (" + metric + ")");
    for (const Comparison& one : comparisons) {
      std::vector<double> before;
      std::vector<double> after;
      for (std::size_t i = 0; i < std::min(one.first.size(), one.second.size()); ++i) {
        if (one.first[i].is_null() || one.second[i].is_null()) continue;
        before.push_back(one.first[i].at(metric).get<double>());
        after.push_back(one.second[i].at(metric).get<double>());
      }
      table.rows.push_back(comparison_row(one.what, before, after));
    }
    section.items.emplace_back(std::move(table));
  }
}

void finish_experiment(const ExperimentData& data, const ExperimentParams& params,
                       std::uint64_t seed, ExperimentResult& result) {
  Report& report = result.report;
  for (const auto& fact : network_facts(data.networks)) report.facts.push_back(fact);
  report.facts.emplace_back("truth", counted(data.truth.size(), "anchor pair"));
  report.facts.emplace_back("seed", fmt::format("{}", seed));
  report.facts.emplace_back(
      "protocol",
      ranking_protocol() +
          " Repeats differ in their split of the truth; methods and strategies share the splits.");
  for (const auto& fact : data.facts) report.facts.push_back(fact);
  report.sections.push_back({"The networks", {degree_chart(data.networks)}});

  Settings settings;
  settings.set("seed", static_cast<std::int64_t>(seed));
  for (const auto& [name, value] : to_settings(params)) {
    std::string option = name;
    std::ranges::replace(option, '_', '-');
    if (value != SettingValue(std::string())) settings.set(option, value);
  }
  if (data.folder.empty()) return;
  write_file(
      data.folder + "/settings.toml",
      "# settings of this experiment; give them again with --config\n" + settings_toml(settings));
  write_figures(data.folder + "/figures", report);
  write_report(data.folder + "/report.html", report);
}

}  // namespace dalaup
