#include <fmt/format.h>

#include "networks/readers.h"
#include "networks/xml_reader.h"

namespace dalaup {
namespace {

// <graph defaultedgetype="undirected"> with <node id label> and <edge source target weight>. Edges
// of their own type are read as the graph says.
class GexfReader final : public XmlReader {
 public:
  GexfReader(std::unique_ptr<ByteSource> source, const std::string& file,
             const ReadOptions& options)
      : XmlReader(std::move(source), file, "GEXF", "gexf"), network_(options) {}

  Network read(ReadNotes& notes) {
    walk();
    if (network_.user_count() == 0)
      throw_no_users(file(), "GEXF lists <node id=\"...\"/> in <nodes>");
    return network_.build(file(), notes);
  }

 private:
  void begin_element(const std::string& name) override {
    if (name == "graph") {
      if (++graph_count_ > 1) fail(line(), "found a second <graph>, expected one");
      const std::string direction = attribute("defaultedgetype");
      network_.declare(direction == "directed");
    } else if (name == "node") {
      add_node();
    } else if (name == "edge") {
      add_edge();
    }
  }
  void end_element(const std::string&) override {}

  void add_node() {
    const Place place{file(), line()};
    DeclaredNetwork::User user{.id = clean_name(attribute("id"), place),
                               .name = {},
                               .label = clean_name(attribute("label"), place),
                               .line = place.line};
    if (user.id.empty()) fail(place.line, "found a <node> without an id, expected id=\"...\"");
    network_.add_user(std::move(user), file());
  }

  void add_edge() {
    const Place place{file(), line()};
    DeclaredNetwork::Edge edge{.from = clean_name(attribute("source"), place),
                               .to = clean_name(attribute("target"), place),
                               .line = place.line};
    if (edge.from.empty() || edge.to.empty())
      fail(place.line, "found an <edge> without both ends, expected source=\"...\" target=\"...\"");
    const std::string direction = attribute("type");
    if (!direction.empty()) edge.is_directed = direction == "directed";
    const std::string weight = attribute("weight");
    if (!weight.empty())
      edge.weight = parse_weight(weight, place, "remove the weights if they mean something else");
    network_.add_edge(std::move(edge));
  }

  DeclaredNetwork network_;
  int graph_count_ = 0;
};

}  // namespace

Network read_gexf(std::unique_ptr<ByteSource> source, const std::string& name,
                  const ReadOptions& options, ReadNotes& notes) {
  return GexfReader(std::move(source), name, options).read(notes);
}

}  // namespace dalaup
