#include <fmt/format.h>
#include <libxml/xmlreader.h>

#include <exception>
#include <map>
#include <memory>

#include "networks/readers.h"

// GraphML through libxml2's streaming reader: one reader object, no process-wide handlers.
namespace dalaup {
namespace {

// What libxml2 calls back into: a source whose exceptions must not cross C code.
struct Input {
  ByteSource& source;
  std::exception_ptr error;
  std::string message;  // of the first XML fault
  std::size_t line = 0;
};

int read_bytes(void* context, char* buffer, int size) {
  auto& input = *static_cast<Input*>(context);
  try {
    return static_cast<int>(input.source.read({buffer, static_cast<std::size_t>(size)}));
  } catch (...) {
    input.error = std::current_exception();
    return -1;
  }
}

void keep_fault(void* context, xmlErrorPtr fault) {
  auto& input = *static_cast<Input*>(context);
  if (!input.message.empty() || fault == nullptr || fault->level < XML_ERR_ERROR) return;
  input.message = fault->message == nullptr ? "unknown fault" : fault->message;
  while (!input.message.empty() && (input.message.back() == '\n' || input.message.back() == '.'))
    input.message.pop_back();
  input.line = fault->line > 0 ? static_cast<std::size_t>(fault->line) : 0;
}

class GraphmlReader {
 public:
  GraphmlReader(ByteSource& source, const std::string& file, const ReadOptions& options)
      : input_{source, nullptr, {}},
        file_(file),
        network_(options),
        reader_(xmlReaderForIO(read_bytes, nullptr, &input_, nullptr, nullptr,
                               XML_PARSE_NONET | XML_PARSE_COMPACT | XML_PARSE_NOCDATA),
                xmlFreeTextReader) {
    if (!reader_) throw StateError("libxml2 cannot be started");
    xmlTextReaderSetStructuredErrorHandler(reader_.get(), keep_fault, &input_);
  }

  Network read(ReadNotes& notes) {
    while (advance()) {
      switch (xmlTextReaderNodeType(reader_.get())) {
        case XML_READER_TYPE_ELEMENT:
          begin_element();
          break;
        case XML_READER_TYPE_END_ELEMENT:
          end_element(element());
          break;
        case XML_READER_TYPE_TEXT:
        case XML_READER_TYPE_CDATA:
          if (data_ != Data::kOther) text_ += text_of(xmlTextReaderConstValue(reader_.get()));
          break;
        case XML_READER_TYPE_DOCUMENT_TYPE:
        case XML_READER_TYPE_ENTITY_REFERENCE:
          fail(line(), "found a document type or an entity of its own, expected plain GraphML",
               "remove the <!DOCTYPE ...> part");
        default:
          break;
      }
    }
    if (!found_root_) fail(0, "found no <graphml> element, expected one", "is this GraphML?");
    if (user_count_ == 0) throw_no_users(file_, "GraphML lists <node id=\"...\"/> in its <graph>");
    return network_.build(file_, notes);
  }

 private:
  enum class Data { kOther, kName, kLabel, kWeight };

  [[noreturn]] void fail(std::size_t at, const std::string& message, std::string hint = {}) {
    throw InputError(file_, at, message, std::move(hint));
  }

  static std::string text_of(const xmlChar* text) {
    return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
  }
  std::string element() { return text_of(xmlTextReaderConstLocalName(reader_.get())); }
  // Of the element itself; libxml2 keeps at most 65,535 there and is further on in the file.
  std::size_t line() {
    const xmlNodePtr node = xmlTextReaderCurrentNode(reader_.get());
    const long own = node == nullptr ? -1 : xmlGetLineNo(node);
    if (own > 0 && own < 65535) return static_cast<std::size_t>(own);
    const int number = xmlTextReaderGetParserLineNumber(reader_.get());
    return number > 0 ? static_cast<std::size_t>(number) : 0;
  }

  std::string attribute(const char* name) {
    const std::unique_ptr<xmlChar, void (*)(xmlChar*)> value(
        xmlTextReaderGetAttribute(reader_.get(), reinterpret_cast<const xmlChar*>(name)),
        [](xmlChar* text) { xmlFree(text); });
    return text_of(value.get());
  }

  bool advance() {
    const int status = xmlTextReaderRead(reader_.get());
    if (input_.error) std::rethrow_exception(input_.error);
    if (status < 0 || !input_.message.empty())
      fail(input_.line,
           fmt::format("found XML that cannot be read ({}), expected well-formed GraphML",
                       input_.message.empty() ? "unknown fault" : input_.message),
           "is the file whole, and is it GraphML?");
    return status == 1;
  }

  void begin_element() {
    const std::string name = element();
    const bool is_empty = xmlTextReaderIsEmptyElement(reader_.get()) == 1;
    if (!found_root_ && name != "graphml")
      fail(line(), fmt::format("found <{}>, expected <graphml>", name), "is this a GraphML file?");
    found_root_ = true;
    if (name == "graph") {
      if (++graph_count_ > 1) fail(line(), "found a second <graph>, expected one");
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
    }
    if (is_empty) end_element(name);
  }

  void begin_node() {
    if (in_node_ || in_edge_) fail(line(), "found a <node> inside another element");
    in_node_ = true;
    user_ = {};
    user_.line = line();
    user_.id = clean_name(attribute("id"), {file_, user_.line});
    if (user_.id.empty()) fail(user_.line, "found a <node> without an id, expected id=\"...\"");
  }

  void begin_edge() {
    if (in_node_ || in_edge_) fail(line(), "found an <edge> inside another element");
    in_edge_ = true;
    edge_ = {};
    edge_.line = line();
    edge_.from = clean_name(attribute("source"), {file_, edge_.line});
    edge_.to = clean_name(attribute("target"), {file_, edge_.line});
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

  void end_element(const std::string& name) {
    if (name == "data") {
      const Place place{file_, line()};
      if (data_ == Data::kName) user_.name = clean_name(text_, place);
      if (data_ == Data::kLabel) user_.label = clean_name(text_, place);
      if (data_ == Data::kWeight)
        edge_.weight = parse_weight(clean_name(text_, place), place,
                                    "remove the weights if they mean something else");
      data_ = Data::kOther;
    } else if (name == "node" && in_node_) {
      in_node_ = false;
      ++user_count_;
      network_.add_user(std::move(user_), file_);
    } else if (name == "edge" && in_edge_) {
      in_edge_ = false;
      network_.add_edge(std::move(edge_));
    }
  }

  Input input_;
  const std::string& file_;
  DeclaredNetwork network_;
  std::unique_ptr<xmlTextReader, decltype(&xmlFreeTextReader)> reader_;
  std::map<std::pair<std::string, std::string>, std::string> keys_;  // (for, id) -> attr.name
  DeclaredNetwork::User user_;
  DeclaredNetwork::Edge edge_;
  std::string text_;
  Data data_ = Data::kOther;
  std::size_t user_count_ = 0;
  int graph_count_ = 0;
  bool found_root_ = false;
  bool in_node_ = false;
  bool in_edge_ = false;
};

}  // namespace

Network read_graphml(ByteSource& source, const std::string& name, const ReadOptions& options,
                     ReadNotes& notes) {
  xmlInitParser();  // safe to call from any thread, any number of times
  return GraphmlReader(source, name, options).read(notes);
}

}  // namespace dalaup
