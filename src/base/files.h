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

// Lines of a UTF-8 text without their line ends (\n or \r\n); a byte order mark is skipped.
// Throws InputError with the line number for NUL bytes, bad UTF-8 and lines over kLongestLine.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;
  static constexpr std::size_t kReadableBeyond = 32;  // bytes behind a line that may be read

  LineReader(std::unique_ptr<ByteSource> source, std::string name);
  explicit LineReader(const std::string& path) : LineReader(open_bytes(path), path) {}

  bool next(std::string_view& line);  // the view is good until the next call of next()
  // The next line if it is in memory already: false says only that next() must be called.
  // Views from before stay good, so lines can be handled in batches.
  bool next_buffered(std::string_view& line);
  // All that is in memory behind the last line, if it is ASCII without NUL; else nothing. For those
  // who find lines faster by themselves: skip() says how many bytes and line ends they took.
  std::string_view buffered_ascii() const {
    return plain_ ? std::string_view(buffer_).substr(begin_, end_ - begin_) : std::string_view();
  }
  void skip(std::size_t bytes, std::size_t lines) {
    begin_ += bytes;
    line_number_ += lines;
    if (bytes > 0) searched_ = 0;
  }
  std::size_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }

 private:
  bool refill();
  std::string_view take(std::size_t length, std::size_t line_end);
  void check(std::string_view line) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // bytes after begin_ known to hold no line end
  std::size_t line_number_ = 0;
  bool at_end_ = false;
  bool plain_ = true;  // the buffer holds printable ASCII only, so lines need no check
};

bool file_exists(const std::string& path);
void create_folders(const std::string& path);

}  // namespace dalaup
