// Candidates from names without comparing all pairs: time, memory and how many true partners are
// among them. Names have typing errors (30 %) and are missing for 10 %.
//
//   bench_attributes [USERS = 20000] [THREADS = 2]
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "attributes/attributes.h"
#include "generate/generate.h"
#include "measure.h"

namespace {

using namespace dalaup;

double peak_megabytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void measure_names(int users, int threads) {
  Run run({.threads = threads});
  GeneratedPair pair = generate_pair({.users_a = users,
                                      .users_b = users,
                                      .anchors = users / 2,
                                      .edges_a = 2LL * users,
                                      .edges_b = 2LL * users,
                                      .attributes = true},
                                     run);
  auto attributes = std::make_shared<PairAttributes>(*pair.networks.attributes);
  attributes->compare = "name";
  pair.networks.attributes = std::move(attributes);
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  const double processor = bench::processor_seconds();
  const auto gains = attribute_gains(pair.networks, run);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double spent = bench::processor_seconds() - processor;
  bench::require(gains != nullptr && gains->fields.size() == 1, "names were compared");
  std::size_t known = 0;
  std::size_t found = 0;
  std::size_t listed = 0;
  for (const UserPair& anchor : pair.truth) {
    if (!gains->fields[0]->is_known(anchor)) continue;
    ++known;
    const auto candidates = gains->candidates(anchor.a);
    listed += candidates.size();
    found += std::ranges::binary_search(candidates, anchor.b) ? 1 : 0;
  }
  bench::require(found > 0, "some partner was found");
  fmt::print(
      "{} names a side, {} threads: {:.1f} s ({:.1f} s processor), peak {:.0f} MB, of which {:.0f} "
      "MB before; "
      "partner among {:.0f} candidates for {:.4f} of {} anchors with both names\n",
      users, threads, seconds, spent, peak_megabytes(), before,
      static_cast<double>(listed) / static_cast<double>(known),
      static_cast<double>(found) / static_cast<double>(known), known);
}

}  // namespace

int main(int count, char** words) {
  try {
    measure_names(count > 1 ? std::atoi(words[1]) : 20000, count > 2 ? std::atoi(words[2]) : 2);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
