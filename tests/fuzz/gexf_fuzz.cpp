#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dalaup::fuzz_form("x.gexf", dalaup::text_of(data, size));
  return 0;
}
