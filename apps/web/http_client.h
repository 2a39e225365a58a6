#pragma once
// Asks a running server: for commands that reach a study through it, and for tests.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dalaup {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpClientReply {
  int status = 0;
  HttpFields fields = {};  // names in lower case
  std::string body = {};
  std::string field(std::string_view name) const;  // empty when there is none
};

// One connection, opened when needed and kept open between requests. Throws InputError when nobody
// answers there.
class HttpClient {
 public:
  HttpClient(std::string host, int port, double most_seconds = 60.0);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  HttpClientReply get(const std::string& target, const HttpFields& fields = {});
  HttpClientReply post(const std::string& target, const std::string& json,
                       const HttpFields& fields = {});
  HttpClientReply ask(const std::string& method, const std::string& target,
                      const HttpFields& fields, const std::string& body);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalaup
