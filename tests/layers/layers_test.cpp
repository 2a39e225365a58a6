#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/support.h"

// The declared dependencies (add_module in src/modules.cmake) against the #include lines.
namespace dalaup {
namespace {

namespace fs = std::filesystem;
using Modules = std::map<std::string, std::set<std::string>>;

Modules declared(const std::string& list) {
  Modules modules;
  std::ifstream file(build_folder() + "/" + list);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(line.find(':') + 1));
    auto& depends = modules[line.substr(0, line.find(':'))];
    for (std::string word; words >> word;) depends.insert(word);
  }
  return modules;
}

struct Include {
  std::string file;
  std::string path;  // what stands between the quotes
};

// Of the folder itself: one inside it is a module of its own.
std::vector<Include> includes_in(const fs::path& folder) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::vector<Include> includes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, pattern))
        includes.push_back({entry.path().string(), match[1]});
  }
  return includes;
}

// "methods/aup/aup.h" is in the module methods/aup, "labels/labels.h" in labels.
std::string module_of(const std::string& path, const Modules& modules) {
  for (std::string folder = fs::path(path).parent_path(); !folder.empty();
       folder = fs::path(folder).parent_path())
    if (modules.contains(folder)) return folder;
  return path.substr(0, path.find('/'));
}

std::string front_door(const std::string& module) {
  return module + "/" + fs::path(module).filename().string() + ".h";
}

// Every fault of one folder, in words.
std::vector<std::string> faults(const fs::path& folder, const std::string& name,
                                const std::set<std::string>& depends, const Modules& modules) {
  std::vector<std::string> found;
  for (const auto& [file, path] : includes_in(folder)) {
    const std::string module = module_of(path, modules);
    if (module == name) continue;
    if (!modules.contains(module))
      found.push_back(file + " includes \"" + path + "\", which is in no module");
    else if (!depends.contains(module))
      found.push_back(file + " includes \"" + path + "\", but " + name + " does not declare " +
                      module);
    else if (path != front_door(module))
      found.push_back(file + " includes \"" + path + "\", a private header of " + module);
  }
  return found;
}

TEST(Layers, EveryModuleIncludesOnlyFrontDoorsItDeclares) {
  const Modules modules = declared("modules.txt");
  ASSERT_FALSE(modules.empty());
  for (const auto& [name, depends] : modules)
    for (const auto& fault :
         faults(fs::path(source_folder()) / "src" / name, name, depends, modules))
      ADD_FAILURE() << fault;
}

TEST(Layers, EveryApplicationIncludesOnlyFrontDoorsItDeclares) {
  const Modules applications = declared("applications.txt");
  Modules modules = declared("modules.txt");
  modules.insert(applications.begin(), applications.end());  // cli shows what web serves
  for (const auto& [name, depends] : applications)
    for (const auto& fault :
         faults(fs::path(source_folder()) / "apps" / name, name, depends, modules))
      ADD_FAILURE() << fault;
}

TEST(Layers, EveryFolderOfSourcesIsADeclaredModuleWithAFrontDoor) {
  const Modules modules = declared("modules.txt");
  const fs::path sources = fs::path(source_folder()) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    if (!entry.is_directory()) continue;
    const std::string name = fs::relative(entry.path(), sources);
    EXPECT_TRUE(modules.contains(name)) << name << " is not declared in src/modules.cmake";
    EXPECT_TRUE(fs::exists(sources / front_door(name))) << name << " has no front door";
  }
}

TEST(Layers, DependenciesFormNoCycle) {
  const Modules modules = declared("modules.txt");
  std::map<std::string, int> state;  // 1 while being visited, 2 when done
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    ASSERT_NE(state[name], 1) << "cycle through " << name;
    if (state[name] == 2) return;
    state[name] = 1;
    ASSERT_TRUE(modules.contains(name)) << name << " is not a module";
    for (const auto& depend : modules.at(name)) visit(depend);
    state[name] = 2;
  };
  for (const auto& [name, depends] : modules) visit(name);
}

// Two types of one name are not reported by the linker; it takes the functions of either.
TEST(Layers, NoTwoHeadersDefineTheSameType) {
  static const std::regex pattern(
      R"(^(?:struct|class|enum class) (\w+)\s*(?:final\s*)?(?::(?!:)|\{))");
  std::map<std::string, std::string> header_of;
  for (const char* const folder : {"src", "apps"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      std::smatch match;
      for (std::string line; std::getline(file, line);) {
        if (!std::regex_search(line, match, pattern)) continue;
        const auto [first, is_new] = header_of.emplace(match[1], entry.path());
        EXPECT_TRUE(is_new) << match[1] << " is defined in " << first->second << " and "
                            << entry.path();
      }
    }
  EXPECT_TRUE(header_of.contains("Network"));
}

// One name, one meaning: a reader who looks for "evidence" finds one file and its header.
TEST(Layers, NoTwoFoldersHaveAFileOfOneName) {
  std::map<std::string, fs::path> folder_of;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / "src")) {
    const auto ending = entry.path().extension();
    if (ending != ".h" && ending != ".cpp") continue;
    const fs::path folder = entry.path().parent_path();
    const auto [known, is_new] = folder_of.emplace(entry.path().stem(), folder);
    EXPECT_EQ(known->second, folder) << entry.path().filename() << " is in both";
  }
  EXPECT_TRUE(folder_of.contains("network"));
}

TEST(Layers, TheCheckFindsUndeclaredAndPrivateIncludes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "x.cpp") << "#include \"base/base.h\"\n#include \"labels/labels.h\"\n"
                                     "#include \"networks/reader.h\"\n#include \"nowhere/a.h\"\n";
  const Modules modules{{"base", {}}, {"networks", {}}, {"labels", {}}, {"x", {}}};
  EXPECT_EQ(faults(folder.path(), "x", {"base", "networks"}, modules).size(), 3U);
}

}  // namespace
}  // namespace dalaup
