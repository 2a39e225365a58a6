// Accuracy, calibration, time and memory of the propagation aligner on one pair of networks, over
// given label files, with the spread between them.
//
//   bench_propagation_accuracy [FOLDER [--directed] [--hide SHARE] [--threads N]
//                               [--set NAME=VALUE]... LABELS...]
//
// FOLDER holds a.edges, b.edges and anchors.tsv. Tests are the anchors outside the labels; with
// --hide they are a share of the labels instead (for choosing parameters without touching tests).
// Without arguments: a sparse network inside a dense one, 20 % labelled, three draws.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "generate/generate.h"
#include "labels/labels.h"
#include "methods/propagation/propagation.h"
#include "networks/networks.h"

namespace {

using namespace dalaup;

struct Options {
  std::string folder;
  bool directed = false;
  double hide = 0.0;
  int threads = 1;
  Settings settings;
  std::vector<std::string> labels;
};

Options options_of(int count, char** words) {
  Options options;
  options.settings = to_settings(PropagationParams{});
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--directed") {
      options.directed = true;
    } else if (word == "--hide") {
      options.hide = std::atof(words[++i]);
    } else if (word == "--threads") {
      options.threads = std::atoi(words[++i]);
    } else if (word == "--set") {
      const std::string setting = words[++i];
      const auto equals = setting.find('=');
      const std::string name = setting.substr(0, equals);
      const double value = std::atof(setting.substr(equals + 1).c_str());
      const SettingValue* const old = options.settings.find(name);
      if (old == nullptr) throw ParameterError(fmt::format("unknown setting {}", name));
      if (std::holds_alternative<bool>(*old))
        options.settings.set(name, value != 0.0);
      else if (std::holds_alternative<double>(*old))
        options.settings.set(name, value);
      else
        options.settings.set(name, static_cast<std::int64_t>(value));
    } else if (options.folder.empty()) {
      options.folder = word;
    } else {
      options.labels.push_back(word);
    }
  }
  return options;
}

// Reliability of the one-to-one matching over pairs of which a user's partner is known, as `dalaup
// evaluate --matching` counts it.
struct Calibration {
  double error = 0.0;      // expected calibration error, ten bins
  double precision = 0.0;  // of matched pairs with probability 0.5 and more
  double recall = 0.0;
};

