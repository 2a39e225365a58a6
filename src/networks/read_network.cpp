#include <fmt/format.h>

#include "networks/readers.h"

namespace dalaup {
namespace {

std::string_view without_compression(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

Network read_form(std::string_view form, std::unique_ptr<ByteSource> source,
                  const std::string& name, const ReadOptions& options, ReadNotes& notes) {
  if (form.ends_with(".graphml")) return read_graphml(*source, name, options, notes);
  LineReader lines(std::move(source), name);
  if (form.ends_with(".gml")) return read_gml(lines, options, notes);
  if (form.ends_with(".net")) return read_pajek(lines, options, notes);
  if (form.ends_with(".mtx")) return read_matrix_market(lines, options, notes);
  Network network = read_edges(lines, options, &notes.dropped);
  if (network.edge_count() == 0 && notes.dropped.self_loops == 0)
    notes.warnings.push_back(
        fmt::format("{}: found {} users and no edge; tabs, spaces or commas separate the two names "
                    "of an edge",
                    name, grouped(network.user_count())));
  return network;
}

}  // namespace

Network read_network(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, Run& run) {
  ReadNotes notes;
  Network network = read_form(without_compression(name), std::move(source), name, options, notes);
  for (const auto& warning : notes.warnings) run.warn(warning);
  if (notes.dropped.self_loops > 0)
    run.warn(fmt::format("{}: {} self-loops dropped", name, grouped(notes.dropped.self_loops)));
  if (notes.dropped.duplicate_edges > 0)
    run.warn(fmt::format("{}: {} duplicate edges dropped", name,
                         grouped(notes.dropped.duplicate_edges)));
  return network;
}

Network read_network(const std::string& path, const ReadOptions& options, Run& run) {
  return read_network(open_bytes(path), path, options, run);
}

}  // namespace dalaup
