#pragma once
// One connection from its acceptance to its end, and what all of them share. Everything here runs
// on the thread that runs `io`. Private to http_server.cpp.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "web/beast.h"
#include "web/http_server.h"

namespace dalaup {

class HttpConnection;

class HttpConnections {
 public:
  explicit HttpConnections(const HttpLimits& given) : limits(given) {}
  virtual ~HttpConnections() = default;
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // Serves it, or closes it when there are too many; among those of one address the one that has
  // kept the server waiting longest makes room.
  void admit(tcp::socket socket);
  std::vector<std::shared_ptr<HttpConnection>> connections() const;
  void close_all();

  // Hands the request to a worker, which calls reply(). `request` belongs to the connection.
  virtual void answer_later(std::shared_ptr<HttpConnection> connection,
                            const HttpRequest& request) = 0;

  HttpLimits limits;
  HttpHandler handler;
  std::atomic<bool> stopping{false};
  std::int64_t event = 0;
  std::uint64_t bodies_bytes = 0;  // promised by requests under way

 private:
  friend class HttpConnection;
  bool has_room_for(const std::string& address);
  std::unordered_map<HttpConnection*, std::weak_ptr<HttpConnection>> known_;
  std::map<std::string, std::size_t> by_address_;

 public:
  asio::io_context io{
      1};  // last: what it still holds when it goes takes itself off the lists above
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpConnections& all, tcp::socket socket, std::string address);
  ~HttpConnection();

  void wait_for_request();
  void reply(HttpReply reply);
  void notice_event();
  void check_time();
  // The server stops: what has not been asked yet will not be answered.
  void finish();
  void close();

  const std::string& address() const { return address_; }
  // Whether the client, not the server, is to do something next.
  bool keeps_us_waiting() const { return state_ != State::kAnswering && state_ != State::kClosed; }
  std::chrono::steady_clock::time_point since() const { return since_; }

 private:
  enum class State : std::uint8_t {
    kIdle,       // between requests
    kReading,    // a request
    kAnswering,  // a worker has it
    kWaiting,    // for an event, or for the end of a delay
    kWriting,
    kClosing,  // the reply is out; the client is given a moment to read it
    kClosed,
  };
  using Parser = beast::http::request_parser<beast::http::string_body>;

  void enter(State state);
  void read_head();
  void take_head();
  void read_body();
  void take_body();
  void fail(beast::error_code error);
  HttpReply event_reply() const;
  void write(HttpReply reply);
  void close_gently();
  void discard();

  HttpConnections& all_;
  std::shared_ptr<HttpConnection> itself_;  // while waiting, when no operation holds it
  beast::tcp_stream stream_;
  std::string address_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  HttpRequest request_;
  HttpReply reply_;
  std::string head_text_;
  State state_ = State::kIdle;
  std::chrono::steady_clock::time_point since_;
  std::chrono::steady_clock::time_point reply_at_;
  std::uint64_t promised_bytes_ = 0;
  std::size_t discarded_bytes_ = 0;
};

}  // namespace dalaup
