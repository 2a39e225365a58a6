#pragma once
// The labelling page and its HTTP API, served from memory. Listens on this machine only unless told
// otherwise; see docs/use/http-api.md.
#include <memory>
#include <string>
#include <vector>

#include "study/study.h"
#include "web/http_limits.h"

namespace dalaup {

struct WebOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                         // 0: any free one
  std::vector<std::string> known_as = {};  // further names this server may be called by
  std::string annotator = {};              // offered to the page as the person's name
  double requests_per_second = 1000.0;     // from one address; beyond it 429
  HttpLimits limits = {};
};

bool is_loopback(const std::string& host);

class WebServer {
 public:
  // Listens at once. Throws InputError when the address cannot be taken.
  WebServer(LabellingSession& session, const WebOptions& options);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  int port() const;
  // What to open in a browser; holds the access token when one is needed.
  std::string address() const;
  const std::string& token() const;  // empty on loopback

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalaup
