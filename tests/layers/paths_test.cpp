#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/support.h"

// Comments and documents name files of this repository: each must be there.
namespace dalaup {
namespace {

namespace fs = std::filesystem;

// "docs/use/files.md", with a name and an ending; NAME stands for any.
std::vector<std::string> paths_in(const std::string& line) {
  static const std::regex pattern(
      R"((^|[^\w/.-])((docs|src|tests|bench|tools|apps|examples|experiments|cmake)/[\w./-]*\.(md|h|cpp|py|sh|ts|toml|cmake|json|html|css))($|[^\w/-]))");
  std::vector<std::string> paths;
  for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match)
    if (const std::string path = (*match)[2]; path.find("NAME") == std::string::npos)
      paths.push_back(path);
  return paths;
}

// Of sources the comments, of documents everything.
std::string words_of(const std::string& line, const fs::path& file) {
  const auto ending = file.extension();
  if (ending == ".md") return line;
  const std::size_t comment = line.find(ending == ".cpp" || ending == ".h" ? "//" : "#");
  return comment == std::string::npos ? std::string() : line.substr(comment);
}

bool is_read(const fs::path& file) {
  static const std::set<std::string> endings{".md", ".cpp", ".h", ".txt", ".cmake", ".py"};
  return endings.contains(file.extension()) &&
         file.string().find("node_modules") == std::string::npos &&
         file.string().find("/samples/") == std::string::npos &&
         file.string().find("/corpus/") == std::string::npos;
}

TEST(Paths, NamedInCommentsAndDocumentsAreThere) {
  const fs::path top = source_folder();
  std::size_t count = 0;
  const auto check = [&](const fs::path& path) {
    std::ifstream file(path);
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      for (const std::string& named : paths_in(words_of(line, path))) {
        ++count;
        EXPECT_TRUE(fs::exists(top / named))
            << path.string() << ":" << number << " names " << named << ", which is not there";
      }
    }
  };
  for (const char* const folder :
       {"src", "apps", "include", "tests", "bench", "docs", "cmake", "experiments", "examples"})
    for (auto entry = fs::recursive_directory_iterator(top / folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      if (entry->path().filename() == "node_modules")
        entry.disable_recursion_pending();
      else if (entry->is_regular_file() && is_read(entry->path()))
        check(entry->path());
    }
  for (const char* const file : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"})
    check(top / file);
  EXPECT_GT(count, 50U);
}

TEST(Paths, AreFoundInsideSentencesAndBrackets) {
  EXPECT_EQ(paths_in("see docs/use/files.md. (src/base/base.h)"),
            (std::vector<std::string>{"docs/use/files.md", "src/base/base.h"}));
  EXPECT_TRUE(paths_in("`src/NAME/NAME.h` and ../shared/docs.md").empty());
}

}  // namespace
}  // namespace dalaup
