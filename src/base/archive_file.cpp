#include "base/archive_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/archive_format.h"
#include "base/errors.h"

namespace dalaup {

using namespace archive_format;

std::uint32_t archive_format::checksum(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib begins anew at a null pointer
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t archive_format::checksum_of_blocks(std::string_view header,
                                                 std::span<const std::uint32_t> blocks,
                                                 std::uint64_t last_block_size,
                                                 std::string_view end) {
  uLong sum = checksum(header);
  for (std::size_t block = 0; block < blocks.size(); ++block)
    sum = crc32_combine(
        sum, blocks[block],
        static_cast<z_off_t>(block + 1 < blocks.size() ? kBlockSize : last_block_size));
  return checksum(end, static_cast<std::uint32_t>(sum));
}

std::unique_ptr<ArchiveFile> ArchiveFile::open(const std::string& path, std::string_view kind,
                                               std::uint32_t newest_version) {
  std::unique_ptr<ArchiveFile> file(new ArchiveFile(path));
  struct stat about {};  // before it is opened: that would begin to read a pipe
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return nullptr;
  file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file->descriptor_ < 0 || !file->read_entries(kind, newest_version)) return nullptr;
  return file;
}

ArchiveFile::~ArchiveFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ArchiveFile::read_at(std::uint64_t place, std::uint64_t size, char* to) const {
  while (size > 0) {
    const ssize_t got = pread(descriptor_, to, size, static_cast<off_t>(place));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    place += static_cast<std::uint64_t>(got);
    size -= static_cast<std::uint64_t>(got);
  }
  return true;
}

// Entries are walked before their checksums are known: nothing is believed until the checksum of
// the whole file, made of those of its blocks, fits.
bool ArchiveFile::read_entries(std::string_view kind, std::uint32_t newest_version) {
  struct stat about {};
  if (fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  constexpr std::size_t kEntryHead = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
  std::string header(kHeaderSize, '\0');
  if (size < kHeaderSize + sizeof(std::uint32_t) || !read_at(0, kHeaderSize, header.data()))
    return false;
  std::string expected(kMagic);
  expected.append(kind.substr(0, kKindSize));
  expected.resize(kMagic.size() + kKindSize, '\0');
  Cursor cursor{std::string_view(header).substr(expected.size())};
  std::uint32_t version = 0;
  std::uint64_t entry_count = 0;
  cursor.take(version);
  cursor.take(entry_count);
  if (!header.starts_with(expected) || version > newest_version) return false;

  const std::uint64_t end = size - sizeof(std::uint32_t);  // of the last entry
  std::uint64_t place = kHeaderSize;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> heads;  // begin and end
  std::string last_name;
  for (std::uint64_t i = 0; i < entry_count; ++i) {
    char head[kEntryHead];
    if (end - place < kEntryHead || !read_at(place, kEntryHead, head)) return false;
    Cursor values{{head, kEntryHead}};
    std::uint32_t name_size = 0;
    Entry found;
    values.take(name_size);
    values.take(found.element_size);
    values.take(found.size);
    const std::uint64_t begin = place - kHeaderSize;
    place += kEntryHead;
    if (end - place < name_size) return false;
    last_name.resize(name_size);
    if (!read_at(place, name_size, last_name.data())) return false;
    place += name_size;
    if (end - place < found.size) return false;
    found.begin = place - kHeaderSize;
    heads.emplace_back(begin, found.begin);
    place += found.size;
    entries_[last_name] = std::move(found);
  }
  if (place != end || last_name != kBlocksName) return false;

  body_size_ = heads.back().first;
  const Entry table = entries_.at(kBlocksName);
  entries_.erase(kBlocksName);
  const std::uint64_t blocks = (body_size_ + kBlockSize - 1) / kBlockSize;
  if (table.element_size != sizeof(std::uint32_t) || table.size != blocks * sizeof(std::uint32_t))
    return false;
  std::string tail(size - kHeaderSize - body_size_, '\0');
  if (!read_at(kHeaderSize + body_size_, tail.size(), tail.data())) return false;
  blocks_.resize(blocks);
  if (blocks == 0) return false;
  std::memcpy(blocks_.data(), tail.data() + (table.begin - body_size_), table.size);
  std::uint32_t stored = 0;
  std::memcpy(&stored, tail.data() + tail.size() - sizeof(stored), sizeof(stored));
  const std::uint64_t last = body_size_ % kBlockSize == 0 ? kBlockSize : body_size_ % kBlockSize;
  tail.resize(tail.size() - sizeof(stored));
  if (checksum_of_blocks(header, blocks_, last, tail) != stored) return false;
  heads.pop_back();
  std::string bytes;
  try {                         // the heads are right where their blocks are
    std::uint64_t checked = 0;  // blocks
    for (const auto& [begin, behind] : heads)
      for (std::uint64_t block = std::max(checked, begin / kBlockSize);
           block <= (behind - 1) / kBlockSize; ++block) {
        read_block(block, bytes);
        checked = block + 1;
      }
  } catch (const InputError&) {
    return false;
  }
  return true;
}

const ArchiveFile::Entry& ArchiveFile::entry(const std::string& name,
                                             std::uint32_t element_size) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    throw InputError(path_, 0, fmt::format("found no entry \"{}\", expected one", name));
  if (found->second.element_size != element_size || found->second.size % element_size != 0)
    throw InputError(path_, 0, fmt::format("found entry \"{}\" of another type", name));
  return found->second;
}

void ArchiveFile::check_part(const std::string& name, std::uint64_t first, std::uint64_t number,
                             std::uint64_t count) const {
  if (first > count || number > count - first)
    throw InputError(path_, 0, fmt::format("entry \"{}\" runs past its end", name));
}

void ArchiveFile::read_block(std::uint64_t block, std::string& bytes) const {
  const std::uint64_t begin = block * kBlockSize;
  bytes.resize(std::min(kBlockSize, body_size_ - begin));
  if (!read_at(kHeaderSize + begin, bytes.size(), bytes.data()) ||
      checksum(bytes) != blocks_[block])
    throw InputError(path_, 0, "found a truncated or damaged file (its checksum does not fit)",
                     "copy the file again, or make it anew");
}

void ArchiveFile::read(const Entry& from, std::uint64_t first, std::uint64_t size, char* to) {
  std::uint64_t place = from.begin + first;
  while (size > 0) {
    const std::uint64_t block = place / kBlockSize;
    if (from.block != block) {
      from.block = Entry::kNoBlock;
      read_block(block, from.bytes);
      from.block = block;
    }
    const std::uint64_t offset = place % kBlockSize;
    const std::uint64_t taken = std::min<std::uint64_t>(size, from.bytes.size() - offset);
    std::memcpy(to, from.bytes.data() + offset, taken);
    to += taken;
    place += taken;
    size -= taken;
  }
}

std::string ArchiveFile::text(const std::string& name) {
  const auto letters = values<char>(name);
  return {letters.begin(), letters.end()};
}

double ArchiveFile::number(const std::string& name) {
  const auto found = values<double>(name);
  if (found.size() != 1 || !std::isfinite(found[0]))
    throw InputError(path_, 0, fmt::format("entry \"{}\" is not one finite number", name));
  return found[0];
}

std::int64_t ArchiveFile::whole_number(const std::string& name) {
  const auto found = values<std::int64_t>(name);
  if (found.size() != 1)
    throw InputError(path_, 0, fmt::format("entry \"{}\" is not one number", name));
  return found[0];
}

}  // namespace dalaup
