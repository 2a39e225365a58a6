#pragma once
// One binary file of named values, versioned and checksummed: the body of model files.
// Layout: "DALAUP" kind, format version, entries (name, type, size, bytes), CRC-32 of all before
// it. The last entry has the CRC-32 of each block of bytes before it, from the first entry on: so
// ArchiveFile can check what it reads without reading the rest.
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/errors.h"

namespace dalaup {

class AtomicFile;  // files.h

class ArchiveWriter {
 public:
  // Several processes may write one file, of which one keeps the content.
  enum class Keeps : std::uint8_t { kEverything, kNothing };
  explicit ArchiveWriter(Keeps keeps = Keeps::kEverything);
  // Entries go to the file as they come, which appears whole with commit() or not at all. Only for
  // a pipe are they kept in memory until then. `kind` is at most 10 letters, such as "model".
  ArchiveWriter(const std::string& path, std::string_view kind, std::uint32_t version);
  ~ArchiveWriter();
  ArchiveWriter(ArchiveWriter&&) noexcept;
  ArchiveWriter& operator=(ArchiveWriter&&) noexcept;

  void put(const std::string& name, std::string_view text);
  void put(const std::string& name, const char* text) { put(name, std::string_view(text)); }
  void put(const std::string& name, double value);
  void put(const std::string& name, std::int64_t value);
  void put_table(const std::string& name, std::int64_t rows, std::int64_t columns,
                 std::span<const float> values);  // row after row
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::string& name, std::span<const T> values) {
    add(name, sizeof(T), {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  template <class T>
  void put(const std::string& name, const std::vector<T>& values) {
    put(name, std::span<const T>(values));
  }
  void put_strings(const std::string& name, std::span<const std::string> texts) {
    put_strings(name, texts.size(), [&](std::size_t i) -> std::string_view { return texts[i]; });
  }
  // text_of(0) up to text_of(count - 1); each is asked for twice.
  template <class TextOf>
  void put_strings(const std::string& name, std::size_t count, TextOf&& text_of) {
    std::uint64_t letters = 0;
    begin(name + ".sizes", sizeof(std::uint64_t), count * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t size = text_of(i).size();
      letters += size;
      append({reinterpret_cast<const char*>(&size), sizeof(size)});
    }
    begin(name, 1, letters);
    for (std::size_t i = 0; i < count; ++i) append(text_of(i));
  }
  // An entry in parts: `size` bytes follow, through append.
  void begin(const std::string& name, std::uint32_t element_size, std::uint64_t size);
  void append(std::string_view bytes);

  // Of a writer that was given a path.
  void commit();
  // Of one that was not: the content of the file, for keeping inside another one.
  std::string to_bytes(std::string_view kind, std::uint32_t version) const;

 private:
  // What follows the entries: their checksums and that of everything.
  std::string end_after(std::string_view header) const;
  void add(const std::string& name, std::uint32_t element_size, std::string_view bytes);
  Keeps keeps_ = Keeps::kEverything;
  std::string body_;                            // what did not go to the file
  std::vector<std::uint32_t> block_checksums_;  // of full blocks
  std::uint32_t block_checksum_ = 0;            // of the one being written
  std::uint64_t block_size_ = 0;
  std::uint64_t entries_ = 0;
  std::unique_ptr<AtomicFile> file_;  // null: without a path
  std::string kind_;
  std::uint32_t version_ = 0;
};

class ArchiveReader {
 public:
  // Throws InputError for a file that is foreign, of another kind, newer, truncated or damaged.
  ArchiveReader(const std::string& path, std::string_view kind, std::uint32_t newest_version);
  // Content that ArchiveWriter::to_bytes gave; `path_or_name` stands in messages.
  ArchiveReader(std::string content, std::string path_or_name, std::string_view kind,
                std::uint32_t newest_version);
  ArchiveReader(const ArchiveReader&) = delete;  // entries point into the content
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  std::uint32_t version() const { return version_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::string text(const std::string& name) const;
  double number(const std::string& name) const;
  std::int64_t whole_number(const std::string& name) const;
  struct Table {
    std::int64_t rows;
    std::int64_t columns;
    std::string_view bytes;  // of rows * columns floats, anywhere in memory
  };
  Table table(const std::string& name) const;
  std::vector<std::string> strings(const std::string& name) const;
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> values(const std::string& name)
  const {
    const std::string_view bytes = entry(name, sizeof(T));
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const std::string& path() const { return path_; }

 private:
  struct Entry {
    std::uint32_t element_size;
    std::string_view bytes;
  };
  std::string_view entry(const std::string& name, std::uint32_t element_size) const;

  std::string path_;
  std::string content_;
  std::map<std::string, Entry> entries_;
  std::uint32_t version_ = 0;
};

}  // namespace dalaup
