#include "support/support.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

namespace dalaup {

Network network_of(std::string_view edges, bool directed) {
  LineReader lines(bytes_of(edges), "drawn");
  return read_edges(lines, {.directed = directed});
}

LabelSet labels_of(const NetworkPair& networks,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> anchors) {
  LabelSet labels(networks.a.user_count(), networks.b.user_count());
  for (const auto& [a, b] : anchors) {
    const auto conflict = labels.add({networks.a.find(a), networks.b.find(b)}, Label::kAnchor);
    EXPECT_FALSE(conflict) << a << " " << b;
  }
  return labels;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dalaup-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string content_of(const std::string& path) { return read_all(*open_bytes(path)); }

std::string source_folder() { return DALAUP_SOURCE_FOLDER; }
std::string build_folder() { return DALAUP_BUILD_FOLDER; }

std::optional<std::string> real_pair(std::string_view name) {
  const std::string folder = source_folder() + "/../shared/data/" + std::string(name);
  if (!file_exists(folder + "/a.edges")) return std::nullopt;
  return folder;
}

CommandResult run_dalaup(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = build_folder() + "/dalaup " + arguments + " >" + (folder / "out") +
                              " 2>" + (folder / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = content_of(folder / "out"),
          .err = content_of(folder / "err")};
}

}  // namespace dalaup
