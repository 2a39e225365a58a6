#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include "study/records.h"

namespace dalaup {
namespace {

// NFC, in UTF-16; nothing when it is no text or too long to be a name.
std::optional<std::u16string> composed(std::string_view text) {
  if (text.size() > 16 * kLongestAnnotator || !is_utf8(text)) return std::nullopt;
  UErrorCode error = U_ZERO_ERROR;
  std::u16string wide(text.size(), u'\0');  // no letter takes more units than bytes
  std::int32_t length = 0;
  u_strFromUTF8(wide.data(), static_cast<std::int32_t>(wide.size()), &length, text.data(),
                static_cast<std::int32_t>(text.size()), &error);
  const UNormalizer2* const nfc = unorm2_getNFCInstance(&error);
  if (U_FAILURE(error)) return std::nullopt;
  std::u16string result(4 * wide.size() + 4, u'\0');  // some letters have no composed form
  const std::int32_t size = unorm2_normalize(nfc, wide.data(), length, result.data(),
                                             static_cast<std::int32_t>(result.size()), &error);
  if (U_FAILURE(error)) return std::nullopt;
  result.resize(static_cast<std::size_t>(size));
  return result;
}

// Letters, digits, signs: no controls, no marks of direction, nothing of width zero.
bool can_be_seen(UChar32 letter) {
  switch (u_charType(letter)) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_SURROGATE:
    case U_PRIVATE_USE_CHAR:
    case U_UNASSIGNED:
      return false;
    default:
      return u_hasBinaryProperty(letter, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) == 0;
  }
}

void append_utf8(std::string& text, UChar32 letter) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  const auto code = static_cast<std::uint32_t>(letter);
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace

std::optional<std::string> annotator_named(std::string_view text) {
  const auto wide = composed(text);
  if (!wide) return std::nullopt;
  std::string name;
  bool after_blank = false;
  for (std::size_t place = 0; place < wide->size();) {
    UChar32 letter = 0;
    U16_NEXT(wide->data(), place, wide->size(), letter);
    if (u_charType(letter) == U_SPACE_SEPARATOR) {
      after_blank = true;
      continue;
    }
    if (!can_be_seen(letter)) return std::nullopt;
    if (after_blank && !name.empty()) name += ' ';
    after_blank = false;
    append_utf8(name, letter);
  }
  if (name.empty() || name.size() > kLongestAnnotator) return std::nullopt;
  return name;
}

std::string checked_annotator(std::string_view text) {
  const auto name = annotator_named(text);
  if (!name)
    throw ParameterError(
        fmt::format("annotator: found {}, expected a name of 1 to {} bytes of UTF-8 without "
                    "characters that cannot be seen",
                    quoted(text), kLongestAnnotator));
  return *name;
}

}  // namespace dalaup
