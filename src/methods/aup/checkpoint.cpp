#include "methods/aup/checkpoint.h"

#include <fmt/format.h>

namespace dalaup {
namespace {

constexpr std::string_view kKind = "checkpoint";
constexpr std::uint32_t kVersion = 1;

// Everything that decides the result of a training, except the network's initial weights, which
// follow from it. Paths and how often to save do not.
std::string identity_of(const TrainingJob& job, const Run& run) {
  AupParams params = job.params;
  params.checkpoint.clear();
  params.checkpoint_every = 1;
  params.loss_curve.clear();
  return fmt::format("seed {} epochs {} {}", run.seed(), job.epochs, to_settings(params).to_json());
}

template <class Place>
void for_statistics(const std::string& prefix, StackWeights& stack, const std::string& name,
                    Place&& place) {
  for (std::size_t layer = 0; layer < stack.layers.size(); ++layer) {
    place(fmt::format("{}{}.norm{}.mean", prefix, name, layer + 1),
          stack.layers[layer].running_mean);
    place(fmt::format("{}{}.norm{}.variance", prefix, name, layer + 1),
          stack.layers[layer].running_variance);
  }
}

}  // namespace

void save_network_state(ArchiveWriter& archive, const std::string& prefix,
                        const AupNetwork& network) {
  for (const Tensor& tensor : network.tensors.all())
    archive.put(prefix + tensor.name, tensor.values);
  auto encoder = network.encoder;
  auto decoder = network.decoder;
  const auto put = [&](const std::string& name, const std::vector<double>& values) {
    archive.put(name, values);
  };
  for_statistics(prefix, encoder, "encoder", put);
  for_statistics(prefix, decoder, "decoder", put);
}

void load_network_state(const ArchiveReader& archive, const std::string& prefix,
                        AupNetwork& network) {
  const auto take = [&]<class T>(const std::string& name, std::vector<T>& values) {
    auto found = archive.values<T>(name);
    if (found.size() != values.size())
      throw InputError(archive.path(), 0,
                       fmt::format("found {} numbers in \"{}\", expected {}", found.size(), name,
                                   values.size()));
    if (!std::ranges::all_of(found, [](T value) { return std::isfinite(value); }))
      throw InputError(archive.path(), 0,
                       fmt::format("found infinity or no number in \"{}\"", name));
    values = std::move(found);
  };
  for (Tensor& tensor : network.tensors.all()) take(prefix + tensor.name, tensor.values);
  for_statistics(prefix, network.encoder, "encoder", take);
  for_statistics(prefix, network.decoder, "decoder", take);
}

void save_checkpoint(const std::string& path, const TrainingJob& job, const Run& run,
                     const TrainingState& state, const AupNetwork& network, const AupNetwork* best,
                     Optimiser& optimiser) {
  ArchiveWriter archive(path, kKind, kVersion);
  archive.put("identity", identity_of(job, run));
  archive.put("anchors", job.anchors);
  archive.put("validation", job.validation);
  archive.put("next_epoch", state.next_epoch);
  archive.put("best", state.best);
  archive.put("best_epoch", state.best_epoch);
  archive.put("finished", std::int64_t{state.finished ? 1 : 0});
  archive.put("curve", state.curve);
  archive.put("steps", optimiser.steps());
  save_network_state(archive, "now.", network);
  if (best != nullptr) save_network_state(archive, "best.", *best);
  for (std::size_t i = 0; i < optimiser.state().size(); ++i)
    archive.put(fmt::format("optimiser.{}", i), optimiser.state()[i]);
  archive.commit();
}

TrainingState load_checkpoint(const std::string& path, const TrainingJob& job, const Run& run,
                              AupNetwork& network, AupNetwork* best, Optimiser& optimiser) {
  const ArchiveReader archive(path, kKind, kVersion);
  if (archive.text("identity") != identity_of(job, run) ||
      archive.values<UserPair>("anchors") != job.anchors ||
      archive.values<UserPair>("validation") != job.validation)
    throw InputError(path, 0, "found a checkpoint of other settings, labels or another seed",
                     "remove the file to start anew, or name another one with --checkpoint");
  TrainingState state;
  state.next_epoch = archive.whole_number("next_epoch");
  state.best = archive.number("best");
  state.best_epoch = archive.whole_number("best_epoch");
  state.finished = archive.whole_number("finished") != 0;
  state.curve = archive.values<EpochRecord>("curve");
  load_network_state(archive, "now.", network);
  if (best != nullptr) load_network_state(archive, "best.", *best);
  for (std::size_t i = 0; i < optimiser.state().size(); ++i) {
    auto values = archive.values<float>(fmt::format("optimiser.{}", i));
    if (values.size() != optimiser.state()[i].size())
      throw InputError(path, 0, "found an optimiser state of another size");
    optimiser.state()[i] = std::move(values);
  }
  optimiser.set_steps(archive.whole_number("steps"));
  return state;
}

}  // namespace dalaup
