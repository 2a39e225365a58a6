#include "web/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/base.h"

namespace dalaup {
namespace {

constexpr std::string_view kSafeFields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:{}; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

// Two of them would let two programs on the way see two different requests.
constexpr std::array<std::string_view, 8> kOnlyOnce{
    "host",          "origin", "content-type",   "content-length",
    "authorization", "cookie", "sec-fetch-site", "transfer-encoding"};

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 303:
      return "See Other";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return status < 500 ? "Problem" : "Internal Server Error";
  }
}

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// Nothing for a broken escape and for what is no UTF-8: it would end up in the journal.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string result;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (text[place] == '+' && plus_is_blank) {
      result += ' ';
    } else if (text[place] != '%') {
      result += text[place];
    } else {
      if (place + 2 >= text.size()) return std::nullopt;
      const int high = value_of(text[place + 1]);
      const int low = value_of(text[place + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      place += 2;
    }
  }
  if (!is_utf8(result)) return std::nullopt;
  return result;
}

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, [](const auto& field) { return field.first; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

HttpReply rejection(int status, const std::string& message) {
  return {.status = status,
          .body = nlohmann::json{{"error", message}}.dump(-1, ' ', false,
                                                          nlohmann::json::error_handler_t::replace),
          .closes = true};
}

bool parse_target(std::string_view target, HttpRequest& request) {
  if (!target.starts_with('/')) return false;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto path = decoded(target.substr(0, mark), false);
  if (!path) return false;
  request.path = *path;
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view one = rest.substr(0, end);
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto name = decoded(one.substr(0, equals), true);
    const auto value = decoded(one.substr(std::min(equals + 1, one.size())), true);
    if (!name || !value) return false;
    if (!one.empty()) request.query.emplace(*name, *value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

std::optional<HttpReply> framing_doubt(const HttpRequest& head, std::uint64_t most_bytes) {
  for (const std::string_view name : kOnlyOnce)
    if (std::ranges::count(head.fields, name, [](const auto& field) { return field.first; }) > 1)
      return rejection(400, fmt::format("{} stands there twice", name));
  if (!head.field("transfer-encoding").empty())
    return rejection(411, "say how long the body is (Content-Length); chunks are not taken");
  if (const auto coding = head.field("content-encoding"); !coding.empty() && coding != "identity")
    return rejection(415, "send the body as it is, not compressed");
  const std::string_view length = head.field("content-length");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (!length.empty() && (error != std::errc() || end != length.data() + length.size()))
    return rejection(400, "Content-Length: expected a whole number");
  if (bytes > most_bytes)
    return rejection(413, fmt::format("the request is larger than {} MB", most_bytes >> 20));
  if (bytes > 0 && (head.method == "GET" || head.method == "HEAD"))
    return rejection(400, "only POST brings a body");
  return std::nullopt;
}

std::string head_of(const HttpReply& reply, bool keeps_open) {
  const std::size_t bytes =
      reply.lasting_body.empty() ? reply.body.size() : reply.lasting_body.size();
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_of(reply.status));
  head += fmt::format(kSafeFields, reply.allows_pictures ? " https:" : "");
  head += fmt::format("Content-Length: {}\r\nContent-Type: {}\r\n", bytes, reply.type);
  for (const auto& [name, value] : reply.fields) head += fmt::format("{}: {}\r\n", name, value);
  head += keeps_open ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace dalaup
