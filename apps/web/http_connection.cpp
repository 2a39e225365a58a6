#include "web/http_connection.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace dalaup {
namespace {

namespace http = beast::http;

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kMostDiscarded = 1 << 20;
constexpr double kClosingSeconds = 1.0;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

std::string_view view_of(boost::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void HttpConnections::admit(tcp::socket socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return;
  const std::string address = endpoint.address().to_string();
  if (stopping || !has_room_for(address)) return;
  socket.set_option(tcp::no_delay(true), error);
  const auto connection = std::make_shared<HttpConnection>(*this, std::move(socket), address);
  known_.emplace(connection.get(), connection);
  connection->wait_for_request();
}

bool HttpConnections::has_room_for(const std::string& address) {
  const auto count = by_address_.find(address);
  const bool address_full =
      count != by_address_.end() && count->second >= limits.connections_per_address;
  if (!address_full && known_.size() < limits.connections) return true;
  std::shared_ptr<HttpConnection> slowest;
  for (const auto& connection : connections())
    if ((!address_full || connection->address() == address) && connection->keeps_us_waiting() &&
        (!slowest || connection->since() < slowest->since()))
      slowest = connection;
  if (!slowest) return false;
  slowest->close();
  return true;
}

std::vector<std::shared_ptr<HttpConnection>> HttpConnections::connections() const {
  std::vector<std::shared_ptr<HttpConnection>> found;
  for (const auto& [pointer, connection] : known_)
    if (auto alive = connection.lock()) found.push_back(std::move(alive));
  return found;
}

void HttpConnections::close_all() {
  for (const auto& connection : connections()) connection->close();
}

HttpConnection::HttpConnection(HttpConnections& all, tcp::socket socket, std::string address)
    : all_(all),
      stream_(std::move(socket)),
      address_(std::move(address)),
      buffer_(all.limits.head_bytes + 2 * kReadBytes + 65536) {
  ++all_.by_address_[address_];
}

HttpConnection::~HttpConnection() {
  all_.bodies_bytes -= promised_bytes_;
  all_.known_.erase(this);
  const auto count = all_.by_address_.find(address_);
  if (--count->second == 0) all_.by_address_.erase(count);
}

void HttpConnection::enter(State state) {
  state_ = state;
  since_ = std::chrono::steady_clock::now();
}

void HttpConnection::wait_for_request() {
  if (all_.stopping) return close();
  enter(State::kIdle);
  all_.bodies_bytes -= std::exchange(promised_bytes_, 0);
  request_ = {};
  reply_ = {};
  parser_.emplace();
  parser_->header_limit(all_.limits.head_bytes);
  parser_->body_limit(all_.limits.body_bytes);
  if (buffer_.size() > 0) return read_head();
  stream_.expires_after(as_duration(all_.limits.idle_seconds));
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](beast::error_code error, std::size_t bytes) {
                            if (error) return self->close();
                            self->buffer_.commit(bytes);
                            self->read_head();
                          });
}

// The time that begins here holds for head and body together.
void HttpConnection::read_head() {
  enter(State::kReading);
  stream_.expires_after(as_duration(all_.limits.request_seconds));
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (error) return self->fail(error);
                            self->take_head();
                          });
}

void HttpConnection::take_head() {
  const auto& head = parser_->get();
  request_.method = std::string(view_of(head.method_string()));
  request_.remote_address = address_;
  for (const auto& field : head)
    request_.fields.emplace_back(lower(view_of(field.name_string())), view_of(field.value()));
  if (head.version() != 10 && head.version() != 11)
    return reply(rejection(505, "HTTP/1.1 is spoken here"));
  if (!parse_target(view_of(head.target()), request_))
    return reply(rejection(400, "the address cannot be understood"));
  if (auto doubt = framing_doubt(request_, all_.limits.body_bytes)) return reply(std::move(*doubt));
  if (auto refused = all_.handler.screen(request_)) return reply(std::move(*refused));
  const std::uint64_t bytes = parser_->content_length().value_or(0);
  if (all_.bodies_bytes + bytes > all_.limits.bodies_bytes)
    return reply(rejection(503, "too much is being sent at once; try again"));
  all_.bodies_bytes += promised_bytes_ = bytes;
  if (parser_->is_done()) return take_body();
  if (lower(request_.field("expect")) != "100-continue") return read_body();
  static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(kGoOn.data(), kGoOn.size()),
                    [self = shared_from_this()](beast::error_code error, std::size_t) {
                      if (error) return self->close();
                      self->read_body();
                    });
}

