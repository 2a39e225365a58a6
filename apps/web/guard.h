#pragma once
// Who may ask: the checks every request passes before anything looks at it. Private to web.
#include <chrono>
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
};

class Guard {
 public:
  // `token` empty: none is needed.
  Guard(std::vector<std::string> hosts, bool any_address, std::string token,
        double requests_per_second);

  // Against DNS rebinding: the Host header must name this server. Against other sites: Origin and
  // Sec-Fetch-Site, and only JSON bodies, which no form can send. Nothing: let it pass.
  std::optional<Rejection> check(const RequestFacts& request);
  bool is_token(const std::string& given) const;
  static std::string cookie_of(const std::string& token);

 private:
  struct Bucket {
    double tokens = 0.0;
    std::chrono::steady_clock::time_point at;
  };
  bool takes_one(std::map<std::string, Bucket>& buckets, const std::string& address,
                 double per_second, double most);
  bool is_own_host(const std::string& host) const;

  std::vector<std::string> hosts_;  // with port
  bool any_address_;                // also any literal IP address, as the token protects it
  std::string token_;
  double requests_per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> requests_;
  std::map<std::string, Bucket> guesses_;  // of the token
};

}  // namespace dalaup
