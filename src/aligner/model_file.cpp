#include <fmt/format.h>

#include "aligner/aligner.h"
#include "communicator/communicator.h"

namespace dalaup {
namespace {

constexpr std::string_view kKind = "model";
constexpr std::uint32_t kVersion = 1;

ArchiveWriter archive_of(const Aligner& aligner,
                         ArchiveWriter::Keeps keeps = ArchiveWriter::Keeps::kEverything) {
  ArchiveWriter archive(keeps);
  archive.put("method", aligner.method());
  archive.put("settings", aligner.settings().to_json());
  save_network(archive, "a", aligner.networks().a);
  save_network(archive, "b", aligner.networks().b);
  if (aligner.networks().attributes != nullptr)
    save_attributes(archive, *aligner.networks().attributes);
  save_labels(archive, aligner.labels());
  aligner.save(archive);
  return archive;
}

Model model_in(const ArchiveReader& archive, const MethodRegistry& registry) {
  Model model;
  model.networks = std::make_unique<NetworkPair>(
      NetworkPair{load_network(archive, "a"), load_network(archive, "b")});
  model.networks->attributes = load_attributes(archive, *model.networks);
  const LabelSet labels = load_labels(archive, *model.networks);
  model.aligner =
      registry.make(archive.text("method"), Settings::from_json(archive.text("settings")));
  model.aligner->load(archive, *model.networks, labels);
  return model;
}

// Faults that do not name the file do so.
Model checked_model(const ArchiveReader& archive, const MethodRegistry& registry) {
  try {
    return model_in(archive, registry);
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(archive.path())) throw;
    throw InputError(archive.path(), 0, fmt::format("found a damaged model: {}", error.what()),
                     error.hint());
  }
}

}  // namespace

void save_model(const std::string& path, const Aligner& aligner) {
  archive_of(aligner).save(path, kKind, kVersion);
}

void save_model(const std::string& path, const Aligner& aligner, const Run& run) {
  const bool writes = communicator_of(run).is_first();
  const ArchiveWriter archive = archive_of(
      aligner, writes ? ArchiveWriter::Keeps::kEverything : ArchiveWriter::Keeps::kNothing);
  if (writes) archive.save(path, kKind, kVersion);
}

std::string model_bytes(const Aligner& aligner) {
  return archive_of(aligner).to_bytes(kKind, kVersion);
}

Model load_model(const std::string& path, const MethodRegistry& registry) {
  return checked_model(ArchiveReader(path, kKind, kVersion), registry);
}

Model model_from_bytes(std::string bytes, const MethodRegistry& registry) {
  return checked_model(ArchiveReader(std::move(bytes), "the model", kKind, kVersion), registry);
}

}  // namespace dalaup
