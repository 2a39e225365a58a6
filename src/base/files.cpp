#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errors.h"
#include "base/line_reader.h"
#include "base/text.h"

namespace dalaup {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The process in TARGET.PROCESS-ATTEMPT.tmp, or beside it SQLite's -journal; 0: another name.
pid_t writer_in(std::string_view name, std::string_view target) {
  constexpr std::string_view kJournal = "-journal";
  if (name.ends_with(kJournal)) name.remove_suffix(kJournal.size());
  if (!name.starts_with(target) || !name.ends_with(".tmp")) return 0;
  name = name.substr(target.size(), name.size() - target.size() - 4);
  const std::size_t dash = name.find('-');
  if (!name.starts_with('.') || dash == name.npos || !parse_whole_number(name.substr(dash + 1)))
    return 0;
  const auto process = parse_whole_number(name.substr(1, dash - 1));
  return process && *process < std::uint64_t{1} << 30 ? static_cast<pid_t>(*process) : 0;
}

// Another machine may write here too: its processes are unknown, but it holds a lock.
bool is_unlocked(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  close(descriptor);
  return is_free;
}

std::string temporary_name(const std::string& target, int attempt) {
  return fmt::format("{}.{}-{}.tmp", target, getpid(), attempt);
}

// What processes that are no more left beside `target`.
void remove_stale_temporaries(const std::string& target) {
  const std::string own_name = std::filesystem::path(target).filename().string();
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_of(target), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    const pid_t process = writer_in(entry->path().filename().string(), own_name);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH && is_unlocked(path))
      unlink(path.c_str());
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  if (path_ == "-") {
    descriptor_ = dup(STDOUT_FILENO);
    if (descriptor_ < 0) fail("cannot be written");
    return;
  }
  std::error_code ignored;
  struct stat about {};
  const bool exists = stat(path_.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    fail("cannot be created");
  }
  if (exists && !S_ISREG(about.st_mode)) {  // a device or pipe must be written, never replaced
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be written");
    return;
  }
  // A link keeps pointing where it did; what it points to is replaced.
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto real = std::filesystem::canonical(path_, ignored);
    if (!ignored) target_ = real.string();
  }
  remove_stale_temporaries(target_);
  const mode_t mode = exists ? about.st_mode & 0777 : 0666;
  for (int attempt = 0; descriptor_ < 0 && attempt < 1000; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot be created");
  }
  flock(descriptor_, LOCK_EX | LOCK_NB);  // for remove_stale_temporaries; not all disks can
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(std::string_view action) const {
  const int reason = errno;
  throw InputError(path_, 0, fmt::format("{} ({})", action, std::strerror(reason)),
                   reason == ENOENT   ? "create the folder first, or name another one"
                   : reason == ENOSPC ? "free some space on the disk and run the command again"
                                      : "");
}

void AtomicFile::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = std::size_t{1} << 16;
  if (bytes.size() >= kBuffer) {
    flush();
    write_through(bytes);
    return;
  }
  buffer_.append(bytes);
  if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void AtomicFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::rewrite_start(std::string_view bytes) {
  flush();
  if (lseek(descriptor_, 0, SEEK_SET) != 0) fail("cannot be written");
  write_through(bytes);
  if (lseek(descriptor_, 0, SEEK_END) < 0) fail("cannot be written");
}

void AtomicFile::commit() {
  flush();
  if (!temporary_.empty() && fsync(descriptor_) != 0 && errno != EINVAL) fail("cannot be written");
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0) fail("cannot be written");
  if (temporary_.empty()) return;  // a device
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
  temporary_.clear();
  // The new name is safe only when its folder is; some file systems cannot say so (EINVAL).
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_safe = folder < 0 || fsync(folder) == 0 || errno == EINVAL;
  if (folder >= 0) close(folder);
  if (!is_safe) fail("cannot be replaced");
}

void write_file(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string read_all(ByteSource& source) {
  std::string content;
  constexpr std::size_t kStep = std::size_t{1} << 18;
  while (true) {
    const std::size_t before = content.size();
    content.resize(before + kStep);
    const std::size_t got = source.read({content.data() + before, kStep});
    content.resize(before + got);
    if (got == 0) return content;
  }
}

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

void create_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw InputError(path, 0, fmt::format("cannot be created as a folder ({})", error.message()));
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

bool LineReader::next(std::string_view& line) {
  while (!next_buffered(line)) {
    if (at_end_) {
      if (begin_ == end_) return false;
      line = take(end_ - begin_, 0);  // a last line without a line end
      return true;
    }
    if (end_ - begin_ > kLongestLine)
      throw InputError(
          name_, line_number_ + 1,
          fmt::format("found a line longer than {} bytes, expected short lines of text",
                      grouped(kLongestLine)),
          "is this a text file with one record a line?");
    searched_ = end_ - begin_;
    if (!refill()) at_end_ = true;
  }
  return true;
}

bool LineReader::next_buffered(std::string_view& line) {
  const char* const from = buffer_.data() + begin_;
  const std::size_t size = end_ - begin_;
  if (size == searched_) return false;
  const auto* const found =
      static_cast<const char*>(std::memchr(from + searched_, '\n', size - searched_));
  if (found == nullptr) return false;
  line = take(static_cast<std::size_t>(found - from), 1);
  return true;
}

std::string_view LineReader::take(std::size_t length, std::size_t line_end) {
  std::string_view line(buffer_.data() + begin_, length);
  begin_ += length + line_end;
  searched_ = 0;
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!plain_) {
    if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    check(line);
  }
  return line;
}

namespace {

// Whether the bytes are ASCII without NUL. Eight at a time: a byte below 1 borrows from its high
// bit, and a byte above 127 has it set.
bool is_plain(std::string_view bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t high_bits = 0;
  for (; end - at >= 8; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    high_bits |= word | (word - kOnes);
  }
  for (; at < end; ++at) high_bits |= static_cast<signed char>(*at) <= 0 ? kOnes << 7 : 0;
  return (high_bits & (kOnes << 7)) == 0;
}

}  // namespace

bool LineReader::refill() {
  // Grows to what large files want; small ones are most.
  const std::size_t step =
      std::clamp(2 * buffer_.size(), std::size_t{1} << 12, std::size_t{1} << 16);
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == 0) plain_ = true;
  if (buffer_.size() < end_ + step + kReadableBeyond) buffer_.resize(end_ + step + kReadableBeyond);
  const std::size_t got = source_->read({buffer_.data() + end_, step});
  if (!is_plain({buffer_.data() + end_, got})) plain_ = false;
  end_ += got;
  return got > 0;
}

void LineReader::check(std::string_view line) const {
  if (line.find('\0') != std::string_view::npos)
    throw InputError(name_, line_number_, "found a NUL byte, expected UTF-8 text",
                     "a binary or UTF-16 file? convert it to UTF-8 first, for example with iconv");
  if (!is_utf8(line))
    throw InputError(
        name_, line_number_,
        fmt::format("found bytes that are not UTF-8 in {}, expected UTF-8 text", quoted(line)),
        "convert the file first, for example with iconv -f latin1 -t utf-8");
}

}  // namespace dalaup
