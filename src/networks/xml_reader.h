#pragma once
// XML through libxml2's streaming reader: one reader object, no process-wide handlers. Private to
// networks.
#include <libxml/xmlreader.h>

#include <exception>
#include <memory>
#include <string>

#include "base/base.h"
#include "networks/xml_guard.h"

namespace dalaup {

// Walks through the elements of one file and hands them to the form that is read.
class XmlReader {
 public:
  // `form` is the name of the form, `root` that of its outermost element.
  XmlReader(std::unique_ptr<ByteSource> source, const std::string& file, const char* form,
            const char* root);
  virtual ~XmlReader() = default;
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

 protected:
  virtual void begin_element(const std::string& name) = 0;
  virtual void end_element(const std::string& name) = 0;  // of empty elements too
  virtual void text(const std::string& /*text*/) {}

  void walk();
  std::string attribute(const char* name);
  std::size_t line();
  [[noreturn]] void fail(std::size_t at, const std::string& message, std::string hint = {}) const;
  const std::string& file() const { return file_; }

 private:
  // What libxml2 calls back into: a source whose exceptions must not cross C code.
  struct Input {
    std::unique_ptr<ByteSource> source;
    XmlGuard guard;
    std::exception_ptr error;
    std::string message;  // of the first XML fault
    std::size_t line = 0;
  };
  static int read_bytes(void* context, char* buffer, int size);
  static void keep_fault(void* context, xmlErrorPtr fault);
  std::string element();
  bool advance();

  Input input_;
  const std::string& file_;
  const char* form_;
  const char* root_;
  std::unique_ptr<xmlTextReader, decltype(&xmlFreeTextReader)> reader_;
  bool found_root_ = false;
};

}  // namespace dalaup
