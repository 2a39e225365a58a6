#include "web/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/base.h"
#include "web/beast.h"

namespace dalaup {

struct HttpClient::Parts {
  std::string host;
  int port = 0;
  double most_seconds = 60.0;
  asio::io_context io;
  std::optional<beast::tcp_stream> stream;
  beast::flat_buffer buffer;

  // Runs one asynchronous operation to its end: only those keep to a time.
  template <class Begin>
  beast::error_code run(Begin&& begin) {
    beast::error_code result;
    begin([&](beast::error_code error, auto&&...) { result = error; });
    io.restart();
    io.run();
    return result;
  }

  beast::error_code connect() {
    beast::error_code error;
    const auto found = tcp::resolver(io).resolve(host, std::to_string(port), error);
    if (error) return error;
    stream.emplace(io);
    buffer.clear();
    stream->expires_after(as_duration(most_seconds));
    error = run([&](auto done) { stream->async_connect(found, std::move(done)); });
    if (!error) stream->socket().set_option(tcp::no_delay(true), error);
    return error;
  }

  beast::error_code exchange(const beast::http::request<beast::http::string_body>& request,
                             beast::http::response<beast::http::string_body>& response) {
    stream->expires_after(as_duration(most_seconds));
    beast::error_code error =
        run([&](auto done) { beast::http::async_write(*stream, request, std::move(done)); });
    // A server that refuses a request need not read it to the end; its reply counts.
    const beast::error_code read = run(
        [&](auto done) { beast::http::async_read(*stream, buffer, response, std::move(done)); });
    return read ? (error ? error : read) : beast::error_code();
  }
};

std::string HttpClientReply::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, [](const auto& field) { return field.first; });
  return found == fields.end() ? std::string() : found->second;
}

HttpClient::HttpClient(std::string host, int port, double most_seconds)
    : parts_(std::make_unique<Parts>()) {
  parts_->host = std::move(host);
  parts_->port = port;
  parts_->most_seconds = most_seconds;
}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;

HttpClientReply HttpClient::ask(const std::string& method, const std::string& target,
                                const HttpFields& fields, const std::string& body) {
  namespace http = beast::http;
  http::request<http::string_body> request;
  request.method_string(method);
  request.target(target);
  request.set(http::field::host, fmt::format("{}:{}", parts_->host, parts_->port));
  for (const auto& [name, value] : fields) request.set(name, value);
  request.body() = body;
  if (!body.empty() || method == "POST") request.prepare_payload();
  http::response<http::string_body> response;
  const bool was_open = parts_->stream.has_value();
  beast::error_code error = was_open ? beast::error_code() : parts_->connect();
  if (!error) error = parts_->exchange(request, response);
  // Only a connection that the server closed between two requests is tried again.
  if (was_open && (error == http::error::end_of_stream || error == asio::error::connection_reset ||
                   error == asio::error::broken_pipe)) {
    response = {};
    error = parts_->connect();
    if (!error) error = parts_->exchange(request, response);
  }
  if (error) {
    parts_->stream.reset();
    throw InputError(fmt::format("{}:{}: {}", parts_->host, parts_->port, error.message()),
                     "is dalaup label still running?");
  }
  HttpClientReply reply{.status = static_cast<int>(response.result_int())};
  for (const auto& field : response) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char letter) {
      return static_cast<char>(std::tolower(letter));
    });
    reply.fields.emplace_back(std::move(name), std::string(field.value()));
  }
  reply.body = std::move(response.body());
  if (!response.keep_alive()) parts_->stream.reset();
  return reply;
}

HttpClientReply HttpClient::get(const std::string& target, const HttpFields& fields) {
  return ask("GET", target, fields, {});
}

HttpClientReply HttpClient::post(const std::string& target, const std::string& json,
                                 const HttpFields& fields) {
  HttpFields all{{"Content-Type", "application/json"}};
  all.insert(all.end(), fields.begin(), fields.end());
  return ask("POST", target, all, json);
}

}  // namespace dalaup
