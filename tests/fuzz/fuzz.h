#pragma once
// What the fuzz targets share. A target may end in InputError; anything else is a finding.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "networks/networks.h"

namespace dalaup {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A file in memory, for readers that take a path. One per process, so that targets can run at once.
class ScratchFile {
 public:
  ScratchFile(const std::string& ending, std::string_view content)
      : path_("/dev/shm/fuzz-" + std::to_string(getpid()) + ending) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~ScratchFile() { unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Rows are sorted, free of self-loops and duplicates, symmetric; every name is found again.
inline void check_network(const Network& network) {
  for (UserId user = 0; user < network.user_count(); ++user) {
    if (network.find(network.name(user)) != user) std::abort();
    UserId before = kNoUser;
    for (const UserId neighbour : network.neighbours(user)) {
      if (neighbour == user || neighbour >= network.user_count()) std::abort();
      if (before != kNoUser && before >= neighbour) std::abort();
      before = neighbour;
    }
    for (const float weight : network.both().weights_of(user))
      if (!(weight > 0.0F)) std::abort();
  }
}

inline void fuzz_form(const char* name, std::string_view content) {
  for (const bool directed : {false, true}) {
    try {
      Run run;
      check_network(
          read_network(bytes_of(content), name, {.directed = directed, .most_users = 1000}, run));
    } catch (const InputError&) {
    }
  }
}

}  // namespace dalaup
