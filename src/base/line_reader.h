#pragma once
// Text files line by line, at the speed of the disk.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"

namespace dalaup {

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

}  // namespace dalaup
