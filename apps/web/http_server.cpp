// One thread owns every socket and all that is known about it, so nothing here needs a lock; only
// answers are made elsewhere, on workers, and handed back.
#include "web/http_server.h"

#include <fmt/format.h>

#include <thread>

#include "base/base.h"
#include "web/http_connection.h"

namespace dalaup {
namespace {

constexpr double kTickSeconds = 0.1;
constexpr double kEventSliceSeconds = 0.2;  // also how long stopping may wait for the watcher
constexpr int kWaitingConnections = 256;    // fifty people may come at once

tcp::endpoint endpoint_of(asio::io_context& io, const std::string& host, int port) {
  boost::system::error_code error;
  const auto found =
      tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty())
    throw InputError(fmt::format("{}: there is no such address on this machine", host),
                     "--host 127.0.0.1 serves this machine only, --host 0.0.0.0 all networks");
  return found.begin()->endpoint();
}

}  // namespace

struct HttpServer::Parts final : HttpConnections {
  explicit Parts(const HttpLimits& given)
      : HttpConnections(given), workers(static_cast<std::size_t>(given.workers)) {}

  void bind(const std::string& host, int port) {
    boost::system::error_code error;
    const tcp::endpoint endpoint = endpoint_of(io, host, port);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(kWaitingConnections, error);
    if (error)
      throw InputError(fmt::format("{}:{}: this address cannot be taken", host, port),
                       "another program may use the port; try --port 8081, or --port 0 for any");
  }

  void start(HttpHandler given) {
    handler = std::move(given);
    event = handler.event(-1, 0.0);
    accept();
    tick();
    io_thread = std::thread([this] { run(); });
    watcher = std::thread([this] { watch(); });
  }

  // What a request throws here (memory, mostly) ends its connection: the handler that held it is
  // gone. The others go on.
  void run() {
    for (;;) {
      try {
        io.run();
        return;
      } catch (const std::exception&) {
        if (io.stopped()) return;
      }
    }
  }

  void watch() {
    std::int64_t known = event;
    while (!stopping) {
      const std::int64_t now = handler.event(known, kEventSliceSeconds);
      if (now == known) continue;
      known = now;
      asio::post(io, [this, now] {
        event = now;
        for (const auto& connection : connections()) connection->notice_event();
      });
    }
  }

  void accept() {
    acceptor.async_accept(io, [this](boost::system::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // no descriptor left, for example: some will be given back
        pause.expires_after(std::chrono::milliseconds(100));
        pause.async_wait([this](boost::system::error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      try {
        admit(std::move(socket));
      } catch (const std::exception&) {  // no memory for it: that one is closed, others are not
      }
      accept();
    });
  }

  void tick() {
    timer.expires_after(
        std::chrono::milliseconds(static_cast<std::int64_t>(kTickSeconds * 1000.0)));
    timer.async_wait([this](boost::system::error_code error) {
      if (error) return;
      try {
        for (const auto& connection : connections()) connection->check_time();
      } catch (const std::exception&) {  // no memory just now: the next tick tries again
      }
      const bool over = stopping && std::chrono::steady_clock::now() >= stop_at;
      if (over || (stopping && connections().empty())) {
        io.stop();
        return;
      }
      tick();
    });
  }

  void stop() {
    if (!io_thread.joinable()) return;
    stop_at = std::chrono::steady_clock::now() + as_duration(limits.stop_seconds);
    stopping = true;
    asio::post(io, [this] {
      acceptor.close();
      for (const auto& connection : connections()) connection->finish();
    });
    io_thread.join();
    watcher.join();
    workers.join();
    close_all();
  }

  void answer_later(std::shared_ptr<HttpConnection> connection,
                    const HttpRequest& request) override {
    asio::post(workers, [this, connection = std::move(connection), &request]() mutable {
      HttpReply reply;
      try {
        reply = handler.answer(request);
      } catch (const std::bad_alloc&) {
        reply = rejection(503, "there is not enough memory for this request");
      } catch (const std::exception& error) {
        reply = rejection(500, error.what());
      }
      // Moved on, so that the connection is never destroyed on this thread.
      asio::post(io, [connection = std::move(connection), reply = std::move(reply)]() mutable {
        connection->reply(std::move(reply));
      });
    });
  }

  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  asio::steady_timer timer{io};
  asio::thread_pool workers;
  std::chrono::steady_clock::time_point stop_at;
  std::thread io_thread;
  std::thread watcher;
};

HttpServer::HttpServer(const std::string& host, int port, const HttpLimits& limits)
    : parts_(std::make_unique<Parts>(limits)) {
  parts_->bind(host, port);
}

HttpServer::~HttpServer() { parts_->stop(); }

int HttpServer::port() const { return parts_->acceptor.local_endpoint().port(); }

void HttpServer::start(HttpHandler handler) { parts_->start(std::move(handler)); }

}  // namespace dalaup
