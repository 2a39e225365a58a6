#pragma once
// Looks at XML before libxml2 does. Private to networks.
#include <cstddef>
#include <string>
#include <string_view>

namespace dalaup {

// Debian 12's libxml2 compares every attribute of an element with every other one and cannot be
// stopped meanwhile, and it reads whole document types before it hands one out. So tags are
// followed here, byte by byte, in encodings where a byte of markup is always markup.
class XmlGuard {
 public:
  explicit XmlGuard(const std::string& file) : file_(file) {}

  // The next bytes of the file. Throws InputError for an element with too many attributes and for a
  // document type.
  void follow(std::string_view bytes);

 private:
  enum class State { kText, kTagBegin, kTag, kQuoted, kBang, kComment, kCdata, kInstruction };
  void follow(char byte);

  static constexpr std::size_t kMostAttributes = 1000;
  const std::string& file_;
  State state_ = State::kText;
  std::string opening_;     // of what begins with <!
  char last_[2] = {0, 0};   // the two bytes before
  std::size_t inside_ = 0;  // bytes since a comment, CDATA section or instruction began
  char quote_ = 0;
  std::size_t attributes_ = 0;
  std::size_t line_ = 1;
};

// The encoding that XML declares in its first bytes; "UTF-8" when it declares none. Throws
// InputError for one in which bytes of markup may mean something else, such as UTF-16 or UTF-7.
std::string xml_encoding(std::string_view beginning, const std::string& file);

}  // namespace dalaup
