#include "base/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <utility>

#include "base/archive_format.h"
#include "base/files.h"

namespace dalaup {
namespace {

using namespace archive_format;

template <class T>
void append_value(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string entry_head(const std::string& name, std::uint32_t element_size, std::uint64_t size) {
  std::string head;
  append_value(head, static_cast<std::uint32_t>(name.size()));
  append_value(head, element_size);
  append_value(head, size);
  return head += name;
}

std::string header_of(std::string_view kind, std::uint32_t version, std::uint64_t entries) {
  std::string header(kMagic);
  header.append(kind.substr(0, kKindSize));
  header.resize(kMagic.size() + kKindSize, '\0');
  append_value(header, version);
  append_value(header, entries);
  return header;
}

}  // namespace

ArchiveWriter::ArchiveWriter(Keeps keeps) : keeps_(keeps) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;
ArchiveWriter& ArchiveWriter::operator=(ArchiveWriter&&) noexcept = default;

ArchiveWriter::ArchiveWriter(const std::string& path, std::string_view kind, std::uint32_t version)
    : file_(std::make_unique<AtomicFile>(path)), kind_(kind), version_(version) {
  if (file_->can_rewrite()) file_->write(header_of(kind_, version_, 0));  // the count comes last
}

void ArchiveWriter::begin(const std::string& name, std::uint32_t element_size, std::uint64_t size) {
  append(entry_head(name, element_size, size));
  ++entries_;
}

void ArchiveWriter::append(std::string_view bytes) {
  if (keeps_ == Keeps::kNothing) return;
  if (file_ != nullptr && file_->can_rewrite())
    file_->write(bytes);
  else
    body_.append(bytes);
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kBlockSize - block_size_);
    bytes.remove_prefix(part.size());
    block_checksum_ = checksum(part, block_checksum_);
    block_size_ += part.size();
    if (block_size_ < kBlockSize) continue;
    block_checksums_.push_back(std::exchange(block_checksum_, 0));
    block_size_ = 0;
  }
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

std::string ArchiveWriter::end_after(std::string_view header) const {
  std::vector<std::uint32_t> blocks = block_checksums_;
  if (block_size_ > 0) blocks.push_back(block_checksum_);
  std::string end =
      entry_head(kBlocksName, sizeof(std::uint32_t), blocks.size() * sizeof(blocks[0]));
  end.append(reinterpret_cast<const char*>(blocks.data()), blocks.size() * sizeof(blocks[0]));
  const std::uint64_t last = block_size_ > 0 ? block_size_ : kBlockSize;
  append_value(end, checksum_of_blocks(header, blocks, last, end));
  return end;
}

void ArchiveWriter::commit() {
  const std::string header = header_of(kind_, version_, entries_ + 1);
  if (!file_->can_rewrite()) file_->write(header);
  file_->write(body_);
  file_->write(end_after(header));
  if (file_->can_rewrite()) file_->rewrite_start(header);
  file_->commit();
}

std::string ArchiveWriter::to_bytes(std::string_view kind, std::uint32_t version) const {
  const std::string header = header_of(kind, version, entries_ + 1);
  return header + body_ + end_after(header);
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
