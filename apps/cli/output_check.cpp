#include "cli/output_check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/base.h"

namespace dalaup {
namespace {

namespace fs = std::filesystem;

struct OutputOption {
  std::string_view command;
  std::string_view option;
};
// A new output belongs in this list.
constexpr std::array<OutputOption, 16> kOutputs{{{"context", "out"},
                                                 {"train", "model"},
                                                 {"train", "checkpoint"},
                                                 {"predict", "out"},
                                                 {"predict", "matching"},
                                                 {"predict", "unmatched"},
                                                 {"embed", "out-a"},
                                                 {"embed", "out-b"},
                                                 {"export", "labels"},
                                                 {"export", "ranked"},
                                                 {"export", "matching"},
                                                 {"export", "unmatched"},
                                                 {"export", "report"},
                                                 {"split", "labels"},
                                                 {"split", "rest"},
                                                 {"backup", "FILE"}}};

struct Given {
  std::string option;
  std::string path;
  bool is_output = false;
  std::string words() const {
    const bool is_positional = option.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 0;
    return fmt::format("{}{} {}", is_positional ? "" : "--", option, path);
  }
};

std::vector<Given> given_to(const CLI::App& command) {
  std::vector<Given> all;
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name =
        option->get_lnames().empty() ? option->get_name() : option->get_lnames().front();
    const bool is_output = std::ranges::any_of(kOutputs, [&](const OutputOption& output) {
      return output.command == command.get_name() && output.option == name;
    });
    for (const std::string& value : option->results()) all.push_back({name, value, is_output});
  }
  return all;
}

bool is_one_file(const std::string& first, const std::string& second) {
  std::error_code error;
  if (fs::equivalent(first, second, error)) return fs::is_regular_file(first, error);
  const fs::path one = fs::weakly_canonical(first, error);
  return !error && one == fs::weakly_canonical(second, error) && !error;
}

enum class Kind { kOther, kStudy, kModel, kCheckpoint };
Kind kind_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return Kind::kOther;
  std::array<char, 72> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), bytes.size());
  if (head.starts_with("DALAUPcheckpoint")) return Kind::kCheckpoint;
  if (head.starts_with("DALAUP")) return Kind::kModel;
  const bool is_study = head.starts_with("SQLite format 3") && head.substr(68, 4) == "DALU";
  return is_study ? Kind::kStudy : Kind::kOther;
}

void check_one(const Given& output, const std::vector<Given>& all) {
  for (const Given& other : all) {
    if (&other == &output) continue;
    // SQLite's log belongs to its study.
    for (const char* const ending : {"", "-wal", "-shm"})
      if (is_one_file(output.path, other.path + ending) && (!*ending || !other.is_output))
        throw ParameterError(fmt::format("{} is the same file as {}, expected another name",
                                         output.words(), other.words()),
                             other.is_output ? "each output needs a file of its own"
                                             : "it would be overwritten while it is needed");
  }
  const Kind kind = kind_of(output.path);
  if (kind == Kind::kStudy)
    throw ParameterError(output.words() + " is a study, expected another name",
                         "its answers would be lost; delete it yourself if it is not needed");
  if (kind == Kind::kModel && output.option != "model")
    throw ParameterError(output.words() + " is a model, expected another name",
                         "delete it yourself if it is not needed");
  if (kind == Kind::kCheckpoint && output.option != "checkpoint")
    throw ParameterError(output.words() + " is a checkpoint, expected another name",
                         "delete it yourself if it is not needed");
}

}  // namespace

void check_outputs(const CLI::App& command) {
  std::vector<Given> all = given_to(command);
  // A model that learns on may replace itself: it is written whole, beside the old one.
  std::erase_if(all, [](const Given& one) { return one.option == "from"; });
  for (const Given& one : all)
    if (one.is_output) check_one(one, all);
}

}  // namespace dalaup
