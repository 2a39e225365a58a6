#pragma once
// An archive of which only what is asked for is read, and checked block by block.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dalaup {

class ArchiveFile {
 public:
  // Null where parts cannot be read by themselves: files of older versions, compressed or damaged
  // ones, pipes. ArchiveReader reads these, or says what is wrong with them.
  static std::unique_ptr<ArchiveFile> open(const std::string& path, std::string_view kind,
                                           std::uint32_t newest_version);
  ~ArchiveFile();
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  // These throw InputError like those of ArchiveReader, and where a block is damaged.
  std::string text(const std::string& name);
  double number(const std::string& name);
  std::int64_t whole_number(const std::string& name);
  template <class T>
  requires std::is_trivially_copyable_v<T> std::uint64_t count(const std::string& name)
  const { return entry(name, sizeof(T)).size / sizeof(T); }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> values(const std::string& name) {
    return values<T>(name, 0, count<T>(name));
  }
  // `number` of them from `first` on; reading in the order of the file reads no block twice.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> values(const std::string& name,
                                                                 std::uint64_t first,
                                                                 std::uint64_t number) {
    const Entry& found = entry(name, sizeof(T));
    check_part(name, first, number, found.size / sizeof(T));
    std::vector<T> values(number);
    read(found, first * sizeof(T), number * sizeof(T), reinterpret_cast<char*>(values.data()));
    return values;
  }

 private:
  struct Entry {
    std::uint32_t element_size = 0;
    std::uint64_t begin = 0;  // after the header
    std::uint64_t size = 0;
    static constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};
    mutable std::uint64_t block = kNoBlock;  // the last one read for it
    mutable std::string bytes;               // of that block
  };

  explicit ArchiveFile(std::string path) : path_(std::move(path)) {}
  bool read_entries(std::string_view kind, std::uint32_t newest_version);
  bool read_at(std::uint64_t place, std::uint64_t size, char* to) const;
  const Entry& entry(const std::string& name, std::uint32_t element_size) const;
  void check_part(const std::string& name, std::uint64_t first, std::uint64_t number,
                  std::uint64_t count) const;
  void read(const Entry& from, std::uint64_t first, std::uint64_t size, char* to);
  // Throws InputError where the checksum does not fit.
  void read_block(std::uint64_t block, std::string& bytes) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t body_size_ = 0;  // of what the blocks hold
  std::vector<std::uint32_t> blocks_;
  std::map<std::string, Entry> entries_;
};

}  // namespace dalaup
