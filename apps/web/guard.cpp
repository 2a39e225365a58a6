#include "web/guard.h"

#include <arpa/inet.h>

#include <algorithm>

namespace dalaup {
namespace {

constexpr double kGuessesPerSecond = 0.2;
constexpr double kGuessesAtOnce = 10.0;
constexpr std::size_t kMostAddresses = 10000;

// "10.0.0.7", "[fe80::1]", either with ":8080". Names made of hexadecimal digits are none.
bool is_address(const std::string& host) {
  const bool is_six = host.starts_with('[');
  const std::size_t end = is_six ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == host.npos) return false;
  const std::string rest = host.substr(is_six ? end + 1 : end);
  const bool has_port = rest.size() > 1 && rest.size() <= 6 && rest[0] == ':' &&
                        rest.find_first_not_of("0123456789", 1) == rest.npos;
  if (!rest.empty() && !has_port) return false;
  in6_addr address{};
  return inet_pton(is_six ? AF_INET6 : AF_INET, host.substr(is_six, end - is_six).c_str(),
                   &address) == 1;
}

std::string token_in_cookie(const std::string& cookie, const std::string& name) {
  std::size_t begin = 0;
  while (begin < cookie.size()) {
    const std::size_t end = std::min(cookie.find(';', begin), cookie.size());
    std::string one = cookie.substr(begin, end - begin);
    one.erase(0, one.find_first_not_of(' '));
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
    begin = end + 1;
  }
  return {};
}

}  // namespace

Guard::Guard(std::vector<std::string> hosts, TokenRules tokens, std::string cookie_name,
             double requests_per_second)
    : hosts_(std::move(hosts)),
      tokens_(std::move(tokens)),
      cookie_name_(std::move(cookie_name)),
      requests_per_second_(requests_per_second) {}

std::string Guard::cookie(const std::string& token) const {
  return cookie_name_ + "=" + token + "; HttpOnly; SameSite=Strict; Path=/";
}

std::string Guard::token_of(const std::string& authorization, const std::string& cookie) const {
  return authorization.starts_with("Bearer ") ? authorization.substr(7)
                                              : token_in_cookie(cookie, cookie_name_);
}

bool Guard::is_own_host(const std::string& host) const {
  if (std::ranges::find(hosts_, host) != hosts_.end()) return true;
  return tokens_.is_needed() && is_address(host);
}

bool Guard::takes_one(std::map<std::string, Bucket>& buckets, const std::string& address,
                      double per_second, double most) {
  const auto now = std::chrono::steady_clock::now();
  if (buckets.size() > kMostAddresses) buckets.clear();
  auto [found, is_new] = buckets.try_emplace(address, Bucket{most, now});
  Bucket& bucket = found->second;
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  bucket.tokens = std::min(most, bucket.tokens + seconds * per_second);
  bucket.at = now;
  if (bucket.tokens < 1.0) return false;
  bucket.tokens -= 1.0;
  return true;
}

std::optional<Rejection> Guard::check(const RequestFacts& request) {
  const std::lock_guard lock(mutex_);
  if (!takes_one(requests_, request.remote_address, requests_per_second_,
                 2.0 * requests_per_second_))
    return Rejection{429, "Too many requests; slow down."};
  if (!is_own_host(request.host))
    return Rejection{403,
                     "This server does not go by that name. Open the address it printed, or "
                     "start it with --known-as NAME."};
  const bool is_api = request.path.starts_with("/api/");
  if (!request.origin.empty() && request.origin != "http://" + request.host &&
      request.origin != "https://" + request.host)
    return Rejection{403, "Requests from other sites are refused."};
  if (is_api && !request.fetch_site.empty() && request.fetch_site != "same-origin" &&
      request.fetch_site != "none")
    return Rejection{403, "Requests from other sites are refused."};
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
    return Rejection{405, "Only GET and POST are understood."};
  if (request.method == "POST" && !request.content_type.starts_with("application/json"))
    return Rejection{415, "Send JSON (Content-Type: application/json)."};
  if (!tokens_.is_needed()) return std::nullopt;
  const std::string bearer = token_of(request.authorization, request.cookie);
  if (tokens_.accepts(bearer)) return std::nullopt;
  if (!bearer.empty() &&
      !takes_one(guesses_, request.remote_address, kGuessesPerSecond, kGuessesAtOnce))
    return Rejection{429, "Too many wrong tokens; wait a while.", true};
  return Rejection{401,
                   "An access token is needed: open the whole address that dalaup printed, or "
                   "send it as Authorization: Bearer TOKEN.",
                   !bearer.empty()};
}

}  // namespace dalaup
