#include "networks/xml_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base.h"

namespace dalaup {

void XmlGuard::follow(std::string_view bytes) {
  for (const char byte : bytes) {
    follow(byte);
    last_[0] = last_[1];
    last_[1] = byte;
    if (byte == '\n') ++line_;
  }
}

void XmlGuard::follow(char byte) {
  ++inside_;
  // Dashes and brackets of the opening do not count: <!--> is no whole comment.
  const auto ends_with = [&](char first, char second) {
    return byte == '>' && inside_ > 2 && last_[0] == first && last_[1] == second;
  };
  switch (state_) {
    case State::kText:
      if (byte == '<') state_ = State::kTagBegin;
      return;
    case State::kTagBegin:
      attributes_ = 0;
      inside_ = 0;
      opening_.clear();
      state_ = byte == '!'   ? State::kBang
               : byte == '?' ? State::kInstruction
               : byte == '>' ? State::kText
                             : State::kTag;
      return;
    case State::kTag:
      if (byte == '"' || byte == '\'') {
        quote_ = byte;
        state_ = State::kQuoted;
      } else if (byte == '>') {
        state_ = State::kText;
      } else if (byte == '=' && ++attributes_ > kMostAttributes) {
        throw InputError(file_, line_,
                         fmt::format("found an element with more than {} attributes, expected few",
                                     grouped(kMostAttributes)),
                         "GraphML and GEXF keep what they know of a node in elements of their own");
      }
      return;
    case State::kQuoted:
      if (byte == quote_) state_ = State::kTag;
      return;
    case State::kBang:
      opening_ += byte;
      if (opening_ == "--") {
        state_ = State::kComment;
        inside_ = 0;
      } else if (opening_ == "[CDATA[") {
        state_ = State::kCdata;
        inside_ = 0;
      } else if (!std::string_view("--").starts_with(opening_) &&
                 !std::string_view("[CDATA[").starts_with(opening_)) {
        throw InputError(file_, line_,
                         "found a document type or an entity of its own, expected plain XML",
                         "remove the <!DOCTYPE ...> part");
      }
      return;
    case State::kComment:
      if (ends_with('-', '-')) state_ = State::kText;
      return;
    case State::kCdata:
      if (ends_with(']', ']')) state_ = State::kText;
      return;
    case State::kInstruction:
      if (byte == '>' && inside_ > 1 && last_[1] == '?') state_ = State::kText;
      return;
  }
}

std::string xml_encoding(std::string_view beginning, const std::string& file) {
  const auto refuse = [&](const std::string& found) {
    return InputError(
        file, 0, fmt::format("found {}, expected XML in UTF-8", found),
        "convert the file first, for example with iconv, and remove encoding=\"...\"");
  };
  if (beginning.substr(0, 4).find('\0') != beginning.npos || beginning.starts_with("\xff\xfe") ||
      beginning.starts_with("\xfe\xff"))
    throw refuse("UTF-16 or UTF-32");
  if (beginning.starts_with("\xef\xbb\xbf")) beginning.remove_prefix(3);
  if (!beginning.starts_with("<?xml")) return "UTF-8";
  const std::string_view declaration = beginning.substr(0, beginning.find("?>"));
  const std::size_t place = declaration.find("encoding");
  if (place == declaration.npos) return "UTF-8";
  const std::size_t begin = declaration.find_first_of("\"'", place);
  const std::size_t end =
      begin == declaration.npos ? begin : declaration.find(declaration[begin], begin + 1);
  if (end == declaration.npos) throw refuse("an encoding without a name");
  std::string name(declaration.substr(begin + 1, end - begin - 1));
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  for (const std::string_view plain : {"UTF-8", "UTF8", "US-ASCII", "ASCII"})
    if (upper == plain) return "UTF-8";
  for (const std::string_view family : {"ISO-8859-", "WINDOWS-125", "KOI8-"})
    if (upper.starts_with(family)) return name;
  throw refuse(fmt::format("the encoding {}", quoted(name)));
}

}  // namespace dalaup
