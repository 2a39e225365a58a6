#pragma once
// Independent jobs with stored results.
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/experiments.h"

namespace dalaup {

struct Job {
  std::string name;  // of its file: letters, digits, - and .
  std::uint64_t seed;
  std::function<nlohmann::json(Run&)> work;
};

// One of the repeats of an experiment, from 0. It has a seed of its own for everything but splits,
// which are those of simulate.
struct Repeat {
  std::uint64_t experiment_seed;
  int index;
  std::uint64_t seed() const;
  Split split(std::span<const UserPair> truth, const SplitSizes& sizes) const;
};

// Results in the order of the jobs. A job whose file is there, made by the same settings, is not
// run again. A job that fails gives null and a warning; interruption throws Cancelled and keeps the
// files. The ranks of the run share the jobs, and all get the results; rank 0 has the folder.
std::vector<nlohmann::json> run_jobs(const std::string& title, const std::string& folder,
                                     const std::string& fingerprint, const std::vector<Job>& jobs,
                                     Run& run);

// A file of the experiment's folder; nothing without a folder.
void write_result(const ExperimentData& data, const std::string& name, const std::string& content);

// Everything that decides an experiment's results, as one string.
std::string fingerprint_of(const ExperimentData& data, const ExperimentParams& params,
                           std::string_view kind, std::uint64_t seed);

std::vector<std::string> split_words(std::string_view text);    // at commas; blanks dropped
std::vector<double> ratios_of(const ExperimentParams& params);  // ParameterError outside of (0, 1)
std::size_t nearest_to_half(std::span<const double> ratios);    // its place
// That share of the truth as `initial`, the rest as `test`, drawn as simulate draws its parts;
// ParameterError when either is empty.
Split ratio_split(const ExperimentData& data, double ratio, const Repeat& repeat);
std::vector<std::string> chosen_methods(const ExperimentData& data, const ExperimentParams& params);
std::string asking_method(const ExperimentData& data, const ExperimentParams& params);

// Aligners that other jobs of the same method and seed may use again.
class AlignerShelf {
 public:
  std::unique_ptr<Aligner> take(const std::string& method, std::uint64_t seed);  // may be nullptr
  void put_back(const std::string& method, std::uint64_t seed, std::unique_ptr<Aligner> aligner);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::unique_ptr<Aligner>> aligners_;
};

LabelSet labels_from(const NetworkPair& networks, std::span<const UserPair> anchors);
// Fits and measures: {"precision@30": .., ..., "seconds": ..}. With an aligner from the shelf the
// seconds are those of its refit.
nlohmann::json fit_and_measure(const ExperimentData& data, const std::string& method,
                               const LabelSet& labels, std::span<const UserPair> test, Run& run,
                               AlignerShelf& shelf, bool with_matches = false);

// Split sizes and budget scaled to the truth.
struct ScaledPlan {
  SplitSizes sizes;
  std::size_t budget;
  std::size_t batch;
  std::string words;
};
ScaledPlan plan_for(const ExperimentData& data, const ExperimentParams& params);

// The columns that every table of fitted methods ends with, "precision@30,...,seconds", and what a
// result of fit_and_measure has for them.
std::string metric_columns();
std::string metric_cells(const nlohmann::json& result);

// Values of one metric over repeats; failed jobs are left out.
std::vector<double> values_of(std::span<const nlohmann::json> results, const std::string& metric);
std::string spread_words(const Spread& spread);
// What the report compares over repeats, and the significance of every difference for each metric
// it shows.
inline constexpr const char* kShownMetrics[] = {"precision@30", "map@30"};
struct Comparison {
  std::string what;  // "second minus first"
  std::vector<nlohmann::json> first;
  std::vector<nlohmann::json> second;
};
void add_comparisons(std::span<const Comparison> comparisons, ReportSection& section);

// The first candidate of every test user and the rank of the true one, as ids and numbers; kept as
// "matches" in the result of the job that the report shows. A result without them adds nothing.
nlohmann::json matches_json(const Aligner& aligner, std::span<const UserPair> test, Run& run);
void add_sureness(Report& report, const ExperimentData& data, const nlohmann::json& result,
                  const std::string& words);
// The same matches as the result that the report begins with, then `verdicts`.
void begin_with_result(Report& report, const ExperimentData& data, const nlohmann::json& result,
                       const std::string& when, const std::vector<std::string>& verdicts);

// Facts every experiment states, then report.html, figures/ and settings.toml.
void finish_experiment(const ExperimentData& data, const ExperimentParams& params,
                       std::uint64_t seed, ExperimentResult& result);

}  // namespace dalaup
