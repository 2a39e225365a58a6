#pragma once
// An archive taken apart, so that tests and fuzz targets can change what is behind its checksum.
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace dalaup {

struct ArchivePart {
  std::string name;
  std::uint32_t element_size = 1;
  std::string bytes;
};

struct ArchiveParts {
  std::string header;  // magic, kind and version
  std::vector<ArchivePart> parts;
};

// `content` must be whole.
inline ArchiveParts archive_parts(std::string_view content) {
  constexpr std::size_t kBeforeCount = 6 + 10 + sizeof(std::uint32_t);
  ArchiveParts archive{std::string(content.substr(0, kBeforeCount)), {}};
  content.remove_prefix(kBeforeCount);
  const auto take = [&]<class T>(T& value) {
    std::memcpy(&value, content.data(), sizeof(T));
    content.remove_prefix(sizeof(T));
  };
  std::uint64_t count = 0;
  take(count);
  for (; count > 0; --count) {
    std::uint32_t name_size = 0;
    std::uint64_t size = 0;
    ArchivePart part;
    take(name_size);
    take(part.element_size);
    take(size);
    part.name = content.substr(0, name_size);
    part.bytes = content.substr(name_size, size);
    content.remove_prefix(name_size + size);
    if (part.name != ".blocks") archive.parts.push_back(std::move(part));  // archive_of makes it
  }
  return archive;
}

inline std::string archive_of(const ArchiveParts& archive) {
  std::string content = archive.header;
  const auto put = [&]<class T>(T value) {
    content.append(reinterpret_cast<const char*>(&value), sizeof(T));
  };
  put(static_cast<std::uint64_t>(archive.parts.size() + 1));
  const std::size_t body = content.size();
  const auto put_part = [&](const ArchivePart& part) {
    put(static_cast<std::uint32_t>(part.name.size()));
    put(part.element_size);
    put(static_cast<std::uint64_t>(part.bytes.size()));
    content += part.name + part.bytes;
  };
  const auto sum_of = [](std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  };
  for (const ArchivePart& part : archive.parts) put_part(part);
  ArchivePart blocks{".blocks", sizeof(std::uint32_t), {}};
  constexpr std::size_t kBlock = 65536;
  for (std::size_t begin = body; begin < content.size(); begin += kBlock) {
    const std::uint32_t sum = sum_of(std::string_view(content).substr(begin, kBlock));
    blocks.bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  }
  put_part(blocks);
  put(sum_of(content));
  return content;
}

}  // namespace dalaup
