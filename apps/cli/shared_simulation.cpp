#include "cli/shared_simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "communicator/communicator.h"

namespace dalaup {
namespace {

namespace fs = std::filesystem;

// Names of runs, one a line.
std::string runs_in(const std::string& folder) {
  std::string names;
  std::error_code error;
  for (fs::directory_iterator entry(folder + "/state", error); !error && entry != fs::end(entry);
       entry.increment(error))
    if (entry->path().extension() == ".state") names += entry->path().stem().string() + "\n";
  return names;
}

// Where another rank keeps its runs until rank 0 has them.
class OwnFolder {
 public:
  OwnFolder() : path_(fs::temp_directory_path() / fmt::format("dalaup-simulate-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~OwnFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// The names and contents of all runs of a folder.
std::vector<char> packed(const std::string& folder) {
  auto files = nlohmann::json::array();
  for (const auto& entry : fs::directory_iterator(folder + "/state")) {
    const std::string content = read_all(*open_bytes(entry.path().string()));
    files.push_back({entry.path().filename().string(),
                     nlohmann::json::binary({content.begin(), content.end()})});
  }
  const auto bytes = nlohmann::json::to_msgpack(files);
  return {bytes.begin(), bytes.end()};
}

void unpack(std::span<const char> bytes, const std::string& folder) {
  if (bytes.empty()) return;
  for (const auto& file : nlohmann::json::from_msgpack(bytes)) {
    const auto& content = file[1].get_binary();
    write_file(folder + "/state/" + file[0].get<std::string>(),
               {reinterpret_cast<const char*>(content.data()), content.size()});
  }
}

}  // namespace

void share_runs(SimulationInput input, Run& run) {
  Communicator& ranks = communicator_of(run);
  if (ranks.size() == 1) return;
  const std::string folder = input.folder;
  std::string known = ranks.is_first() ? runs_in(folder) : "";
  const auto all = gather_all(ranks, std::vector<char>(known.begin(), known.end()));
  known = "\n" + std::string(all.begin(), all.end());
  input.is_own = [&](std::size_t number, const std::string& name) {
    if (known.find("\n" + name + "\n") != known.npos) return ranks.is_first();
    return number % static_cast<std::size_t>(ranks.size()) ==
           static_cast<std::size_t>(ranks.rank());
  };
  RunOptions without_others = run.options();
  without_others.communicator = nullptr;  // fits are of one rank each
  Run alone(without_others);
  std::vector<char> own;
  if (ranks.is_first()) {
    simulate(input, alone);
  } else {
    const OwnFolder own_folder;
    input.folder = own_folder.path();
    simulate(input, alone);
    own = packed(input.folder);
  }
  visit_in_turn(ranks, std::move(own), [&](std::span<const char> bytes) { unpack(bytes, folder); });
}

}  // namespace dalaup
