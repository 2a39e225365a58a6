#include "web/assets.h"

#include <array>

// The assembler copies the files; DALAUP_PAGE_FOLDER is where Vite left them.
#define DALAUP_ASSET(symbol, file)                                   \
  __asm__(".section .rodata\n.global " #symbol "_begin\n" #symbol    \
          "_begin:\n.incbin \"" DALAUP_PAGE_FOLDER "/" file          \
          "\"\n"                                                     \
          ".global " #symbol "_end\n" #symbol "_end:\n.previous\n"); \
  extern "C" const char symbol##_begin[];                            \
  extern "C" const char symbol##_end[];

DALAUP_ASSET(dalaup_page_html, "index.html")
DALAUP_ASSET(dalaup_page_js, "app.js")
DALAUP_ASSET(dalaup_page_css, "app.css")

namespace dalaup {

const Asset* find_asset(std::string_view path) {
  static const std::array kAssets{
      Asset{"/", "text/html; charset=utf-8", {dalaup_page_html_begin, dalaup_page_html_end}},
      Asset{
          "/app.js", "text/javascript; charset=utf-8", {dalaup_page_js_begin, dalaup_page_js_end}},
      Asset{"/app.css", "text/css; charset=utf-8", {dalaup_page_css_begin, dalaup_page_css_end}}};
  for (const Asset& asset : kAssets)
    if (asset.path == path) return &asset;
  return nullptr;
}

}  // namespace dalaup
