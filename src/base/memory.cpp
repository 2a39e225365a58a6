#include "base/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/errors.h"

namespace dalaup {

std::uint64_t available_memory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (meminfo >> key >> kibibytes >> unit)
    if (key == "MemAvailable:") available = kibibytes * 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    available = std::min<std::uint64_t>(available, limit.rlim_cur);
  return available;
}

void require_memory(std::uint64_t bytes, std::string_view what, std::string_view hint) {
  const std::uint64_t available = available_memory();
  if (bytes <= available) return;
  throw StateError(
      fmt::format("{} needs {:.1f} GB of memory, {:.1f} GB are available", what,
                  static_cast<double>(bytes) / 1e9, static_cast<double>(available) / 1e9),
      std::string(hint));
}

namespace {

// Advises the kernel on the whole pages of the given size inside [data, data + bytes).
void advise(void* data, std::size_t bytes, std::uintptr_t page, int advice) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  if (first < last) madvise(static_cast<char*>(data) + (first - begin), last - first, advice);
}

}  // namespace

void advise_large_pages(void* data, std::size_t bytes) {
  advise(data, bytes, std::uintptr_t{2} << 20, MADV_HUGEPAGE);
}

void* allocate_in_large_pages(std::size_t bytes) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  const bool is_large = bytes >= 2 * kPage;
  if (is_large && bytes > static_cast<std::size_t>(-1) - kPage) throw std::bad_alloc();
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  void* const memory =
      is_large ? std::aligned_alloc(kPage, rounded) : std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  if (is_large) advise_large_pages(memory, rounded);
  return memory;
}

void release_pages(void* data, std::size_t bytes) {
  advise(data, bytes, static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), MADV_DONTNEED);
}

}  // namespace dalaup
