#pragma once
// What the benchmark programs share: interleaved runs timed by processor time (other programs on
// the machine disturb it less than the clock on the wall), every run printed with the median,
// beside it the median of the clock and the kernel's part of the processor time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

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

// Of these, what the kernel took: clearing new memory, reading files.
inline double kernel_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_stime.tv_usec);
}

inline double clock_seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> milliseconds{};
  std::vector<double> clock_milliseconds{};
  std::vector<double> kernel_milliseconds{};

  double median() const { return median_of(milliseconds); }
};

// One warm-up, then `rounds` rounds in which each contender runs once.
inline void measure(std::vector<Contender>& contenders, int rounds = 7) {
  for (int round = -1; round < rounds; ++round)
    for (Contender& contender : contenders) {
      const double clock = clock_seconds();
      const double kernel = kernel_seconds();
      const double before = processor_seconds();
      contender.run();
      if (round < 0) continue;
      contender.milliseconds.push_back(1e3 * (processor_seconds() - before));
      contender.clock_milliseconds.push_back(1e3 * (clock_seconds() - clock));
      contender.kernel_milliseconds.push_back(1e3 * (kernel_seconds() - kernel));
    }
  for (const Contender& contender : contenders)
    fmt::print("{:<44} median {:9.2f} ms   clock {:.1f}   kernel {:.1f}   runs {:.1f}\n",
               contender.name, contender.median(), median_of(contender.clock_milliseconds),
               median_of(contender.kernel_milliseconds), fmt::join(contender.milliseconds, " "));
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
