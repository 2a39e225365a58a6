#pragma once
// The bytes of an archive, for what writes and reads them. Private to the module.
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace dalaup::archive_format {

inline constexpr std::string_view kMagic = "DALAUP";
inline constexpr std::size_t kKindSize = 10;
inline constexpr std::size_t kHeaderSize =
    kMagic.size() + kKindSize + sizeof(std::uint32_t) + sizeof(std::uint64_t);
inline constexpr const char* kBlocksName = ".blocks";
inline constexpr std::uint64_t kBlockSize = std::uint64_t{1} << 16;

std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

// Of header, blocks of which the last has `last_block_size` bytes, and what follows them.
std::uint32_t checksum_of_blocks(std::string_view header, std::span<const std::uint32_t> blocks,
                                 std::uint64_t last_block_size, std::string_view end);

// Takes values off the front of a view; false when it is too short.
struct Cursor {
  std::string_view left;

  template <class T>
  bool take(T& value) {
    if (left.size() < sizeof(T)) return false;
    std::memcpy(&value, left.data(), sizeof(T));
    left.remove_prefix(sizeof(T));
    return true;
  }
  bool take(std::string_view& bytes, std::uint64_t size) {
    if (left.size() < size) return false;
    bytes = left.substr(0, size);
    left.remove_prefix(size);
    return true;
  }
};

}  // namespace dalaup::archive_format
