#pragma once
// What tests share: tiny networks from words, folders that vanish, the real data when it is there.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

// network_of("alice bob\nbob carol") in the text form of docs/use/files.md.
Network network_of(std::string_view edges, bool directed = false);

// Anchors given as names: labels_of(pair, {{"alice", "x"}}).
LabelSet labels_of(const NetworkPair& networks,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> anchors);

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string content_of(const std::string& path);

// The checkout, and the folder it was built in.
std::string source_folder();
std::string build_folder();

// Folder of a real network pair beside the repository, or nothing. Tests then skip, visibly:
//   const auto folder = real_pair("ppi");  if (!folder) GTEST_SKIP() << kNoRealData;
std::optional<std::string> real_pair(std::string_view name);
inline constexpr const char* kNoRealData = "the real networks are not beside the repository";

// Runs `dalaup ARGUMENTS` through the shell and keeps what it wrote.
struct CommandResult {
  int exit_code;
  std::string out;
  std::string err;
};
CommandResult run_dalaup(const std::string& arguments);

}  // namespace dalaup
