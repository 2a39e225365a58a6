#pragma once
// Memory: how much there is, and large pages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

namespace dalaup {

// Memory this process may still take, in bytes, as the machine and its limits tell.
std::uint64_t available_memory();
// Throws StateError naming what needs how much and what to change, when it will not fit.
void require_memory(std::uint64_t bytes, std::string_view what, std::string_view hint);

// Asks for large pages (2 MB) under memory not yet touched: first writing to it takes a fifth of
// the time, and scattered access finds its page sooner. Only advice: without them all works as
// before.
void advise_large_pages(void* data, std::size_t bytes);
// Gives the pages back whose content is no longer needed. Freeing alone may keep them.
void release_pages(void* data, std::size_t bytes);

// Memory in whole large pages where it is large enough for them; freed by std::free.
void* allocate_in_large_pages(std::size_t bytes);
template <class Value>
struct LargePageAllocator {
  using value_type = Value;
  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}
  Value* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(Value)) throw std::bad_array_new_length();
    return static_cast<Value*>(allocate_in_large_pages(count * sizeof(Value)));
  }
  void deallocate(Value* values, std::size_t) { std::free(values); }
  bool operator==(const LargePageAllocator&) const = default;
};
template <class Value>
using LargeVector = std::vector<Value, LargePageAllocator<Value>>;

// `count` values in large pages. The vector must be empty.
template <class Value>
void fill_in_large_pages(std::vector<Value>& values, std::size_t count, const Value& value) {
  values.reserve(count);
  advise_large_pages(values.data(), count * sizeof(Value));
  values.assign(count, value);
}

}  // namespace dalaup