void HttpConnection::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](beast::error_code error, std::size_t) {
                     if (error) return self->fail(error);
                     self->take_body();
                   });
}

void HttpConnection::take_body() {
  request_.body = std::move(parser_->get().body());
  enter(State::kAnswering);
  stream_.expires_never();
  all_.answer_later(shared_from_this(), request_);
}

void HttpConnection::fail(beast::error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return reply(rejection(431, "the head of the request is too long"));
  if (error == http::error::body_limit) return reply(rejection(413, "the request is too large"));
  const bool is_malformed = error.category() == make_error_code(http::error::bad_method).category();
  if (!is_malformed || error == http::error::end_of_stream || error == http::error::partial_message)
    return close();
  reply(rejection(400, "this is not a request: " + error.message()));
}

HttpReply HttpConnection::event_reply() const {
  if (auto refused = all_.handler.refuse_waiting(request_)) return std::move(*refused);
  return all_.handler.event_reply(all_.event);
}

void HttpConnection::reply(HttpReply reply) {
  const bool waits = reply.wait && reply.wait->after == all_.event && !all_.stopping;
  if (reply.wait && !waits) reply = event_reply();
  if (!waits && reply.delay_seconds <= 0.0) return write(std::move(reply));
  enter(State::kWaiting);
  stream_.expires_never();
  reply_at_ = since_ + as_duration(waits ? reply.wait->seconds : reply.delay_seconds);
  reply_ = std::move(reply);
  itself_ = shared_from_this();
}

void HttpConnection::notice_event() {
  if (state_ == State::kWaiting && reply_.wait && reply_.wait->after != all_.event)
    write(event_reply());
}

void HttpConnection::check_time() {
  if (state_ != State::kWaiting) return;
  if (std::chrono::steady_clock::now() >= reply_at_)
    write(reply_.wait ? event_reply() : std::move(reply_));
  else if (reply_.wait)
    if (auto refused = all_.handler.refuse_waiting(request_)) write(std::move(*refused));
}

void HttpConnection::finish() {
  if (state_ == State::kWaiting)
    write(reply_.wait ? event_reply() : std::move(reply_));
  else if (state_ != State::kAnswering && state_ != State::kWriting)
    close();
}

void HttpConnection::write(HttpReply reply) {
  const auto self = shared_from_this();
  itself_.reset();
  enter(State::kWriting);
  reply_ = std::move(reply);
  const bool keeps_open = parser_->keep_alive() && !reply_.closes && !all_.stopping;
  head_text_ = head_of(reply_, keeps_open);
  const std::string_view body = request_.method == "HEAD"     ? std::string_view()
                                : reply_.lasting_body.empty() ? std::string_view(reply_.body)
                                                              : reply_.lasting_body;
  stream_.expires_after(as_duration(all_.limits.reply_seconds));
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head_text_),
                                                asio::buffer(body.data(), body.size())};
  asio::async_write(stream_, parts, [self, keeps_open](beast::error_code error, std::size_t) {
    if (error) return self->close();
    if (keeps_open) return self->wait_for_request();
    self->close_gently();
  });
}

// A socket that is closed while the client still sends resets the connection, and the client may
// never see the reply. So what still comes is read for a moment, and thrown away.
void HttpConnection::close_gently() {
  enter(State::kClosing);
  boost::system::error_code error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  if (error) return close();
  stream_.expires_after(as_duration(kClosingSeconds));
  discard();
}

void HttpConnection::discard() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](beast::error_code error, std::size_t bytes) {
                            self->discarded_bytes_ += bytes;
                            if (error || self->discarded_bytes_ > kMostDiscarded)
                              return self->close();
                            self->discard();
                          });
}

void HttpConnection::close() {
  const auto last = std::move(itself_);
  state_ = State::kClosed;
  stream_.close();
}

}  // namespace dalaup
