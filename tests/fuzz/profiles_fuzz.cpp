#include "fuzz.h"
#include "study/profiles.h"

// Every profile belongs to a user of the network and has a cell for each column.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static const Network network = [] {
    LineReader lines(bytes_of("a b\nb c\nc d\n"), "a");
    return read_edges(lines, {});
  }();
  const ScratchFile file(".csv", text_of(data, size));
  try {
    Run run;
    const Profiles profiles = read_profiles(file.path(), network, run);
    for (const auto& [user, cells] : profiles.rows)
      if (user >= network.user_count() || cells.size() != profiles.columns.size()) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
