#include "aligner/stored_model.h"

#include <fmt/format.h>

#include "aligner/model_format.h"

namespace dalaup {
namespace {

std::string names_of(Side side) { return side == Side::kA ? "a.names" : "b.names"; }

// As load_network would refuse it.
void check_name(const ArchiveFile& file, std::string_view name) {
  constexpr std::string_view kNotInNames("\t\r\n\0", 4);
  if (name.empty() || !is_utf8(name) || name.find_first_of(kNotInNames) != name.npos)
    throw InputError(
        file.path(), 0,
        fmt::format("found {} as the name of a user, expected one line of UTF-8", quoted(name)));
}

UserId users_in(const ArchiveFile& file, Side side) {
  const std::uint64_t count = file.count<std::uint64_t>(names_of(side) + ".sizes");
  if (count > UserNames::kMostUsers)
    throw InputError(file.path(), 0, "found more users than a network can have");
  return static_cast<UserId>(count);
}

}  // namespace

std::unique_ptr<StoredModel> StoredModel::open(const std::string& path) {
  auto file = ArchiveFile::open(path, kModelKind, kModelVersion);
  if (file == nullptr) return nullptr;
  return std::unique_ptr<StoredModel>(new StoredModel(std::move(file)));
}

StoredModel::StoredModel(std::unique_ptr<ArchiveFile> file)
    : file_(std::move(file)),
      users_{users_in(*file_, Side::kA), users_in(*file_, Side::kB)},
      labels_(load_labels(*file_, users_[0], users_[1])) {}

void StoredModel::for_names(Side side, const std::function<void(UserId, std::string_view)>& visit) {
  const auto sizes = file_->values<std::uint64_t>(names_of(side) + ".sizes");
  const auto letters = file_->values<char>(names_of(side));
  std::string_view left(letters.data(), letters.size());
  for (UserId user = 0; user < sizes.size(); ++user) {
    if (sizes[user] > left.size())
      throw InputError(file_->path(), 0, "found names that run past their end");
    const std::string_view name = left.substr(0, sizes[user]);
    check_name(*file_, name);
    visit(user, name);
    left.remove_prefix(sizes[user]);
  }
}

}  // namespace dalaup
