#pragma once
// Requests and replies as the server hands them on, without any HTTP library. Private to web.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalaup {

struct HttpRequest {
  std::string method;
  std::string path;  // percent-decoded, such as /api/next
  std::map<std::string, std::string> query;
  std::vector<std::pair<std::string, std::string>> fields;  // of the head, names in lower case
  std::string remote_address;
  std::string body;

  // Empty when there is none.
  std::string_view field(std::string_view name) const;
};

// A reply that waits until a number is no longer `after`, or until the time is over.
struct EventWait {
  std::int64_t after = 0;
  double seconds = 0.0;
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::string_view lasting_body = {};  // sent instead of `body` when given: outlives the server
  std::vector<std::pair<std::string, std::string>> fields = {};
  bool closes = false;         // the connection, whatever the client asked for
  double delay_seconds = 0.0;  // before it is sent
  std::optional<EventWait> wait = {};
  bool allows_pictures = false;  // of other servers, in the page that this is
};

// {"error": message}, with the connection closed: nothing that follows on it can be trusted.
HttpReply rejection(int status, const std::string& message);

// Splits "/path?name=value" and decodes it. False for anything but a path with valid escapes.
bool parse_target(std::string_view target, HttpRequest& request);

// What is wrong with the head, before anything of the body is read: fields that may stand there
// only once, bodies of unknown length or compressed, bodies where none belongs.
std::optional<HttpReply> framing_doubt(const HttpRequest& head, std::uint64_t most_bytes);

// Status line and fields of a reply, up to the empty line.
std::string head_of(const HttpReply& reply, bool keeps_open);

}  // namespace dalaup
