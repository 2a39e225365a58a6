#include <fmt/format.h>

#include <map>

#include "networks/readers.h"
#include "networks/xml_reader.h"

namespace dalaup {
namespace {

class GraphmlReader final : public XmlReader {
 public:
  GraphmlReader(std::unique_ptr<ByteSource> source, const std::string& file,
                const ReadOptions& options)
      : XmlReader(std::move(source), file, "GraphML", "graphml"), network_(options) {}

  Network read(ReadNotes& notes) {
    walk();
    if (network_.user_count() == 0)
      throw_no_users(file(), "GraphML lists <node id=\"...\"/> in its <graph>");
    return network_.build(file(), notes);
  }

 private:
  enum class Data { kOther, kName, kLabel, kWeight, kDrawnLabel };

  void begin_element(const std::string& name) override {
    if (name == "graph") {
      if (++graph_count_ > 1) fail(line(), "found a second <graph>, expected one");
      const std::string direction = attribute("edgedefault");
      if (!direction.empty()) network_.declare(direction == "directed");
    } else if (name == "key") {
      keys_[{attribute("for"), attribute("id")}] = attribute("attr.name");
    } else if (name == "node") {
      begin_node();
    } else if (name == "edge") {
      begin_edge();
    } else if (name == "hyperedge" || name == "port") {
      fail(line(), fmt::format("found <{}>, expected nodes and edges only", name));
    } else if (name == "data") {
      begin_data();
    } else if (name == "NodeLabel" && in_node_ && drawn_label_.empty()) {  // of yEd
      text_.clear();
      data_ = Data::kDrawnLabel;
    }
  }
  void text(const std::string& text) override {
    if (data_ != Data::kOther) text_ += text;
  }

  void begin_node() {
    if (in_node_ || in_edge_) fail(line(), "found a <node> inside another element");
    in_node_ = true;
    user_ = {};
    drawn_label_.clear();
    user_.line = line();
    user_.id = clean_name(attribute("id"), {file(), user_.line});
    if (user_.id.empty()) fail(user_.line, "found a <node> without an id, expected id=\"...\"");
  }

  void begin_edge() {
    if (in_node_ || in_edge_) fail(line(), "found an <edge> inside another element");
    in_edge_ = true;
    edge_ = {};
    edge_.line = line();
    edge_.from = clean_name(attribute("source"), {file(), edge_.line});
    edge_.to = clean_name(attribute("target"), {file(), edge_.line});
    const std::string direction = attribute("directed");
    if (!direction.empty()) edge_.is_directed = direction == "true" || direction == "1";
    if (edge_.from.empty() || edge_.to.empty())
      fail(edge_.line, "found an <edge> without both ends, expected source=\"...\" target=\"...\"");
  }

  void begin_data() {
    text_.clear();
    data_ = Data::kOther;
    const char* const holder = in_node_ ? "node" : in_edge_ ? "edge" : "graph";
    const std::string id = attribute("key");
    auto key = keys_.find({holder, id});
    if (key == keys_.end()) key = keys_.find({"all", id});
    const std::string name = key == keys_.end() ? id : key->second;
    if (in_node_ && name == "name") data_ = Data::kName;
    if (in_node_ && name == "label") data_ = Data::kLabel;
    if (in_edge_ && name == "weight") data_ = Data::kWeight;
  }

  void end_element(const std::string& name) override {
    if (name == "data") {
      const Place place{file(), line()};
      if (data_ == Data::kName) user_.name = clean_name(text_, place);
      if (data_ == Data::kLabel) user_.label = clean_name(text_, place);
      if (data_ == Data::kWeight)
        edge_.weight = parse_weight(clean_name(text_, place), place,
                                    "remove the weights if they mean something else");
      data_ = Data::kOther;
    } else if (name == "NodeLabel" && data_ == Data::kDrawnLabel) {
      for (char& letter : text_)  // drawn labels may have several lines
        if (letter == '\n' || letter == '\r' || letter == '\t') letter = ' ';
      drawn_label_ = clean_name(text_, {file(), line()});
      data_ = Data::kOther;
    } else if (name == "node" && in_node_) {
      in_node_ = false;
      if (user_.label.empty()) user_.label = drawn_label_;
      network_.add_user(std::move(user_), file());
    } else if (name == "edge" && in_edge_) {
      in_edge_ = false;
      network_.add_edge(std::move(edge_));
    }
  }

  DeclaredNetwork network_;
  std::map<std::pair<std::string, std::string>, std::string> keys_;  // (for, id) -> attr.name
  DeclaredNetwork::User user_;
  DeclaredNetwork::Edge edge_;
  std::string text_;
  std::string drawn_label_;
  Data data_ = Data::kOther;
  int graph_count_ = 0;
  bool in_node_ = false;
  bool in_edge_ = false;
};

}  // namespace

Network read_graphml(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options, ReadNotes& notes) {
  return GraphmlReader(std::move(source), name, options).read(notes);
}

}  // namespace dalaup
