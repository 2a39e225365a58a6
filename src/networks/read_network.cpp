#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>

#include "networks/doubts.h"
#include "networks/foreign_files.h"
#include "networks/readers.h"
#include "networks/table_sample.h"

namespace dalaup {
namespace {

enum class Form { kText, kGraphml, kGexf, kGml, kPajek, kMatrixMarket, kNodeLink, kAdjacency };
struct FormName {
  Form form;
  std::string_view ending;
  const char* words;
};
constexpr FormName kForms[] = {
    {Form::kGraphml, ".graphml", "GraphML"},
    {Form::kGexf, ".gexf", "GEXF"},
    {Form::kGml, ".gml", "GML"},
    {Form::kPajek, ".net", "Pajek"},
    {Form::kMatrixMarket, ".mtx", "Matrix Market"},
    {Form::kNodeLink, ".json", "JSON, nodes and links"},
    {Form::kAdjacency, ".adjlist", "adjacency lists"},
};

Form form_by_name(std::string_view path) {
  const std::string_view bare = without_compression(path);
  for (const FormName& known : kForms)
    if (bare.ends_with(known.ending)) return known.form;
  return Form::kText;
}

const FormName* name_of(Form form) {
  const auto* const found = std::ranges::find(kForms, form, &FormName::form);
  return found == std::end(kForms) ? nullptr : found;
}

// The form that the first bytes can only belong to; nothing for what may be text.
std::optional<Form> form_by_look(std::string_view beginning) {
  const std::size_t begin = beginning.find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string text = lower_case(beginning.substr(begin, 4096));
  const auto has = [&](std::string_view words) { return text.find(words) != std::string::npos; };
  if (text.starts_with('<') && has("<graphml")) return Form::kGraphml;
  if (text.starts_with('<') && has("<gexf")) return Form::kGexf;
  if (text.starts_with("%%matrixmarket")) return Form::kMatrixMarket;
  if (text.starts_with("*vertices")) return Form::kPajek;
  if (text.starts_with('{') && (has("\"nodes\"") || has("\"links\"") || has("\"edges\"")))
    return Form::kNodeLink;
  const std::size_t graph = text.find("graph");
  if ((text.starts_with("graph") || text.starts_with("creator")) && graph != std::string::npos) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", graph + 5);
    if (next != std::string::npos && text[next] == '[') return Form::kGml;
  }
  return std::nullopt;
}

// Objects or lists of them that are no nodes and links.
bool is_json(std::string_view beginning) {
  const std::string_view text = trimmed(beginning.substr(0, 4096));
  return (text.starts_with("{\"") || text.starts_with("[[\"") || text.starts_with("[{\"")) &&
         form_by_look(beginning) == std::nullopt;
}

// Whether all lines of the beginning, but for its last, are two words: edges also where the file's
// name says METIS, whose lines are lists of neighbours.
bool holds_pairs(std::string_view beginning) {
  for (std::size_t end; (end = beginning.find('\n')) != std::string_view::npos;) {
    const std::string_view line = trimmed(beginning.substr(0, end));
    const std::size_t blank = line.find(' ');
    if (!line.empty() && (blank == std::string_view::npos || line.rfind(' ') != blank))
      return false;
    beginning.remove_prefix(end + 1);
  }
  return true;
}

void refuse_wrong_form(Form expected, std::string_view beginning, const std::string& name) {
  refuse_foreign(beginning, name, "a network");
  // Lines "# user" of LGL would pass for comments, the numbers of METIS for edges.
  for (const auto& [ending, words] : {std::pair{".lgl", "LGL"}, std::pair{".graph", "METIS"}})
    if (without_compression(name).ends_with(ending) &&
        !(ending == std::string_view(".graph") && holds_pairs(beginning)))
      throw InputError(
          name, 0,
          fmt::format("found a name that ends in {} ({}), which is not read", ending, words),
          "write one edge a line, for example with igraph: write_graph(g, "
          "\"a.edges\", \"ncol\")");
  if (expected == Form::kText && is_json(beginning))
    throw InputError(name, 0, "found what looks like JSON, expected one edge a line",
                     "nodes and links are read from files whose names end in .json; write lists of "
                     "edges as a table, for example with pandas: read_json and to_csv");
  const auto looks = form_by_look(beginning);
  if (looks == expected) return;
  if (!looks) {
    if (expected == Form::kText || expected == Form::kAdjacency)
      refuse_other_forms(beginning, name);
    return;
  }
  const FormName* const wanted = name_of(expected);
  throw InputError(name, 0,
                   fmt::format("found what looks like {}, expected {}", name_of(*looks)->words,
                               wanted != nullptr ? wanted->words : "one edge a line"),
                   fmt::format("give the file a name that ends in {}", name_of(*looks)->ending));
}

// Rows of many different lengths: a user and its neighbours.
void refuse_adjacency_lists(const Beginning& beginning, const TableForm& form,
                            const std::string& name) {
  if (form.is_understood) return;
  std::set<std::size_t> widths;
  std::vector<std::string> cells;
  TableForm spaces;
  spaces.delimiter = ' ';
  LineReader lines(bytes_of(beginning.text), name);
  for (std::string_view line; widths.size() < 4 && lines.next(line);) {
    if (line.starts_with('#')) continue;
    split_cells(line, spaces, cells);
    widths.insert(cells.size());
  }
  if (widths.size() >= 4 && *widths.rbegin() > 4)
    throw InputError(name, 0,
                     "found what looks like adjacency lists (a user and its neighbours a line), "
                     "expected one edge a line",
                     "give the file a name that ends in .adjlist");
}

Network read_text(Beginning beginning, const std::string& name, const ReadOptions& options,
                  ReadNotes& notes) {
  const TableForm form =
      understand_table(beginning.text, beginning.is_whole, options.table, TableKind::kEdges, name);
  refuse_adjacency_lists(beginning, form, name);
  notes.understood = form.words();
  for (const auto& [words, advice] :
       {std::pair{"# Directed graph", "SNAP"}, std::pair{"% asym", "KONECT"}})
    if (mentions_directed(options) && beginning.text.starts_with(words))
      notes.understood +=
          fmt::format("; its {} header says directed: --directed uses that", advice);
  const auto read = [&] {
    if (form.is_plain() || (!form.is_understood && !form.has_quotes)) {
      LineReader lines(std::move(beginning.source), name);
      return read_plain_edges(lines, form, options, &notes.dropped);
    }
    TableReader table(std::move(beginning.source), name, form, TableKind::kEdges);
    return read_table_edges(table, options, &notes.dropped);
  };
  Network network = read();
  if (network.edge_count() == 0 && notes.dropped.self_loops == 0)
    notes.warnings.push_back(
        fmt::format("{}: found {} and no edge; tabs, spaces or commas separate the two names of "
                    "an edge",
                    name, counted(network.user_count(), "user")));
  const std::vector<std::string> hashes = hash_doubts(beginning.text, form, name);
  notes.warnings.insert(notes.warnings.end(), hashes.begin(), hashes.end());
  if (options.table.header == "auto")
    for (std::string& doubt : header_doubts(network, form, name))
      notes.warnings.push_back(std::move(doubt));
  return network;
}

Network read_form(Form form, Beginning beginning, const std::string& name,
                  const ReadOptions& options, ReadNotes& notes) {
  std::unique_ptr<ByteSource> source = std::move(beginning.source);
  notes.understood = name_of(form)->words;
  if (form == Form::kGraphml) return read_graphml(std::move(source), name, options, notes);
  if (form == Form::kGexf) return read_gexf(std::move(source), name, options, notes);
  if (form == Form::kNodeLink) return read_node_link(*source, beginning.text, name, options, notes);
  LineReader lines(std::move(source), name);
  if (form == Form::kGml) return read_gml(lines, options, notes);
  if (form == Form::kPajek) return read_pajek(lines, options, notes);
  if (form == Form::kAdjacency) return read_adjacency_lists(lines, options, notes);
  return read_matrix_market(lines, options, notes);
}

// Every reader comes back here for more, so all of them can be interrupted.
class InterruptibleSource final : public ByteSource {
 public:
  InterruptibleSource(std::unique_ptr<ByteSource> source, const Run& run)
      : source_(std::move(source)), run_(run) {}
  std::size_t read(std::span<char> buffer) override {
    run_.throw_if_cancelled();
    return source_->read(buffer);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  const Run& run_;
};

// Ends the reading of a network when that of the other has failed.
class UnlessFailed final : public ByteSource {
 public:
  UnlessFailed(std::unique_ptr<ByteSource> source, const std::atomic<bool>& has_failed)
      : source_(std::move(source)), has_failed_(has_failed) {}
  std::size_t read(std::span<char> buffer) override {
    if (has_failed_) throw Cancelled();
    return source_->read(buffer);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  const std::atomic<bool>& has_failed_;
};

}  // namespace

Network read_network(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, Run& run, std::string* understood) {
  ReadNotes notes;
  const Form form = form_by_name(name);
  Beginning beginning = peek(std::make_unique<InterruptibleSource>(std::move(source), run));
  refuse_wrong_form(form, beginning.text, name);
  Network network = form == Form::kText
                        ? read_text(std::move(beginning), name, options, notes)
                        : read_form(form, std::move(beginning), name, options, notes);
  for (const auto& warning : notes.warnings) run.warn(warning);
  for (const std::string& doubt : doubts_of(network, name)) run.warn(doubt);
  if (notes.dropped.self_loops > 0)
    run.warn(fmt::format("{}: {} dropped", name, counted(notes.dropped.self_loops, "self-loop")));
  if (notes.dropped.duplicate_edges > 0)
    run.warn(fmt::format("{}: {} dropped", name,
                         counted(notes.dropped.duplicate_edges, "duplicate edge")));
  if (understood != nullptr) *understood = notes.understood;
  return network;
}

Network read_network(const std::string& path, const ReadOptions& options, Run& run,
                     std::string* understood) {
  return read_network(open_bytes(path), path, options, run, understood);
}

NetworkPair read_networks(const std::string& path_a, const std::string& path_b,
                          const ReadOptions& options, Run& run, const OnRead& on_read) {
  struct Reading {
    Network network;
    std::string understood;
    std::vector<std::string> warnings;
    std::exception_ptr error;
  };
  Reading readings[2];
  std::atomic<bool> has_failed = false;  // A, whose error is told, whatever B is like
  run.for_jobs(2, [&](std::size_t job) {
    const std::string& path = job == 0 ? path_a : path_b;
    Reading& own = readings[job];
    const auto collect = [&](const std::string& warning) { own.warnings.push_back(warning); };
    Run own_run({.cancelled = run.options().cancelled, .on_warning = collect});
    try {
      auto source = open_bytes(path);
      if (job == 1) source = std::make_unique<UnlessFailed>(std::move(source), has_failed);
      own.network = read_network(std::move(source), path, options, own_run, &own.understood);
    } catch (...) {
      own.error = std::current_exception();
      if (job == 0) has_failed = true;
    }
  });
  for (const Side side : {Side::kA, Side::kB}) {
    const Reading& reading = readings[index_of(side)];
    if (reading.error) std::rethrow_exception(reading.error);
    for (const std::string& warning : reading.warnings) run.warn(warning);
    if (on_read) on_read(side, reading.network, reading.understood);
  }
  return {std::move(readings[0].network), std::move(readings[1].network)};
}

}  // namespace dalaup
