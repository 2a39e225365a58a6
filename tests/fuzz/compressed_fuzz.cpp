#include "fuzz.h"

// The first byte chooses gzip or zstd, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  if (size == 0) return 0;
  const ScratchFile file(data[0] % 2 == 0 ? ".gz" : ".zst", text_of(data + 1, size - 1));
  try {
    const auto source = open_bytes(file.path());
    std::vector<char> buffer(4096);
    std::size_t total = 0;
    while (total < 10'000'000) {
      const std::size_t got = source->read(buffer);
      if (got == 0) break;
      total += got;
    }
  } catch (const InputError&) {
  }
  return 0;
}
