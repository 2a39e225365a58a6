#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/errors.h"
#include "base/files.h"

namespace dalaup {
namespace {

class PlainFile : public ByteSource {
 public:
  explicit PlainFile(std::string path) : path_(std::move(path)) {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const int reason = errno;
    if (descriptor_ < 0)
      throw InputError(path_, 0, fmt::format("cannot be opened ({})", std::strerror(reason)),
                       reason == ENOENT ? "check the spelling of the path" : "");
    struct stat about {};
    if (fstat(descriptor_, &about) == 0 && S_ISDIR(about.st_mode)) {
      close(descriptor_);
      throw InputError(path_, 0, "found a folder, expected a file", "name a file inside it");
    }
  }
  ~PlainFile() override { close(descriptor_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  std::size_t read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR)
        throw InputError(path_, 0, fmt::format("cannot be read ({})", std::strerror(errno)));
    }
  }

 private:
  std::string path_;
  int descriptor_;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view content) : left_(content) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), left_.size());
    std::copy_n(left_.data(), size, buffer.data());
    left_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view left_;
};

// Input of a decompressor: compressed bytes, refilled from a file.
class Compressed {
 public:
  explicit Compressed(const std::string& path) : file_(path), buffer_(std::size_t{1} << 16) {}
  // False at the end of the file.
  bool refill() {
    begin = 0;
    end = file_.read(buffer_);
    return end > 0;
  }
  const char* data() const { return buffer_.data(); }

  std::size_t begin = 0;
  std::size_t end = 0;

 private:
  PlainFile file_;
  std::vector<char> buffer_;
};

[[noreturn]] void throw_damaged(const std::string& path, std::string_view kind,
                                std::string_view what) {
  throw InputError(path, 0,
                   fmt::format("found {} {} data, expected a whole {} file", what, kind, kind),
                   "copy or download the file again");
}

// Browsers unpack what they load and keep the name.
[[noreturn]] void throw_not_packed(const std::string& path, std::string_view kind,
                                   std::string_view ending) {
  throw InputError(
      path, 0, fmt::format("found data that is not {}, expected {} as its name says", kind, kind),
      fmt::format("was it unpacked already? then take {} off its name", ending));
}

class GzipFile : public ByteSource {
 public:
  explicit GzipFile(const std::string& path) : path_(path), input_(path) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw StateError("zlib cannot be started");
  }
  ~GzipFile() override { inflateEnd(&stream_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(std::span<char> buffer) override {
    buffer = buffer.first(std::min(buffer.size(), std::size_t{1} << 30));  // zlib counts in 32 bits
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out == buffer.size()) {
      if (input_.begin == input_.end && !input_.refill()) {
        if (inside_member_ || !any_member_) throw_damaged(path_, "gzip", "truncated");
        return 0;
      }
      if (!any_member_ && input_.data()[input_.begin] != '\x1f')
        throw_not_packed(path_, "gzip", ".gz");
      inside_member_ = any_member_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data() + input_.begin));
      stream_.avail_in = static_cast<uInt>(input_.end - input_.begin);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      input_.begin = input_.end - stream_.avail_in;
      if (status == Z_STREAM_END) {  // another member may follow
        inside_member_ = false;
        inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw_damaged(path_, "gzip", "damaged");
      }
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  std::string path_;
  Compressed input_;
  z_stream stream_{};
  bool inside_member_ = false;
  bool any_member_ = false;
};

class ZstdFile : public ByteSource {
 public:
  explicit ZstdFile(const std::string& path)
      : path_(path), input_(path), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw StateError("zstd cannot be started");
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos == 0) {
      if (input_.begin == input_.end && !input_.refill()) {
        if (inside_frame_) throw_damaged(path_, "zstd", "truncated");
        return 0;
      }
      if (at_beginning_ && !is_zstd(input_)) throw_not_packed(path_, "zstd", ".zst");
      at_beginning_ = false;
      ZSTD_inBuffer in{input_.data() + input_.begin, input_.end - input_.begin, 0};
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(left) != 0) throw_damaged(path_, "zstd", "damaged");
      input_.begin += in.pos;
      inside_frame_ = left != 0;
    }
    return out.pos;
  }

 private:
  std::string path_;
  Compressed input_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  // A frame, or one to be skipped, whose first byte varies.
  static bool is_zstd(const Compressed& input) {
    const auto first = static_cast<unsigned char>(input.data()[input.begin]);
    return first == 0x28 || (first & 0xf0U) == 0x50;
  }
  bool inside_frame_ = true;  // an empty file is a truncated one
  bool at_beginning_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipFile>(path);
  if (path.ends_with(".zst")) return std::make_unique<ZstdFile>(path);
  return std::make_unique<PlainFile>(path);
}

std::unique_ptr<ByteSource> bytes_of(std::string_view content) {
  return std::make_unique<MemoryBytes>(content);
}

}  // namespace dalaup
