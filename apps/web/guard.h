#pragma once
// Who may ask: the checks every request passes before anything looks at it. Private to web.
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dalaup {

struct RequestFacts {
  std::string method;
  std::string path;
  std::string remote_address;
  std::string host;  // headers; empty: absent
  std::string origin;
  std::string fetch_site;  // Sec-Fetch-Site
  std::string content_type;
  std::string authorization;
  std::string cookie;
};

struct Rejection {
  int status = 403;
  std::string message;
  bool is_wrong_token = false;
};

// Whether a token is needed now, and whether this is one. Must be quick.
struct TokenRules {
  std::function<bool()> is_needed;
  std::function<bool(const std::string& token)> accepts;
};

class Guard {
 public:
  // The cookie's name must differ between servers on one machine: browsers keep one set of cookies
  // for all ports.
  Guard(std::vector<std::string> hosts, TokenRules tokens, std::string cookie_name,
        double requests_per_second);

  // Against DNS rebinding: the Host header must name this server. Against other sites: Origin and
  // Sec-Fetch-Site, and only JSON bodies, which no form can send. Nothing: let it pass.
  std::optional<Rejection> check(const RequestFacts& request);
  // What came as Authorization or cookie; empty: nothing.
  std::string token_of(const std::string& authorization, const std::string& cookie) const;
  std::string cookie(const std::string& token) const;

 private:
  struct Bucket {
    double tokens = 0.0;
    std::chrono::steady_clock::time_point at;
  };
  bool takes_one(std::map<std::string, Bucket>& buckets, const std::string& address,
                 double per_second, double most);
  bool is_own_host(const std::string& host) const;

  std::vector<std::string> hosts_;  // with port
  TokenRules tokens_;               // protect it, so that any literal IP address will do as well
  std::string cookie_name_;
  double requests_per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> requests_;
  std::map<std::string, Bucket> guesses_;  // of the token
};

}  // namespace dalaup
