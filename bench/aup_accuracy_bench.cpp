// Accuracy of `aup` on a real pair: trains on the labels, ranks the rest of the truth, prints one
// CSV line.
//   bench_aup_accuracy FOLDER LABELS name=value ...
// FOLDER holds a.edges, b.edges and anchors.tsv; LABELS comes from dalaup split; the rest are
// settings of the method, and seed=N, directed=1. Every run is one thread.
#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "labels/labels.h"
#include "methods/methods.h"
#include "networks/networks.h"

using namespace dalaup;

namespace {

SettingValue value_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = parse_whole_number(text)) return static_cast<std::int64_t>(*whole);
  if (const auto number = parse_number(text)) return *number;
  return text;
}

struct Figures {
  double precision = 0.0, map = 0.0, map_linear = 0.0, hits1 = 0.0, mrr = 0.0;
};

Figures figures_of(const std::vector<double>& ranks) {
  Figures sums;
  for (const double rank : ranks) {
    sums.precision += rank <= 30.0;
    sums.map += rank <= 30.0 ? 1.0 / rank : 0.0;
    sums.map_linear += std::max(0.0, 31.0 - rank) / 30.0;
    sums.hits1 += rank <= 1.0;
    sums.mrr += 1.0 / rank;
  }
  const auto count = static_cast<double>(ranks.size());
  return {sums.precision / count, sums.map / count, sums.map_linear / count, sums.hits1 / count,
          sums.mrr / count};
}

std::string csv(const Figures& figures) {
  return fmt::format("{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}", figures.precision, figures.map,
                     figures.map_linear, figures.hits1, figures.mrr);
}

void measure(const std::string& folder, const std::string& label_path, const Settings& settings,
             std::uint64_t seed, bool directed) {
  Run run({.threads = 1, .seed = seed});
  const NetworkPair networks{read_network(folder + "/a.edges", {.directed = directed}, run),
                             read_network(folder + "/b.edges", {.directed = directed}, run)};
  const LabelSet labels = read_labels(label_path, networks);
  std::vector<UserPair> tests;
  for (const UserPair& pair : read_truth(folder + "/anchors.tsv", networks))
    if (!labels.answer(pair)) tests.push_back(pair);
  const auto aligner = all_methods().make("aup", settings);
  const auto started = std::chrono::steady_clock::now();
  aligner->fit(networks, labels, run);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::cout << fmt::format("{},{},{:.1f},{},{}\n", label_path, labels.anchors().size(), seconds,
                           csv(figures_of(aligner->ranks(tests, run))),
                           csv(figures_of(aligner->ranks(labels.anchors(), run))));
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: bench_aup_accuracy FOLDER LABELS [name=value ...]\n";
    return 0;  // `make bench` calls every program without arguments
  }
  Settings settings;
  std::uint64_t seed = 1;
  bool directed = false;
  for (int i = 3; i < count; ++i) {
    const std::string text = arguments[i];
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (name == "seed")
      seed = parse_whole_number(value).value_or(1);
    else if (name == "directed")
      directed = value == "1";
    else
      settings.set(name, value_of(value));
  }
  try {
    measure(arguments[1], arguments[2], settings, seed, directed);
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << "\nhint: " << error.hint() << '\n';
    return 1;
  }
}
