#include <fmt/format.h>

#include "aligner/aligner.h"
#include "aligner/model_format.h"
#include "communicator/communicator.h"

namespace dalaup {
namespace {

void put_model(ArchiveWriter& archive, const Aligner& aligner) {
  archive.put("method", aligner.method());
  archive.put("settings", aligner.settings().to_json());
  save_network(archive, "a", aligner.networks().a);
  save_network(archive, "b", aligner.networks().b);
  if (aligner.networks().attributes != nullptr)
    save_attributes(archive, *aligner.networks().attributes);
  save_labels(archive, aligner.labels());
  aligner.save(archive);
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
  ArchiveWriter archive(path, kModelKind, kModelVersion);
  put_model(archive, aligner);
  archive.commit();
}

void save_model(const std::string& path, const Aligner& aligner, const Run& run) {
  if (communicator_of(run).is_first()) return save_model(path, aligner);
  ArchiveWriter archive(ArchiveWriter::Keeps::kNothing);
  put_model(archive, aligner);
}

std::string model_bytes(const Aligner& aligner) {
  ArchiveWriter archive;
  put_model(archive, aligner);
  return archive.to_bytes(kModelKind, kModelVersion);
}

Model load_model(const std::string& path, const MethodRegistry& registry) {
  return checked_model(ArchiveReader(path, kModelKind, kModelVersion), registry);
}

Model model_from_bytes(std::string bytes, const MethodRegistry& registry) {
  return checked_model(ArchiveReader(std::move(bytes), "the model", kModelKind, kModelVersion),
                       registry);
}

}  // namespace dalaup
