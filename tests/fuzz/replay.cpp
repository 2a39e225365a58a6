// replay FOLDER COUNT: a fuzz target without libFuzzer, for make test. Runs it on every file of its
// corpus, then on COUNT seeded mutations of these; a finding aborts, or throws.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 8192;

void run_target(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> corpus_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// Some bytes changed, taken out, or replaced by a piece of another input.
std::string mutated(const std::vector<std::string>& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
  std::string input = corpus[below(corpus.size())];
  for (std::size_t change = 1 + below(6); change > 0; --change) {
    const std::size_t at = below(input.size());
    const std::size_t length = std::min(1 + below(8), input.size() - at);
    switch (below(3)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 1:
        input.erase(at, length);
        break;
      default: {
        const std::string& other = corpus[below(corpus.size())];
        const std::size_t from = below(other.size());
        input.replace(at, length, other.substr(from, 1 + below(64)));
      }
    }
  }
  return input.substr(0, kLongest);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: replay FOLDER COUNT\n", stderr);
    return 2;
  }
  const std::vector<std::string> corpus = corpus_in(words[1]);
  for (const std::string& input : corpus) run_target(input);
  if (corpus.empty()) return 1;
  std::mt19937_64 random(1);
  const int inputs = std::atoi(words[2]);
  for (int input = 0; input < inputs; ++input) run_target(mutated(corpus, random));
  std::printf("%zu files and %d mutations of them, no finding\n", corpus.size(), inputs);
}
