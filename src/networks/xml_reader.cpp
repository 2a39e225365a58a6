#include "networks/xml_reader.h"

#include <fmt/format.h>

#include "networks/table.h"

namespace dalaup {
namespace {

std::string text_of(const xmlChar* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

}  // namespace

int XmlReader::read_bytes(void* context, char* buffer, int size) {
  auto& input = *static_cast<Input*>(context);
  try {
    const std::size_t count = input.source->read({buffer, static_cast<std::size_t>(size)});
    input.guard.follow({buffer, count});
    return static_cast<int>(count);
  } catch (...) {
    input.error = std::current_exception();
    return -1;
  }
}

void XmlReader::keep_fault(void* context, xmlErrorPtr fault) {
  auto& input = *static_cast<Input*>(context);
  if (!input.message.empty() || fault == nullptr || fault->level < XML_ERR_ERROR) return;
  input.message = fault->message == nullptr ? "unknown fault" : fault->message;
  while (!input.message.empty() && (input.message.back() == '\n' || input.message.back() == '.'))
    input.message.pop_back();
  input.line = fault->line > 0 ? static_cast<std::size_t>(fault->line) : 0;
}

XmlReader::XmlReader(std::unique_ptr<ByteSource> source, const std::string& file, const char* form,
                     const char* root)
    : input_{.source = {}, .guard = XmlGuard(file), .error = {}, .message = {}},
      file_(file),
      form_(form),
      root_(root),
      reader_(nullptr, xmlFreeTextReader) {
  xmlInitParser();  // safe to call from any thread, any number of times
  Beginning beginning = peek(std::move(source));
  const std::string encoding = xml_encoding(beginning.text, file);
  input_.source = std::move(beginning.source);
  reader_.reset(xmlReaderForIO(
      read_bytes, nullptr, &input_, nullptr, encoding.c_str(),
      XML_PARSE_NONET | XML_PARSE_COMPACT | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC));
  if (!reader_) throw StateError("libxml2 cannot be started");
  xmlTextReaderSetStructuredErrorHandler(reader_.get(), keep_fault, &input_);
}

void XmlReader::fail(std::size_t at, const std::string& message, std::string hint) const {
  throw InputError(file_, at, message, std::move(hint));
}

std::string XmlReader::element() { return text_of(xmlTextReaderConstLocalName(reader_.get())); }

// Of the element itself; libxml2 keeps at most 65,535 there and is further on in the file.
std::size_t XmlReader::line() {
  const xmlNodePtr node = xmlTextReaderCurrentNode(reader_.get());
  const long own = node == nullptr ? -1 : xmlGetLineNo(node);
  if (own > 0 && own < 65535) return static_cast<std::size_t>(own);
  const int number = xmlTextReaderGetParserLineNumber(reader_.get());
  return number > 0 ? static_cast<std::size_t>(number) : 0;
}

std::string XmlReader::attribute(const char* name) {
  const std::unique_ptr<xmlChar, void (*)(xmlChar*)> value(
      xmlTextReaderGetAttribute(reader_.get(), reinterpret_cast<const xmlChar*>(name)),
      [](xmlChar* text) { xmlFree(text); });
  return text_of(value.get());
}

bool XmlReader::advance() {
  const int status = xmlTextReaderRead(reader_.get());
  if (input_.error) std::rethrow_exception(input_.error);
  if (status < 0 || !input_.message.empty())
    fail(input_.line,
         fmt::format("found XML that cannot be read ({}), expected well-formed {}",
                     input_.message.empty() ? "unknown fault" : input_.message, form_),
         fmt::format("is the file whole, and is it {}?", form_));
  return status == 1;
}

void XmlReader::walk() {
  while (advance()) {
    switch (xmlTextReaderNodeType(reader_.get())) {
      case XML_READER_TYPE_ELEMENT: {
        const std::string name = element();
        const bool is_empty = xmlTextReaderIsEmptyElement(reader_.get()) == 1;
        if (!found_root_ && name != root_)
          fail(line(), fmt::format("found <{}>, expected <{}>", name, root_),
               fmt::format("is this a {} file?", form_));
        found_root_ = true;
        begin_element(name);
        if (is_empty) end_element(name);
        break;
      }
      case XML_READER_TYPE_END_ELEMENT:
        end_element(element());
        break;
      case XML_READER_TYPE_TEXT:
      case XML_READER_TYPE_CDATA:
        text(text_of(xmlTextReaderConstValue(reader_.get())));
        break;
      case XML_READER_TYPE_DOCUMENT_TYPE:
      case XML_READER_TYPE_ENTITY_REFERENCE:
        fail(line(),
             fmt::format("found a document type or an entity of its own, expected plain {}", form_),
             "remove the <!DOCTYPE ...> part");
      default:
        break;
    }
  }
  if (!found_root_)
    fail(0, fmt::format("found no <{}> element, expected one", root_),
         fmt::format("is this {}?", form_));
}

}  // namespace dalaup
