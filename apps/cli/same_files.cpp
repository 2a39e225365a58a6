#include "cli/same_files.h"

#include <filesystem>
#include <fstream>

#include "communicator/communicator.h"

namespace dalaup {
namespace {

std::uint64_t digest_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;  // whoever reads it says why
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 20U);
  std::uint64_t digest = 1;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    digest = digest_of({buffer.data(), static_cast<std::size_t>(file.gcount())}, digest);
  return digest;
}

}  // namespace

void require_same_files(const std::vector<std::string>& paths, const Run& run) {
  Communicator& communicator = communicator_of(run);
  if (communicator.size() == 1) return;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (path == "-" || std::filesystem::is_fifo(path))
      throw InputError(path, 0, "found a pipe, expected a file that every rank can read",
                       "write it to a file first");
    require_same(communicator, path, digest_of_file(path),
                 "copy the inputs to all machines, or to a folder they share");
  }
}

}  // namespace dalaup
