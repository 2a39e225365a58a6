// How time and memory of a propagation fit grow with the networks, what a second thread gains, and
// what a refit after 20 new labels costs. Degrees stay at 20 while users grow.
//
//   bench_propagation_scaling [MOST_USERS = 10000] [THREADS = 2]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "generate/generate.h"
#include "methods/propagation/propagation.h"

namespace {

using namespace dalaup;

struct Cost {
  double seconds = 0.0;
  double processor_seconds = 0.0;
};
template <class Action>
Cost cost_of(Action&& action) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  action();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

void measure(int users, int threads) {
  Run draw;
  const GeneratedPair pair = generate_pair({.users_a = users,
                                            .users_b = users,
                                            .anchors = users / 2,
                                            .edges_a = 10LL * users,
                                            .edges_b = 10LL * users,
                                            .overlap = 0.7},
                                           draw);
  LabelSet labels(pair.networks.a.user_count(), pair.networks.b.user_count());
  std::vector<UserPair> tests;
  for (std::size_t i = 0; i < pair.truth.size(); ++i) {
    if (i % 20 == 0)
      labels.add(pair.truth[i], Label::kAnchor);
    else
      tests.push_back(pair.truth[i]);
  }
  tests.resize(std::min<std::size_t>(tests.size(), 2000));
  Run one;
  Run many({.threads = threads});
  const auto single = make_propagation();
  const auto aligner = make_propagation();
  const Cost alone = cost_of([&] { single->fit(pair.networks, labels, one); });
  const Cost together = cost_of([&] { aligner->fit(pair.networks, labels, many); });
  for (const UserPair& test : tests)
    if (single->score(test) != aligner->score(test))
      throw StateError("scores differ between thread counts");
  for (std::size_t i = 0; i < 20 && i < tests.size(); ++i) labels.add(tests[i], Label::kAnchor);
  const Cost warm = cost_of([&] { single->refit(labels, one); });
  const auto ranks = aligner->ranks(tests, many);
  const auto hits = std::ranges::count_if(ranks, [](double rank) { return rank <= 30.0; });
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{:>8} users {:>9} edges: {:.2f} s ({:.2f} s processor), {} threads {:.2f} s (times {:.2f}), "
      "refit {:.2f} of a fit, {:.2f} us processor an edge, precision@30 {:.3f}, peak {} MB\n",
      users, pair.networks.a.edge_count() + pair.networks.b.edge_count(), alone.seconds,
      alone.processor_seconds, threads, together.seconds, alone.seconds / together.seconds,
      warm.processor_seconds / alone.processor_seconds,
      1e6 * alone.processor_seconds /
          static_cast<double>(pair.networks.a.edge_count() + pair.networks.b.edge_count()),
      static_cast<double>(hits) / static_cast<double>(tests.size()), usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  try {
    const int most = count > 1 ? std::atoi(words[1]) : 10000;
    const int threads = count > 2 ? std::atoi(words[2]) : 2;
    for (int users = 1000; users <= most; users *= 10) measure(users, threads);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
