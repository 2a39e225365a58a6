#pragma once
// What the benchmark programs share: interleaved runs timed by processor time (other programs on
// the machine disturb it less than the clock on the wall), every run printed with the median.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalaup::bench {

inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> milliseconds{};

  double median() const {
    auto sorted = milliseconds;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

// One warm-up, then `rounds` rounds in which each contender runs once.
inline void measure(std::vector<Contender>& contenders, int rounds = 7) {
  for (int round = -1; round < rounds; ++round)
    for (Contender& contender : contenders) {
      const double before = processor_seconds();
      contender.run();
      if (round >= 0) contender.milliseconds.push_back(1e3 * (processor_seconds() - before));
    }
  for (const Contender& contender : contenders)
    fmt::print("{:<44} median {:9.2f} ms   runs {:.1f}\n", contender.name, contender.median(),
               fmt::join(contender.milliseconds, " "));
}

// "ratio: 2.1 (target at most 3)" and whether it was met; slower machines do not change ratios
// much.
inline bool report_ratio(std::string_view what, double ratio, double target, bool at_most) {
  const bool is_met = at_most ? ratio <= target : ratio >= target;
  fmt::print("{:<44} {:.2f} (target: at {} {}){}\n", what, ratio, at_most ? "most" : "least",
             target, is_met ? "" : "  NOT MET");
  return is_met;
}

inline void print_machine(std::string_view title) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  std::string model = "unknown processor";
  while (std::getline(info, line))
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  fmt::print("== {} ==  {}, one thread, processor time\n", title, model);
}

inline void require(bool claim, std::string_view what) {
  if (claim) return;
  fmt::print("WRONG RESULT: {}\n", what);
  std::exit(1);
}

}  // namespace dalaup::bench
