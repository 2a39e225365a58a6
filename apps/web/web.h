#pragma once
// The labelling page and its HTTP API, served from memory. Listens on this machine only unless told
// otherwise; see docs/use/http-api.md.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/study.h"
#include "web/http_client.h"
#include "web/http_limits.h"

namespace dalaup {

// What whoever runs a study tells the people who answer.
struct PageParams {
  std::string name_a = {};  // of network A, such as Foursquare
  std::string name_b = {};
  int budget = 0;         // answers wanted in all; 0: no end is set
  bool pictures = false;  // show pictures that profiles point to; they come from other servers
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PageParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("name_a", params.name_a, Choices{}, "name of network A for people, such as Foursquare");
  visit("name_b", params.name_b, Choices{}, "name of network B for people");
  visit("budget", params.budget, 0, 1000000000, "answers wanted in all; 0: no end is set");
  visit("pictures", params.pictures,
        "show pictures that profiles point to; browsers then ask other servers for them");
}

struct WebOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                         // 0: any free one
  std::vector<std::string> known_as = {};  // further names this server may be called by
  std::string annotator = {};              // offered to the page as the person's name
  double requests_per_second = 1000.0;     // from one address; beyond it 429
  PageParams page = {};
  std::string guidelines = {};  // Markdown
  HttpLimits limits = {};
};

bool is_loopback(const std::string& host);

// Where the server of a study that is being labelled can be reached from this machine.
struct ServerAddress {
  std::string host;
  int port = 0;
  std::string token;  // empty: none is needed
};
// Nothing when no server of this user left word of itself beside the study.
std::optional<ServerAddress> server_of(const std::string& study);

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
