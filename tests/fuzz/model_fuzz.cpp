#include "byte_feed.h"
#include "fuzz.h"
#include "models/model_support.h"
#include "support/archive_parts.h"

// A model of one of the methods with some entries changed behind a right checksum: loading it and
// asking it everything ends in an error in words or in an answer.
namespace dalaup {
namespace {

std::vector<ArchiveParts> small_models() {
  std::vector<ArchiveParts> models;
  for (const MethodAndSettings& which : kSmallMethods) {
    const ScratchFile file(".dalaup", "");
    Run run({.threads = 1});
    save_small_model(which, file.path(), run);
    models.push_back(archive_parts(read_all(*open_bytes(file.path()))));
  }
  return models;
}

void change(ArchivePart& part, ByteFeed& feed) {
  switch (feed.take<std::uint8_t>() % 6) {
    case 0:  // one value, at its place
    case 1: {
      const auto value = feed.take<std::uint64_t>();
      const std::size_t size = std::min<std::size_t>(part.element_size, sizeof(value));
      if (size == 0 || part.bytes.size() < size) return;
      const std::size_t place = feed.below(part.bytes.size() / size) * size;
      std::memcpy(part.bytes.data() + place, &value, size);
      return;
    }
    case 2:
      part.bytes.resize(feed.below(2 * part.bytes.size() + 2));
      return;
    case 3:
      part.bytes = feed.text();
      return;
    case 4:
      part.element_size = feed.take<std::uint8_t>();
      return;
    default:
      part.name = feed.text();
  }
}

}  // namespace
}  // namespace dalaup

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static const std::vector<ArchiveParts> models = small_models();
  ByteFeed feed(data, size);
  ArchiveParts archive = models[feed.take<std::uint8_t>() % models.size()];
  for (int changes = 0; changes < 8 && !feed.is_empty(); ++changes)
    change(archive.parts[feed.take<std::uint8_t>() % archive.parts.size()], feed);
  const ScratchFile file(".dalaup", archive_of(archive));
  try {
    const Model model = load_model(file.path(), all_methods());
    Run run({.threads = 1});
    use_model(*model.aligner, run);
  } catch (const Error&) {
  }
  return 0;
}
