// Reads a generated edge file as text, gzip and zstd against a plain read of its bytes, checks the
// counts, and compares the peak of memory with the size of the CSR it built.
//   bench_read_network [MEGABYTES] [USERS]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"

namespace dalaup {
namespace {

constexpr int kRuns = 5;

// Processor time, not the clock on the wall: other programs must not count as ours.
double seconds_of(const std::function<void()>& body) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  body();
  return now() - start;
}

// One warm-up, five timed runs, all printed; returns the median.
double measure(std::string_view what, double megabytes, const std::function<void()>& body) {
  body();
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) runs.push_back(seconds_of(body));
  fmt::print("{:<28}", what);
  for (const double run : runs) fmt::print(" {:6.3f}", run);
  std::ranges::sort(runs);
  const double median = runs[kRuns / 2];
  fmt::print("  median {:.3f} s  {:6.0f} MB/s\n", median, megabytes / median);
  return median;
}

std::uint64_t kilobytes_of(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10);
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Skewed degrees: one end of an edge is drawn evenly, the other close to the beginning.
std::uint64_t write_random_edges(const std::string& path, std::uint64_t bytes,
                                 std::uint64_t users) {
  Random random(1, "bench");
  AtomicFile file(path);
  std::uint64_t lines = 0;
  for (std::uint64_t written = 0; written < bytes; ++lines) {
    const double skewed = random.uniform();
    const auto popular =
        static_cast<std::uint64_t>(skewed * skewed * skewed * static_cast<double>(users));
    const std::string line = fmt::format("u{:x}\tu{:x}\n", random.below(users), popular);
    file.write(line);
    written += line.size();
  }
  file.commit();
  return lines;
}

std::uint64_t bytes_of_rows(const Adjacency& rows) {
  return rows.begins.size() * sizeof(rows.begins[0]) + rows.users.size() * sizeof(rows.users[0]) +
         rows.weights.size() * sizeof(float);
}

int run(std::uint64_t megabytes, std::uint64_t users) {
  const std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("bench-{}", getpid());
  create_folders(folder);
  const std::string path = folder + "/random.edges";
  const std::uint64_t lines = write_random_edges(path, megabytes * 1'000'000, users);
  fmt::print("{} lines, {} MB, at most {} users, 1 thread, seconds of processor time\n",
             grouped(lines), megabytes, grouped(users));
  const auto size = static_cast<double>(megabytes);

  Run quiet;
  Dropped dropped;
  const auto read_checked = [&](const std::string& file) {
    dropped = {};
    LineReader reader(file);
    Network network = read_edges(reader, {}, &dropped);
    if (network.edge_count() + dropped.duplicate_edges + dropped.self_loops != lines) {
      fmt::print("WRONG: the edges read do not add up to the lines written\n");
      std::exit(1);
    }
    return network;
  };

  reset_peak_memory();
  const std::uint64_t before = kilobytes_of("VmRSS");
  {
    const Network network = read_checked(path);
    const double peak = static_cast<double>(kilobytes_of("VmHWM") - before) / 1e3;
    const double rows = static_cast<double>(bytes_of_rows(network.both())) / 1e6;
    fmt::print(
        "memory: CSR {:.1f} MB, peak while reading {:.1f} MB = {:.2f} times (names included)\n",
        rows, peak, peak / rows);
  }

  const double plain = measure("plain read of the file", size, [&] {
    std::vector<char> buffer(std::size_t{1} << 16);
    const auto source = open_bytes(path);
    std::uint64_t total = 0;
    while (const std::size_t got = source->read(buffer)) total += got;
    if (total < megabytes * 1'000'000) std::exit(1);
  });
  const double text = measure("read_edges, text", size, [&] { read_checked(path); });
  fmt::print("reading and building takes {:.1f} times a plain read\n", text / plain);
  if (std::system(fmt::format("gzip -k1 '{0}' && zstd -qk1 '{0}'", path).c_str()) == 0) {
    measure("read_edges, gzip", size, [&] { read_checked(path + ".gz"); });
    measure("read_edges, zstd", size, [&] { read_checked(path + ".zst"); });
  }
  std::filesystem::remove_all(folder);
  return text > 0 && size / text >= 100.0 ? 0 : 1;
}

}  // namespace
}  // namespace dalaup

int main(int count, char** arguments) {
  const auto number = [&](int place, std::uint64_t standard) {
    return count > place ? std::strtoull(arguments[place], nullptr, 10) : standard;
  };
  return dalaup::run(number(1, 80), number(2, 500'000));
}
