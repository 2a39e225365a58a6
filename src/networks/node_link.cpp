#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "networks/readers.h"

// {"directed": false, "nodes": [{"id": ...}], "links": [{"source": ..., "target": ...}]}, as
// networkx.node_link_data gives it; newer versions say "edges".
namespace dalaup {
namespace {

using Json = nlohmann::json;

// JSON has no lines worth naming; places in its lists are named instead.
[[noreturn]] void fail(const std::string& file, const std::string& message, std::string hint = {}) {
  throw InputError(file, 0, message, std::move(hint));
}

// Lists and objects by their kind: writing them out would go as deep as they are nested.
std::string in_words(const Json& value) {
  return value.is_structured() ? fmt::format("an {}", value.type_name())
                               : dalaup::quoted(value.dump());
}

std::string text_of(const Json& value, const std::string& file, const std::string& where) {
  if (value.is_string()) return clean_name(value.get<std::string>(), {file, 0});
  if (value.is_number_integer()) return value.dump();
  fail(file,
       fmt::format("found {} for {}, expected text or a whole number", in_words(value), where));
}

std::string member(const Json& object, const char* key, const std::string& file,
                   const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end())
    fail(file, fmt::format("found {} without \"{}\", expected one", where, key));
  return text_of(*found, file, fmt::format("\"{}\" of {}", key, where));
}

std::string text_or_nothing(const Json& object, const char* key, const std::string& file) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? std::string() : text_of(*found, file, key);
}

float weight_of(const Json& value, const std::string& file, const std::string& where) {
  if (!value.is_number())
    fail(file, fmt::format("found {} for \"weight\" of {}, expected a positive number",
                           in_words(value), where));
  return parse_weight(value.dump(), {file, 0}, "remove the weights if they mean something else");
}

// The bytes of a source one after the other, so that reading them can be interrupted.
class BytesOf {
 public:
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  BytesOf() = default;  // the end
  explicit BytesOf(ByteSource& source)
      : source_(&source), buffer_(std::make_shared<std::vector<char>>(std::size_t{1} << 16)) {
    fill();
  }
  reference operator*() const { return (*buffer_)[place_]; }
  BytesOf& operator++() {
    if (++place_ == size_) fill();
    return *this;
  }
  bool operator==(const BytesOf& other) const { return source_ == other.source_; }

 private:
  void fill() {
    place_ = 0;
    size_ = source_->read(*buffer_);
    if (size_ == 0) source_ = nullptr;
  }
  ByteSource* source_ = nullptr;  // null at the end
  std::shared_ptr<std::vector<char>> buffer_;
  std::size_t place_ = 0;
  std::size_t size_ = 0;
};

// What Cytoscape keeps in {"data": {...}}; elsewhere "data" is an attribute like others.
const Json& inner(const Json& object, const char* key) {
  const auto data = object.find("data");
  return !object.contains(key) && data != object.end() && data->is_object() && data->contains(key)
             ? *data
             : object;
}

// "{...}" in its first line, and more lines.
bool is_json_lines(std::string_view beginning) {
  const std::string_view line = trimmed(beginning.substr(0, beginning.find('\n')));
  return line.starts_with('{') && (line.ends_with('}') || line.ends_with("}\r"));
}

const Json& list_of(const Json& document, std::initializer_list<const char*> keys,
                    const std::string& file) {
  for (const char* const key : keys) {
    const auto found = document.find(key);
    if (found != document.end() && found->is_array()) return *found;
  }
  fail(file, fmt::format("found no list \"{}\", expected JSON in node-link form", *keys.begin()),
       document.contains("adjacency")
           ? "networkx.adjacency_data wrote this; write it with networkx.node_link_data"
           : "write it with networkx.node_link_data, or use another form");
}

}  // namespace

Network read_node_link(ByteSource& source, std::string_view beginning, const std::string& name,
                       const ReadOptions& options, ReadNotes& notes) {
  Json document;
  try {
    document = Json::parse(BytesOf(source), BytesOf());
  } catch (const Json::parse_error& error) {
    fail(name,
         fmt::format("found JSON that cannot be read at byte {}, expected well-formed JSON",
                     error.byte),
         is_json_lines(beginning) ? "one object a line? write them as a table, for example with "
                                    "pandas: pandas.read_json(FILE, lines=True).to_csv("
                                    "\"edges.csv\", index=False)"
                                  : "is the file whole?");
  } catch (const Json::out_of_range&) {
    fail(name, "found a number of JSON that is too large, expected numbers up to 1.8e308");
  }
  if (!document.is_object())
    fail(name, fmt::format("found {}, expected an object with nodes and links", in_words(document)),
         document.is_array() ? "a list of edges? write them as a table, for example with pandas: "
                               "pandas.read_json(FILE).to_csv(\"edges.csv\", index=False)"
                             : "");
  if (const auto elements = document.find("elements");
      elements != document.end() && elements->is_object() && !document.contains("nodes")) {
    Json inside = std::move(*elements);  // of Cytoscape; copying goes as deep as the file says
    document = std::move(inside);
  }
  DeclaredNetwork network(options);
  std::size_t place = 0;
  const Json& nodes = list_of(document, {"nodes"}, name);
  // Nodes are meant by their place where none has an id, as D3 does.
  const bool are_placed = std::ranges::none_of(
      nodes, [](const Json& node) { return node.is_object() && inner(node, "id").contains("id"); });
  for (const Json& node : nodes) {
    const std::string where = fmt::format("node {}", ++place);
    if (!node.is_object()) fail(name, fmt::format("found {} that is no object", where));
    const Json& data = inner(node, "id");
    network.add_user(
        {.id = are_placed ? fmt::format("{}", place - 1) : member(data, "id", name, where),
         .name = text_or_nothing(data, "name", name),
         .label = text_or_nothing(data, "label", name),
         .line = 0},
        name);
  }
  place = 0;
  for (const Json& link : list_of(document, {"links", "edges"}, name)) {
    const std::string where = fmt::format("link {}", ++place);
    if (!link.is_object()) fail(name, fmt::format("found {} that is no object", where));
    const Json& data = inner(link, "source");
    const bool is_from_to = !data.contains("source") && data.contains("from");  // vis.js
    DeclaredNetwork::Edge edge{.from = member(data, is_from_to ? "from" : "source", name, where),
                               .to = member(data, is_from_to ? "to" : "target", name, where)};
    if (const auto weight = data.find("weight"); weight != data.end() && !weight->is_null())
      edge.weight = weight_of(*weight, name, where);
    network.add_edge(std::move(edge));
  }
  if (const auto directed = document.find("directed");
      directed != document.end() && directed->is_boolean())
    network.declare(directed->get<bool>());
  if (network.user_count() == 0) throw_no_users(name, "\"nodes\" is empty");
  return network.build(name, notes);
}

}  // namespace dalaup
