#pragma once
// Files in and out: output appears whole or not at all, input may be gzip or zstd by its name.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dalaup {

// Writes to a temporary name in the same folder; commit() makes it durable and renames it.
// Without commit() nothing remains. Devices and pipes are written as they are. Throws InputError
// naming the path when the disk refuses.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // Whether what was written can still be changed: not on devices and pipes.
  bool can_rewrite() const { return !temporary_.empty(); }
  void rewrite_start(std::string_view bytes);  // as many bytes as were written, at most
  void commit();

 private:
  void flush();
  void write_through(std::string_view bytes);
  [[noreturn]] void fail(std::string_view action) const;

  std::string path_;
  std::string target_;     // path_, or what it links to
  std::string temporary_;  // empty when a device or pipe is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

void write_file(const std::string& path, std::string_view content);

// A stream of bytes; .gz and .zst are decompressed. Throws InputError for a missing file, a folder,
// a read error, and for damaged or truncated compressed data.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::size_t read(std::span<char> buffer) = 0;  // 0 at the end
};
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
std::unique_ptr<ByteSource> bytes_of(std::string_view content);  // content must outlive it

std::string read_all(ByteSource& source);

bool file_exists(const std::string& path);
void create_folders(const std::string& path);

}  // namespace dalaup
