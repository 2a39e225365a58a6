#include "base/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>

#include "base/files.h"

namespace dalaup {
namespace {

constexpr std::string_view kMagic = "DALAUP";
constexpr std::size_t kKindSize = 10;
constexpr std::size_t kHeaderSize =
    kMagic.size() + kKindSize + sizeof(std::uint32_t) + sizeof(std::uint64_t);

template <class T>
void append_value(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

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

std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ArchiveWriter::ArchiveWriter(Keeps keeps) : keeps_(keeps) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;
ArchiveWriter& ArchiveWriter::operator=(ArchiveWriter&&) noexcept = default;

ArchiveWriter::ArchiveWriter(const std::string& path, std::string_view kind, std::uint32_t version)
    : file_(std::make_unique<AtomicFile>(path)), kind_(kind), version_(version) {
  if (file_->can_rewrite()) file_->write(header_of(kind_, version_));  // the count comes last
}

void ArchiveWriter::begin(const std::string& name, std::uint32_t element_size, std::uint64_t size) {
  std::string head;
  append_value(head, static_cast<std::uint32_t>(name.size()));
  append_value(head, element_size);
  append_value(head, size);
  append(head += name);
  ++entries_;
}

void ArchiveWriter::append(std::string_view bytes) {
  if (keeps_ == Keeps::kNothing || bytes.empty()) return;  // zlib begins anew at a null pointer
  body_checksum_ = checksum(bytes, body_checksum_);
  body_size_ += bytes.size();
  if (file_ != nullptr && file_->can_rewrite())
    file_->write(bytes);
  else
    body_.append(bytes);
}

void ArchiveWriter::add(const std::string& name, std::uint32_t element_size,
                        std::string_view bytes) {
  begin(name, element_size, bytes.size());
  append(bytes);
}

void ArchiveWriter::put(const std::string& name, std::string_view text) { add(name, 1, text); }

void ArchiveWriter::put(const std::string& name, double value) {
  put(name, std::span<const double>(&value, 1));
}

void ArchiveWriter::put(const std::string& name, std::int64_t value) {
  put(name, std::span<const std::int64_t>(&value, 1));
}

void ArchiveWriter::put_table(const std::string& name, std::int64_t rows, std::int64_t columns,
                              std::span<const float> values) {
  const std::int64_t shape[2] = {rows, columns};
  put(name + ".shape", std::span<const std::int64_t>(shape));
  put(name, values);
}

std::string ArchiveWriter::header_of(std::string_view kind, std::uint32_t version) const {
  std::string header(kMagic);
  header.append(kind.substr(0, kKindSize));
  header.resize(kMagic.size() + kKindSize, '\0');
  append_value(header, version);
  append_value(header, entries_);
  return header;
}

std::uint32_t ArchiveWriter::checksum_after(std::string_view header) const {
  return static_cast<std::uint32_t>(
      crc32_combine(checksum(header), body_checksum_, static_cast<z_off_t>(body_size_)));
}

void ArchiveWriter::commit() {
  const std::string header = header_of(kind_, version_);
  const std::uint32_t sum = checksum_after(header);
  if (!file_->can_rewrite()) file_->write(header);
  file_->write(body_);
  file_->write({reinterpret_cast<const char*>(&sum), sizeof(sum)});
  if (file_->can_rewrite()) file_->rewrite_start(header);
  file_->commit();
}

std::string ArchiveWriter::to_bytes(std::string_view kind, std::uint32_t version) const {
  std::string bytes = header_of(kind, version);
  const std::uint32_t sum = checksum_after(bytes);
  bytes += body_;
  append_value(bytes, sum);
  return bytes;
}

ArchiveReader::ArchiveReader(const std::string& path, std::string_view kind,
                             std::uint32_t newest_version)
    : ArchiveReader(read_all(*open_bytes(path)), path, kind, newest_version) {}

ArchiveReader::ArchiveReader(std::string content, std::string path_or_name, std::string_view kind,
                             std::uint32_t newest_version)
    : path_(std::move(path_or_name)), content_(std::move(content)) {
  const std::string& path = path_;
  const std::string_view all = content_;
  if (!all.starts_with(kMagic))
    throw InputError(path, 0,
                     fmt::format("found a file of another program, expected a dalaup {}", kind),
                     fmt::format("dalaup writes {} files itself", kind));
  if (all.size() < kHeaderSize + sizeof(std::uint32_t))
    throw InputError(path, 0, "found a truncated file, expected a whole one",
                     "copy the file again, or make it anew");
  std::string expected_kind(kind.substr(0, kKindSize));
  expected_kind.resize(kKindSize, '\0');
  const std::string_view found_kind = all.substr(kMagic.size(), kKindSize);
  if (found_kind != expected_kind)
    throw InputError(path, 0,
                     fmt::format("found a dalaup {}, expected a dalaup {}",
                                 found_kind.substr(0, found_kind.find('\0')), kind));
  Cursor cursor{all.substr(kMagic.size() + kKindSize)};
  std::uint64_t entry_count = 0;
  cursor.take(version_);
  cursor.take(entry_count);
  if (version_ > newest_version)
    throw InputError(
        path, 0,
        fmt::format("found format version {}, expected {} or older", version_, newest_version),
        "the file was written by a newer dalaup; update this one");
  const std::string_view body = all.substr(0, all.size() - sizeof(std::uint32_t));
  std::uint32_t stored = 0;
  std::memcpy(&stored, all.data() + body.size(), sizeof(stored));
  if (checksum(body) != stored)
    throw InputError(path, 0, "found a truncated or damaged file (its checksum does not fit)",
                     "copy the file again, or make it anew");
  cursor.left = body.substr(kHeaderSize);
  for (std::uint64_t i = 0; i < entry_count; ++i) {
    std::uint32_t name_size = 0;
    Entry entry{};
    std::uint64_t size = 0;
    std::string_view name;
    if (!cursor.take(name_size) || !cursor.take(entry.element_size) || !cursor.take(size) ||
        !cursor.take(name, name_size) || !cursor.take(entry.bytes, size))
      throw InputError(path, 0, "found an entry that runs past the end of the file");
    entries_[std::string(name)] = entry;
  }
}

std::string_view ArchiveReader::entry(const std::string& name, std::uint32_t element_size) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    throw InputError(path_, 0, fmt::format("found no entry \"{}\", expected one", name),
                     "the file was written by another version of dalaup");
  if (found->second.element_size != element_size || found->second.bytes.size() % element_size != 0)
    throw InputError(path_, 0, fmt::format("found entry \"{}\" of another type", name));
  return found->second.bytes;
}

std::string ArchiveReader::text(const std::string& name) const {
  return std::string(entry(name, 1));
}

double ArchiveReader::number(const std::string& name) const {
  const auto found = values<double>(name);
  if (found.size() != 1 || !std::isfinite(found[0]))
    throw InputError(path_, 0, fmt::format("entry \"{}\" is not one finite number", name));
  return found[0];
}

std::int64_t ArchiveReader::whole_number(const std::string& name) const {
  const auto found = values<std::int64_t>(name);
  if (found.size() != 1)
    throw InputError(path_, 0, fmt::format("entry \"{}\" is not one number", name));
  return found[0];
}

ArchiveReader::Table ArchiveReader::table(const std::string& name) const {
  const auto shape = values<std::int64_t>(name + ".shape");
  const std::string_view bytes = entry(name, sizeof(float));
  const auto floats = static_cast<std::int64_t>(bytes.size() / sizeof(float));
  // Divided, not multiplied: the product of two crafted numbers may overflow.
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0 ||
      (shape[0] == 0 || shape[1] == 0 ? floats != 0
                                      : floats % shape[0] != 0 || floats / shape[0] != shape[1]))
    throw InputError(path_, 0,
                     fmt::format("entry \"{}\" has a size that does not fit its shape", name));
  return {shape[0], shape[1], bytes};
}

std::vector<std::string> ArchiveReader::strings(const std::string& name) const {
  std::string_view joined = entry(name, 1);
  std::vector<std::string> texts;
  for (const std::uint64_t size : values<std::uint64_t>(name + ".sizes")) {
    if (size > joined.size())
      throw InputError(path_, 0, fmt::format("entry \"{}\" runs past its end", name));
    texts.emplace_back(joined.substr(0, size));
    joined.remove_prefix(size);
  }
  return texts;
}

}  // namespace dalaup
