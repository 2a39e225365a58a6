// Structural contexts of Foursquare and Twitter (or of a generated pair of their size) against
// writing the two matrices once to memory, and against SciPy.
#include "context/context.h"

#include <cmath>
#include <cstring>

#include "base/base.h"
#include "generate/generate.h"
#include "measure.h"
#include "numeric/numeric.h"

namespace dalaup::bench {
namespace {

struct Input {
  NetworkPair networks;
  std::string a;
  std::string b;
};

Input read_input(const std::string& scratch, Run& run) {
  const std::string real = std::string(DALAUP_SOURCE_FOLDER) + "/../shared/data/foursquare-twitter";
  if (file_exists(real + "/a.edges")) {
    fmt::print("networks: foursquare-twitter\n");
    return {{read_network(real + "/a.edges", {}, run), read_network(real + "/b.edges", {}, run)},
            real + "/a.edges",
            real + "/b.edges"};
  }
  fmt::print("networks: generated, of the size of foursquare-twitter\n");
  GeneratedPair pair = generate_pair({}, run);
  write_pair(scratch, pair);
  return {std::move(pair.networks), scratch + "/a.edges", scratch + "/b.edges"};
}

// Rows taken one by one in double, as eqs. 1 and 2 say.
void verify(const Network& network, const Matrix& context) {
  const ContextParams params;
  for (UserId start = 0; start < network.user_count(); start += 97) {
    std::vector<double> place(network.user_count(), 0.0);
    std::vector<double> sum(network.user_count(), 0.0);
    place[start] = 1.0;
    for (int step = 0; step < params.walk_steps; ++step) {
      std::vector<double> next(network.user_count(), 0.0);
      next[start] = params.restart_probability;
      for (UserId user = 0; user < network.user_count(); ++user) {
        const double leaves = (1.0 - params.restart_probability) * place[user];
        const auto neighbours = network.neighbours(user);
        if (neighbours.empty()) next[user] += leaves;
        for (const UserId to : neighbours)
          next[to] += leaves / static_cast<double>(neighbours.size());
      }
      place.swap(next);
      for (std::size_t user = 0; user < sum.size(); ++user) sum[user] += place[user];
    }
    for (UserId user = 0; user < network.user_count(); ++user)
      require(std::abs(sum[user] - static_cast<double>(context(start, user))) < 1e-6,
              fmt::format("context of user {} at {}", start, user));
  }
}

// SciPy's time in milliseconds, or a negative number when it is not there.
double scipy_milliseconds(const Input& input) {
  const std::string command = fmt::format(
      "OMP_NUM_THREADS=1 /usr/bin/python3 {}/bench/scipy_context.py '{}' '{}' 2>/dev/null",
      DALAUP_SOURCE_FOLDER, input.a, input.b);
  FILE* const pipe = popen(command.c_str(), "r");
  double milliseconds = -1.0;
  if (pipe != nullptr) {
    if (std::fscanf(pipe, "%lf", &milliseconds) != 1) milliseconds = -1.0;
    pclose(pipe);
  }
  return milliseconds;
}

void write_once(Matrix& matrix) {
  std::memset(matrix.data(), 1, static_cast<std::size_t>(matrix.size()) * sizeof(float));
}

int main_of(const std::string& scratch) {
  Run run;
  print_machine("structural contexts, steps 3");
  const Input input = read_input(scratch, run);
  verify(input.networks.a, structural_context(input.networks.a, {}, run));
  verify(input.networks.b, structural_context(input.networks.b, {}, run));

  const auto both = [&](const auto& body) {
    body(input.networks.a);
    body(input.networks.b);
  };
  const auto size = [](const Network& network) {
    return static_cast<Eigen::Index>(network.user_count());
  };
  Matrix kept_a(size(input.networks.a), size(input.networks.a));
  Matrix kept_b(size(input.networks.b), size(input.networks.b));
  std::vector<Contender> contenders{
      {"contexts, into new matrices",
       [&] { both([&](const Network& network) { structural_context(network, {}, run); }); }},
      {"contexts, into matrices already there",
       [&] {
         structural_context_into(input.networks.a, {}, run, kept_a);
         structural_context_into(input.networks.b, {}, run, kept_b);
       }},
      {"writing new matrices once, small pages",
       [&] {
         both([&](const Network& network) {
           Matrix matrix(size(network), size(network));
           write_once(matrix);
         });
       }},
      {"writing new matrices once, large pages",
       [&] {
         both([&](const Network& network) {
           Matrix matrix = large_matrix(network.user_count(), network.user_count());
           write_once(matrix);
         });
       }},
      {"writing matrices already there once",
       [&] {
         write_once(kept_a);
         write_once(kept_b);
       }},
  };
  measure(contenders);
  bool met = report_ratio("new matrices / writing, small pages",
                          contenders[0].median() / contenders[2].median(), 3.0, true);
  met &= report_ratio("new matrices / writing, large pages",
                      contenders[0].median() / contenders[3].median(), 3.0, true);
  met &= report_ratio("matrices there / writing them",
                      contenders[1].median() / contenders[4].median(), 3.0, true);
  const double scipy = scipy_milliseconds(input);
  if (scipy < 0.0) {
    fmt::print("SciPy: SKIPPED, /usr/bin/python3 has no SciPy\n");
  } else {
    fmt::print("{:<44} {:.1f} ms\n", "SciPy (bench/scipy_context.py)", scipy);
    met &= report_ratio("SciPy / contexts, into new matrices", scipy / contenders[0].median(), 5.0,
                        false);
  }
  return met ? 0 : 3;
}

}  // namespace
}  // namespace dalaup::bench

int main(int argc, char** argv) {
  return dalaup::bench::main_of(argc > 1 ? argv[1] : "build/bench-networks");
}