Calibration calibration_of(const Aligner& aligner, std::span<const UserPair> test, Run& run) {
  struct Entry {
    double probability;
    UserPair pair;
  };
  const auto users = unanchored_users(aligner.labels(), Side::kA);
  std::vector<Entry> entries;
  for (const RankedList& list : aligner.best_candidates(Side::kA, users, 20, run))
    for (const Candidate& candidate : list.candidates)
      entries.push_back(
          {aligner.probability({list.user, candidate.user}), {list.user, candidate.user}});
  std::ranges::sort(entries, [](const Entry& left, const Entry& right) {
    return left.probability != right.probability ? left.probability > right.probability
                                                 : left.pair < right.pair;
  });
  std::map<UserId, UserId> partner;
  std::set<UserId> known_b;
  for (const UserPair& pair : test) {
    partner[pair.a] = pair.b;
    known_b.insert(pair.b);
  }
  std::set<UserId> used_a;
  std::set<UserId> used_b;
  std::array<double, 10> count{};
  std::array<double, 10> hits{};
  std::array<double, 10> sum{};
  double chosen = 0.0;
  double right = 0.0;
  for (const Entry& entry : entries) {
    if (used_a.contains(entry.pair.a) || used_b.contains(entry.pair.b)) continue;
    used_a.insert(entry.pair.a);
    used_b.insert(entry.pair.b);
    const auto found = partner.find(entry.pair.a);
    if (found == partner.end() && !known_b.contains(entry.pair.b)) continue;
    const bool is_right = found != partner.end() && found->second == entry.pair.b;
    const auto bin = static_cast<std::size_t>(std::min(9.0, entry.probability * 10.0));
    count[bin] += 1.0;
    hits[bin] += is_right ? 1.0 : 0.0;
    sum[bin] += entry.probability;
    if (entry.probability < 0.5) continue;
    chosen += 1.0;
    right += is_right ? 1.0 : 0.0;
  }
  Calibration calibration{0.0, chosen > 0.0 ? right / chosen : 0.0,
                          right / static_cast<double>(test.size())};
  double total = 0.0;
  for (std::size_t bin = 0; bin < 10; ++bin) {
    calibration.error += std::abs(sum[bin] - hits[bin]);
    total += count[bin];
  }
  calibration.error /= std::max(1.0, total);
  return calibration;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Labels to learn from and pairs to be found.
struct Trial {
  std::string name;
  const NetworkPair& networks;
  LabelSet labels;
  std::vector<UserPair> test;
};

const std::vector<std::string> kMeasures{"precision@30", "hits@1", "hits@10", "mrr", "ece",
                                         "precision",    "recall", "seconds", "cpu"};

std::vector<double> measure(const Trial& trial, const PropagationParams& params, Run& run) {
  const auto start = std::chrono::steady_clock::now();
  const double processor_start = processor_seconds();
  const auto aligner = make_propagation(params);
  aligner->fit(trial.networks, trial.labels, run);
  const auto users = unanchored_users(trial.labels, Side::kA);
  const RankedLists lists = aligner->best_candidates(Side::kA, users, 30, run);
  const double seconds = seconds_since(start);
  const double processor = processor_seconds() - processor_start;
  std::vector<double> result(4, 0.0);
  for (const double rank : aligner->ranks(trial.test, run)) {
    result[0] += rank <= 30.0 ? 1.0 : 0.0;
    result[1] += rank <= 1.0 ? 1.0 : 0.0;
    result[2] += rank <= 10.0 ? 1.0 : 0.0;
    result[3] += 1.0 / rank;
  }
  for (double& value : result) value /= static_cast<double>(trial.test.size());
  const Calibration calibration = calibration_of(*aligner, trial.test, run);
  for (const double value :
       {calibration.error, calibration.precision, calibration.recall, seconds, processor})
    result.push_back(value);
  fmt::print("{}:", trial.name);
  for (std::size_t i = 0; i < kMeasures.size(); ++i)
    fmt::print(" {} {:.4f}", kMeasures[i], result[i]);
  fmt::print("\n");
  std::fflush(stdout);
  return result;
}

void print_means(const std::vector<std::vector<double>>& results) {
  fmt::print("mean");
  for (std::size_t i = 0; i < kMeasures.size(); ++i) {
    double mean = 0.0;
    double square = 0.0;
    for (const auto& result : results) mean += result[i] / static_cast<double>(results.size());
    for (const auto& result : results) square += (result[i] - mean) * (result[i] - mean);
    const double spread =
        results.size() > 1 ? std::sqrt(square / static_cast<double>(results.size() - 1)) : 0.0;
    fmt::print(" {} {:.4f} ({:.4f})", kMeasures[i], mean, spread);
  }
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(" peak {} MB\n", usage.ru_maxrss / 1024);
}

// The last `share` of the labels in seeded order becomes the test.
void hide_labels(Trial& trial, double share) {
  std::vector<UserPair> anchors(trial.labels.anchors().begin(), trial.labels.anchors().end());
  Random random(7, "hidden");
  random.shuffle(std::span(anchors));
  anchors.resize(static_cast<std::size_t>(share * static_cast<double>(anchors.size())));
  for (const UserPair& anchor : anchors) trial.labels.remove(anchor);
  trial.test = anchors;
}

void measure_files(const Options& options) {
  Run run({.threads = options.threads});
  const ReadOptions read{.directed = options.directed};
  const NetworkPair networks{read_network(options.folder + "/a.edges", read, run),
                             read_network(options.folder + "/b.edges", read, run)};
  const auto truth = read_truth(options.folder + "/anchors.tsv", networks);
  PropagationParams params;
  apply_settings(params, options.settings);
  std::vector<std::vector<double>> results;
  for (const std::string& path : options.labels) {
    Trial trial{path.substr(path.rfind('/') + 1), networks, read_labels(path, networks), {}};
    for (const UserPair& pair : truth)
      if (!trial.labels.is_anchored(Side::kA, pair.a)) trial.test.push_back(pair);
    if (options.hide > 0.0) hide_labels(trial, options.hide);
    results.push_back(measure(trial, params, run));
  }
  print_means(results);
}

void measure_generated() {
  std::vector<std::vector<double>> results;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Run run({.seed = seed});
    const GeneratedPair pair = generate_pair({.users_a = 1000,
                                              .users_b = 1000,
                                              .anchors = 1000,
                                              .edges_a = 41000,
                                              .edges_b = 4600,
                                              .overlap = 0.97},
                                             run);
    Trial trial{fmt::format("contained, seed {}", seed), pair.networks, LabelSet(1000, 1000), {}};
    for (std::size_t i = 0; i < pair.truth.size(); ++i) {
      if (i % 5 == 0)
        trial.labels.add(pair.truth[i], Label::kAnchor);
      else
        trial.test.push_back(pair.truth[i]);
    }
    results.push_back(measure(trial, {}, run));
    if (results.back()[0] < 0.90) throw StateError("precision@30 fell below .90");
  }
  print_means(results);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 1)
      measure_generated();
    else
      measure_files(options_of(count, words));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
