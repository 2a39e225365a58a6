#include <zlib.h>

#include "fuzz.h"
#include "labels/labels.h"

// The checksum is put right first: otherwise nothing behind it would ever be reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  std::string content(text_of(data, size));
  if (content.size() > 4) {
    const std::size_t body = content.size() - 4;
    const auto sum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), body));
    content.replace(body, 4, reinterpret_cast<const char*>(&sum), 4);
  }
  const ScratchFile file(".dalaup", content);
  try {
    const ArchiveReader archive(file.path(), "model", 1);
    const NetworkPair networks{load_network(archive, "a"), load_network(archive, "b")};
    check_network(networks.a);
    check_network(networks.b);
    load_labels(archive, networks);
    archive.table("matrix");
  } catch (const InputError&) {
  }
  return 0;
}
