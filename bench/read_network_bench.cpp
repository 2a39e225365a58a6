// Reads generated edge files as text, gzip and zstd, beside a plain read of their bytes; checks the
// counts, compares the peak of memory with the size of the CSR it built, and reads two networks
// with one thread and with two.
//   bench_read_network [MEGABYTES] [USERS]
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/base.h"
#include "measure.h"
#include "networks/networks.h"

namespace dalaup::bench {
namespace {

std::uint64_t kilobytes_of(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10);
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Skewed degrees: one end of an edge is drawn evenly, the other close to the beginning.
std::uint64_t write_random_edges(const std::string& path, std::uint64_t bytes, std::uint64_t users,
                                 std::string_view prefix, char delimiter = '\t',
                                 std::string_view header = {}) {
  Random random(1, "bench");
  AtomicFile file(path);
  file.write(header);
  std::uint64_t lines = 0;
  for (std::uint64_t written = 0; written < bytes; ++lines) {
    const double skewed = random.uniform();
    const auto popular =
        static_cast<std::uint64_t>(skewed * skewed * skewed * static_cast<double>(users));
    const std::string line =
        fmt::format("{0}{1:x}{3}{0}{2:x}\n", prefix, random.below(users), popular, delimiter);
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

Network read_checked(const std::string& file, std::uint64_t lines) {
  Dropped dropped;
  LineReader reader(file);
  Network network = read_edges(reader, {}, &dropped);
  require(network.edge_count() + dropped.duplicate_edges + dropped.self_loops == lines,
          "the edges read do not add up to the lines written");
  return network;
}

// As every command reads: the form is seen from the first lines.
void read_understood(const std::string& file, std::uint64_t lines, const std::string& expected) {
  std::uint64_t dropped = 0;
  const auto count = [&](const std::string& warning) {
    std::string digits;  // "FILE: 1,234 duplicate edges dropped"
    for (const char letter : warning.substr(warning.rfind(": ")))
      if (letter >= '0' && letter <= '9') digits += letter;
    dropped += std::strtoull(digits.c_str(), nullptr, 10);
  };
  Run run({.threads = 1, .on_warning = count});
  std::string understood;
  const Network network = read_network(file, {}, run, &understood);
  require(understood == expected, "the file was understood otherwise: " + understood);
  require(network.edge_count() + dropped == lines, "the edges read do not add up to the lines");
}

// Two networks, at the same time where there are threads for it.
void read_both(const std::string& file, int threads) {
  Run run({.threads = threads});
  const NetworkPair pair = read_networks(file, file, {}, run);
  require(pair.a.edge_count() == pair.b.edge_count(), "the same file was read in two ways");
}

bool report_memory(const std::string& path, std::uint64_t lines) {
  reset_peak_memory();
  const std::uint64_t before = kilobytes_of("VmRSS");
  const Network network = read_checked(path, lines);
  const double peak = static_cast<double>(kilobytes_of("VmHWM") - before) / 1e3;
  const double rows = static_cast<double>(bytes_of_rows(network.both())) / 1e6;
  fmt::print("CSR {:.1f} MB, peak while reading {:.1f} MB, names included\n", rows, peak);
  return report_ratio("peak of memory / CSR", peak / rows, 3.0, true);
}

int run(std::uint64_t megabytes, std::uint64_t users) {
  print_machine(fmt::format("reading {} MB of edges, at most {} users", megabytes, grouped(users)));
  const std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("bench-{}", getpid());
  create_folders(folder);
  const std::uint64_t bytes = megabytes * 1'000'000;
  const std::string path = folder + "/short.edges";
  const std::string long_path = folder + "/long.edges";
  const std::uint64_t lines = write_random_edges(path, bytes, users, "u");
  const std::uint64_t long_lines = write_random_edges(long_path, bytes, users, "a-longer-name-");
  const std::string grouped_path = folder + "/grouped.edges";
  require(std::system(fmt::format("LC_ALL=C sort '{}' > '{}'", path, grouped_path).c_str()) == 0,
          "sort must be there");
  const std::string table_path = folder + "/table.csv";
  const std::uint64_t table_lines =
      write_random_edges(table_path, bytes, users, "u", ',', "source,target\n");
  fmt::print("{} lines with names of up to 8 bytes, {} with longer ones\n", grouped(lines),
             grouped(long_lines));
  bool met = report_memory(path, lines);
  require(std::system(fmt::format("gzip -k1 '{0}' && zstd -qk1 '{0}'", path).c_str()) == 0,
          "gzip and zstd must be there");
  std::vector<Contender> contenders{
      {"plain read of the bytes",
       [&] {
         std::vector<char> buffer(std::size_t{1} << 16);
         const auto source = open_bytes(path);
         std::uint64_t total = 0;
         while (const std::size_t got = source->read(buffer)) total += got;
         require(total >= bytes, "the file is too short");
       }},
      {"read_edges, names of up to 8 bytes", [&] { read_checked(path, lines); }},
      {"read_edges, longer names", [&] { read_checked(long_path, long_lines); }},
      {"read_network, tabs",
       [&] { read_understood(path, lines, "tab-separated, no header, columns 1, 2"); }},
      {"read_network, commas and a header",
       [&] {
         read_understood(table_path, table_lines,
                         "comma-separated, header, columns source, target");
       }},
      {"read_network, edges of a user together",
       [&] { read_understood(grouped_path, lines, "tab-separated, no header, columns 1, 2"); }},
      {"read_edges, gzip", [&] { read_checked(path + ".gz", lines); }},
      {"read_edges, zstd", [&] { read_checked(path + ".zst", lines); }},
      {"read_networks, one thread", [&] { read_both(path, 1); }},
      {"read_networks, two threads", [&] { read_both(path, 2); }}};
  measure(contenders, 5);
  std::filesystem::remove_all(folder);
  const auto speed = [&](const Contender& contender) {
    return static_cast<double>(megabytes) / (contender.median() / 1e3);
  };
  for (const std::size_t contender : {1, 2, 3, 4, 5})
    met &= report_ratio(contenders[contender].name + ", MB/s", speed(contenders[contender]), 100.0,
                        false);
  fmt::print("{:<44} {:.0f}\n", "read_edges / plain read of the bytes",
             contenders[1].median() / contenders[0].median());
  fmt::print("{:<44} {:.2f}\n", "read_network / read_edges",
             contenders[3].median() / contenders[1].median());
  met &= report_ratio(
      "one thread / two threads, by the clock",
      median_of(contenders[8].clock_milliseconds) / median_of(contenders[9].clock_milliseconds),
      1.6, false);
  return met ? 0 : 3;
}

}  // namespace
}  // namespace dalaup::bench

int main(int count, char** arguments) {
  const auto number = [&](int place, std::uint64_t standard) {
    return count > place ? std::strtoull(arguments[place], nullptr, 10) : standard;
  };
  return dalaup::bench::run(number(1, 80), number(2, 500'000));
}
