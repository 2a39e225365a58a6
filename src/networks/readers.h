#pragma once
// The readers of single forms, told apart by read_network. Private to networks.
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "networks/networks.h"

namespace dalaup {

// Whether to say that a file whose edges have a direction can be read with it.
inline bool mentions_directed(const ReadOptions& options) {
  return !options.directed || options.tells_direction;
}

// What a reader reports besides the network; read_network turns it into warnings.
struct ReadNotes {
  Dropped dropped;
  std::string understood;
  std::vector<std::string> warnings;
};

// Tables of edges: plain ones fast, all others cell by cell.
Network read_plain_edges(LineReader& lines, const TableForm& form, const ReadOptions& options,
                         Dropped* dropped);
Network read_table_edges(TableReader& table, const ReadOptions& options, Dropped* dropped);
// A user and its neighbours a line, as NetworkX writes adjacency lists.
Network read_adjacency_lists(LineReader& lines, const ReadOptions& options, ReadNotes& notes);
// Nodes and links in JSON, as NetworkX, D3, vis.js and Cytoscape write them.
Network read_node_link(ByteSource& source, std::string_view beginning, const std::string& name,
                       const ReadOptions& options, ReadNotes& notes);
// GEXF, as Gephi writes it, through libxml2.
Network read_gexf(std::unique_ptr<ByteSource> source, const std::string& name,
                  const ReadOptions& options, ReadNotes& notes);
// GraphML through libxml2's streaming reader; entities and external files are refused.
Network read_graphml(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, ReadNotes& notes);
// GML and Pajek: small strict readers of our own, for line numbers, and because igraph
// reports through process-wide handlers (ARCHITECTURE.md says more).
Network read_gml(LineReader& lines, const ReadOptions& options, ReadNotes& notes);
Network read_pajek(LineReader& lines, const ReadOptions& options, ReadNotes& notes);
// Matrix Market coordinate form; the numbers of rows and columns become names.
Network read_matrix_market(LineReader& lines, const ReadOptions& options, ReadNotes& notes);

// A place in the file, for messages.
struct Place {
  const std::string& file;
  std::size_t line;
};

// Users and edges of a form that declares both: collects them, then chooses the names.
class DeclaredNetwork {
 public:
  explicit DeclaredNetwork(const ReadOptions& options) : options_(options) {}

  struct User {
    std::string id;
    std::string name;   // attribute "name", may be empty
    std::string label;  // attribute "label", may be empty
    std::size_t line = 0;
  };
  struct Edge {
    std::string from;
    std::string to;
    float weight = 1.0F;
    std::size_t line = 0;
    std::optional<bool> is_directed = std::nullopt;  // nothing: as the file's other edges
  };

  // Throws InputError for an id seen before and for more than options.most_users users.
  void add_user(User user, const std::string& file);
  // Ends may be declared later; build() checks them.
  void add_edge(Edge edge) { edges_.push_back(std::move(edge)); }
  // What the file says of its edges. With options.directed, edges that have no direction go both
  // ways; without, direction is not used and the notes say that there is one.
  void declare(bool is_directed) { declared_directed_ = is_directed; }
  std::size_t user_count() const { return users_.size(); }
  // Names are the attribute "name" if all users carry it and all differ, else "label" alike, else
  // the ids (with a warning when names exist but repeat).
  Network build(const std::string& file, ReadNotes& notes);

 private:
  enum class NameKind { kName, kLabel, kId };
  NameKind choose_names(const std::string& file, ReadNotes& notes) const;

  ReadOptions options_;
  std::optional<bool> declared_directed_;
  std::vector<User> users_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<Edge> edges_;
};

// A positive finite number or InputError; `hint` says what to do.
float parse_weight(std::string_view text, const Place& place, const char* hint);
// Outer blanks removed; InputError when the rest holds a tab or line end, which label files cannot.
std::string clean_name(std::string_view name, const Place& place);
[[noreturn]] void throw_no_users(const std::string& file, const char* hint);
void check_user_count(std::uint64_t count, const ReadOptions& options, const Place& place);

}  // namespace dalaup
