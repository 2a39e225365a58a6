#pragma once
// An HTTP/1.1 server for small JSON requests from strangers: every size, time and number has a
// limit, and a slow client holds a socket but no thread. Private to web.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "web/http_limits.h"
#include "web/http_message.h"

namespace dalaup {

struct HttpHandler {
  // The head is there, nothing of the body. A reply rejects the request, unread. Must be quick.
  std::function<std::optional<HttpReply>(const HttpRequest&)> screen;
  // On a worker; may take its time.
  std::function<HttpReply(const HttpRequest&)> answer;
  // For replies with `wait`: the number now, after waiting a moment for it to leave `after`.
  std::function<std::int64_t(std::int64_t after, double seconds)> event;
  std::function<HttpReply(std::int64_t event)> event_reply;
  // A request that waits may be refused at any moment after all. Must be quick.
  std::function<std::optional<HttpReply>(const HttpRequest&)> refuse_waiting;
};

class HttpServer {
 public:
  // Takes the address; port 0: any free one. Throws InputError when it cannot be taken.
  HttpServer(const std::string& host, int port, const HttpLimits& limits);
  // Lets requests under way finish, for stop_seconds at most.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Serves from now on; call once.
  void start(HttpHandler handler);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalaup
