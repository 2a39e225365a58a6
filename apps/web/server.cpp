#include <arpa/inet.h>
#include <fmt/format.h>

#include "web/api.h"
#include "web/assets.h"
#include "web/guard.h"
#include "web/http_server.h"
#include "web/server_note.h"
#include "web/sign_in.h"
#include "web/web.h"

namespace dalaup {
namespace {

constexpr double kWrongTokenSeconds = 1.0;  // until a wrong token is told so
constexpr const char* kNoLongerValid = "This token is no longer valid.";

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
        token(is_loopback(options.host) ? std::string() : fresh_token()),
        sign_in(session.study(), token),
        server(options.host, options.port, options.limits) {
    const TokenRules rules{
        .is_needed = [this] { return sign_in.needs_token(); },
        .accepts = [this](const std::string& brought) { return sign_in.accepts(brought); }};
    guard.emplace(own_hosts(options, server.port()), rules,
                  fmt::format("dalaup_token_{}", server.port()), options.requests_per_second);
    server.start(
        {.screen = [this](const HttpRequest& head) { return screen(head); },
         .answer = [this](const HttpRequest& request) { return answer(request); },
         .event = [&session](std::int64_t after,
                             double seconds) { return session.wait_for_change(after, seconds); },
         .event_reply = [](std::int64_t event) { return Api::event_reply(event); },
         .refuse_waiting = [this](const HttpRequest& request) { return refuse_waiting(request); }});
    const bool everywhere = options.host == "0.0.0.0" || options.host == "::";
    note.emplace(session.study().path(),
                 ServerAddress{.host = everywhere ? "127.0.0.1" : options.host,
                               .port = server.port(),
                               .token = sign_in.command_token()});
  }

  // The token may come in the address once; it then moves into a cookie that scripts cannot read.
  std::optional<HttpReply> screen(const HttpRequest& head) {
    const auto given = head.query.find("token");
    const bool brings_token =
        head.path == "/" && given != head.query.end() && sign_in.needs_token();
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
                       .fields = {{"Set-Cookie", guard->cookie(given->second)}, {"Location", "/"}}};
    moved.closes = head.method != "GET";
    return moved;
  }

  std::string token_of(const HttpRequest& request) const {
    return guard->token_of(std::string(request.field("authorization")),
                           std::string(request.field("cookie")));
  }

  // Whoever is revoked while waiting for news hears none.
  std::optional<HttpReply> refuse_waiting(const HttpRequest& request) const {
    if (!sign_in.needs_token() || sign_in.accepts(token_of(request))) return std::nullopt;
    return rejection(401, kNoLongerValid);
  }

  HttpReply answer(const HttpRequest& request) {
    if (request.path.starts_with("/api/")) {
      const std::string brought = token_of(request);
      const auto person = sign_in.person_with(brought);
      const bool is_import = request.path == "/api/import" && sign_in.is_command(brought);
      if (!person && !is_import && sign_in.has_people())
        return rejection(401, kNoLongerValid);  // revoked a moment ago
      return api.handle(request, person);
    }
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
  SignIn sign_in;
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
  if (parts_->sign_in.has_people())
    address += "?token=THE-PERSONS-OWN";
  else if (!parts_->token.empty())
    address += "?token=" + parts_->token;
  return address;
}

}  // namespace dalaup
