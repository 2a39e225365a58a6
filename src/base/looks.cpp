#include "base/looks.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"

namespace dalaup {

std::string utf8_of(std::uint32_t code) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto later = [&](std::uint32_t shift) { return byte(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | (code >> 6)), later(0)};
  if (code < 0x10000) return {byte(0xe0 | (code >> 12)), later(6), later(0)};
  return {byte(0xf0 | (code >> 18)), later(12), later(6), later(0)};
}

namespace {

// Letters with the mark that follows their first letter when they are written in two.
struct Marked {
  const char* letters;  // a letter, then the one that it is with the mark, and so on
  std::uint32_t mark;
};
constexpr Marked kMarked[] = {{"AÀEÈIÌOÒUÙaàeèiìoòuùNǸnǹ", 0x300},
                              {"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź", 0x301},
                              {"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ", 0x302},
                              {"AÃNÑOÕaãnñoõIĨiĩUŨuũ", 0x303},
                              {"AĀaāEĒeēIĪiīOŌoōUŪuū", 0x304},
                              {"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ", 0x306},
                              {"CĊcċEĖeėGĠgġIİZŻzż", 0x307},
                              {"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ", 0x308},
                              {"AÅaåUŮuů", 0x30a},
                              {"OŐoőUŰuű", 0x30b},
                              {"CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž", 0x30c},
                              {"CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ", 0x327},
                              {"AĄaąEĘeęIĮiįUŲuų", 0x328}};

// By the letter in one piece: what it is in two.
const std::map<std::string, std::string, std::less<>>& letters_in_two() {
  static const auto letters = [] {
    std::map<std::string, std::string, std::less<>> known;
    for (const Marked& marked : kMarked) {
      const std::string_view all = marked.letters;
      for (std::size_t at = 0; at < all.size(); at += 3)
        known.emplace(all.substr(at + 1, 2), std::string(1, all[at]) + utf8_of(marked.mark));
    }
    return known;
  }();
  return letters;
}

}  // namespace

std::string look_of(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  std::string look;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const std::string_view letter = text.substr(at, size);
    at += size;
    if (letter == "\u00a0" || letter == "\u2007" || letter == "\u202f") {
      look += ' ';
    } else if (letter == "\u00ad" || letter == "\u200b" || letter == "\u200c" ||
               letter == "\u200d" || letter == "\u2060" || letter == "\ufeff") {
      continue;  // nothing to see
    } else {
      const auto found = letters_in_two().find(letter);
      look += found == letters_in_two().end() ? letter : std::string_view(found->second);
    }
  }
  return std::string(trimmed(look));
}

}  // namespace dalaup
