#include <fmt/format.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "web/api.h"
#include "web/assets.h"
#include "web/guard.h"
#include "web/web.h"

namespace dalaup {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a request
constexpr int kWaitingConnections = 256;
constexpr std::size_t kThreads = 160;  // a connection kept alive holds one; 50 people keep three

// cytoscape adds one style element; its hash lets that one in and no other.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' "
    "'sha256-pgvDUBa4IjFA2yuSJ2cqcyxmNYJMborsd0ORcRv9vw8='; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int part = 0; part < 4; ++part) token += fmt::format("{:08x}", device());
  return token;
}

void add_safe_headers(httplib::Response& response) {
  response.set_header("Content-Security-Policy", kContentPolicy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

void set_problem(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(nlohmann::json{{"error", message}}.dump(
                           -1, ' ', false, nlohmann::json::error_handler_t::replace),
                       "application/json");
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

struct WebServer::Parts {
  Parts(LabellingSession& session, WebOptions given)
      : options(std::move(given)), api(session, options.annotator) {}

  void listen() {
    if (!is_loopback(options.host)) token = random_token();
    server.set_tcp_nodelay(true);  // before binding: connections take it over from there
    // Not httplib's default: with SO_REUSEPORT two programs could share the port unnoticed.
    socket_t listening = INVALID_SOCKET;
    server.set_socket_options([&](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      listening = socket;
    });
    if (options.port == 0) {
      port = server.bind_to_any_port(options.host);
    } else if (server.bind_to_port(options.host, options.port)) {
      port = options.port;
    }
    if (port <= 0)
      throw InputError(
          fmt::format("{}:{}: this address cannot be taken", options.host, options.port),
          "another program may use the port; try --port 8081, or --port 0 for any");
    // httplib lets five connections wait; of fifty people who come at once some would wait a
    // second.
    ::listen(listening, kWaitingConnections);
    server.set_socket_options(nullptr);
    std::vector<std::string> hosts;
    for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
      hosts.push_back(fmt::format("{}:{}", name, port));
    hosts.push_back(fmt::format("{}:{}", options.host, port));
    for (const std::string& name : options.known_as) {
      hosts.push_back(name);
      hosts.push_back(fmt::format("{}:{}", name, port));
    }
    guard.emplace(hosts, !token.empty(), token, options.requests_per_second);
    set_up();
    thread = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();
  }

  void set_up() {
    server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // httplib owns it
    server.set_payload_max_length(kMostBytes);
    // One request a connection: the body of a rejected one would be taken for the next request.
    server.set_keep_alive_max_count(1);
    server.set_keep_alive_timeout(2);  // also how long stopping may take
    server.set_read_timeout(10);
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          add_safe_headers(response);
          return passes(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
        });
    server.Get(".*", [this](const auto& request, auto& response) { answer(request, response); });
    server.Post(".*", [this](const auto& request, auto& response) { answer(request, response); });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      add_safe_headers(response);
      if (response.body.empty())
        set_problem(response, response.status,
                    response.status == 413 ? "the request is larger than 1 MB"
                                           : "the request cannot be served");
    });
  }

  // The token may come in the address once; it then moves into a cookie that scripts cannot read.
  bool passes(const httplib::Request& request, httplib::Response& response) {
    RequestFacts facts{.method = request.method,
                       .path = request.path,
                       .remote_address = request.remote_addr,
                       .host = request.get_header_value("Host"),
                       .origin = request.get_header_value("Origin"),
                       .fetch_site = request.get_header_value("Sec-Fetch-Site"),
                       .content_type = request.get_header_value("Content-Type"),
                       .authorization = request.get_header_value("Authorization"),
                       .cookie = request.get_header_value("Cookie")};
    const bool brings_token = !token.empty() && request.path == "/" && request.has_param("token");
    if (brings_token) facts.authorization = "Bearer " + request.get_param_value("token");
    if (const auto rejection = guard->check(facts)) {
      set_problem(response, rejection->status, rejection->message);
      return false;
    }
    if (brings_token) {
      response.set_header("Set-Cookie", Guard::cookie_of(token));
      response.status = 303;
      response.set_header("Location", "/");
      return false;
    }
    return true;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.path.starts_with("/api/")) {
      ApiRequest asked{
          .method = request.method, .path = request.path, .query = {}, .body = request.body};
      for (const auto& [name, value] : request.params) asked.query.emplace(name, value);
      ApiReply reply = api.handle(asked);
      response.status = reply.status;
      response.set_content(std::move(reply.body), "application/json");
      return;
    }
    const Asset* const asset = find_asset(request.path);
    if (asset == nullptr || request.method == "POST") {
      set_problem(response, 404, "there is no such page");
      return;
    }
    response.set_content(asset->content.data(), asset->content.size(), std::string(asset->type));
  }

  WebOptions options;
  Api api;
  std::string token;
  std::optional<Guard> guard;
  httplib::Server server;
  int port = -1;
  std::thread thread;
};

WebServer::WebServer(LabellingSession& session, const WebOptions& options)
    : parts_(std::make_unique<Parts>(session, options)) {
  parts_->listen();
}

WebServer::~WebServer() {
  parts_->api.stop();
  parts_->server.stop();
  if (parts_->thread.joinable()) parts_->thread.join();
}

int WebServer::port() const { return parts_->port; }
const std::string& WebServer::token() const { return parts_->token; }

std::string WebServer::address() const {
  const std::string& host = parts_->options.host;
  const bool everywhere = host == "0.0.0.0" || host == "::";
  const std::string shown = everywhere                    ? "THIS-MACHINE"
                            : host.find(':') != host.npos ? "[" + host + "]"
                                                          : host;
  std::string address = fmt::format("http://{}:{}/", shown, parts_->port);
  if (!parts_->token.empty()) address += "?token=" + parts_->token;
  return address;
}

}  // namespace dalaup
