#include <arpa/inet.h>
#include <fmt/format.h>

#include <random>

#include "web/api.h"
#include "web/assets.h"
#include "web/guard.h"
#include "web/http_server.h"
#include "web/server_note.h"
#include "web/web.h"

namespace dalaup {
namespace {

constexpr double kWrongTokenSeconds = 1.0;  // until a wrong token is told so

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int part = 0; part < 4; ++part) token += fmt::format("{:08x}", device());
  return token;
}

std::vector<std::string> own_hosts(const WebOptions& options, int port) {
  std::vector<std::string> hosts;
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
    hosts.push_back(fmt::format("{}:{}", name, port));
  hosts.push_back(fmt::format("{}:{}", options.host, port));
  for (const std::string& name : options.known_as) {
    hosts.push_back(name);
    hosts.push_back(fmt::format("{}:{}", name, port));
  }
  return hosts;
}

}  // namespace

bool is_loopback(const std::string& host) {
  in_addr address{};
  return host == "localhost" || host == "::1" ||
         (inet_pton(AF_INET, host.c_str(), &address) == 1 && host.starts_with("127."));
}

struct WebServer::Parts {
  Parts(LabellingSession& session, const WebOptions& given)
      : options(given),
        api(session, options),
        token(is_loopback(options.host) ? std::string() : random_token()),
        server(options.host, options.port, options.limits) {
    guard.emplace(own_hosts(options, server.port()), token,
                  fmt::format("dalaup_token_{}", server.port()), options.requests_per_second);
    server.start(
        {.screen = [this](const HttpRequest& head) { return screen(head); },
         .answer = [this](const HttpRequest& request) { return answer(request); },
         .event = [&session](std::int64_t after,
                             double seconds) { return session.wait_for_change(after, seconds); },
         .event_reply = [](std::int64_t event) { return Api::event_reply(event); }});
    const bool everywhere = options.host == "0.0.0.0" || options.host == "::";
    note.emplace(session.study().path(),
                 ServerAddress{.host = everywhere ? "127.0.0.1" : options.host,
                               .port = server.port(),
                               .token = token});
  }

  // The token may come in the address once; it then moves into a cookie that scripts cannot read.
  std::optional<HttpReply> screen(const HttpRequest& head) {
    const auto given = head.query.find("token");
    const bool brings_token = !token.empty() && head.path == "/" && given != head.query.end();
    RequestFacts facts{.method = head.method,
                       .path = head.path,
                       .remote_address = head.remote_address,
                       .host = std::string(head.field("host")),
                       .origin = std::string(head.field("origin")),
                       .fetch_site = std::string(head.field("sec-fetch-site")),
                       .content_type = std::string(head.field("content-type")),
                       .authorization = std::string(head.field("authorization")),
                       .cookie = std::string(head.field("cookie"))};
    if (brings_token) facts.authorization = "Bearer " + given->second;
    if (const auto refused = guard->check(facts)) {
      HttpReply reply = rejection(refused->status, refused->message);
      if (refused->is_wrong_token) reply.delay_seconds = kWrongTokenSeconds;
      return reply;
    }
    if (!brings_token) return std::nullopt;
    HttpReply moved = {.status = 303,
                       .fields = {{"Set-Cookie", guard->cookie()}, {"Location", "/"}}};
    moved.closes = head.method != "GET";
    return moved;
  }

  HttpReply answer(const HttpRequest& request) {
    if (request.path.starts_with("/api/")) return api.handle(request);
    const Asset* const asset = find_asset(request.path);
    if (asset == nullptr || request.method == "POST")
      return {.status = 404, .body = R"({"error":"there is no such page"})"};
    return {.type = std::string(asset->type),
            .lasting_body = asset->content,
            .allows_pictures = options.page.pictures};
  }

  WebOptions options;
  Api api;
  std::string token;
  std::optional<Guard> guard;  // once the port is known
  HttpServer server;           // stops before what it calls goes
  std::optional<ServerNote> note;
};

WebServer::WebServer(LabellingSession& session, const WebOptions& options)
    : parts_(std::make_unique<Parts>(session, options)) {}

WebServer::~WebServer() = default;

int WebServer::port() const { return parts_->server.port(); }
const std::string& WebServer::token() const { return parts_->token; }

std::string WebServer::address() const {
  const std::string& host = parts_->options.host;
  const bool everywhere = host == "0.0.0.0" || host == "::";
  const std::string shown = everywhere                    ? "THIS-MACHINE"
                            : host.find(':') != host.npos ? "[" + host + "]"
                                                          : host;
  std::string address = fmt::format("http://{}:{}/", shown, parts_->server.port());
  if (!parts_->token.empty()) address += "?token=" + parts_->token;
  return address;
}

}  // namespace dalaup
