#pragma once
// Bytes to a server and back, without an HTTP library in between: what attackers send, no library
// would.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

namespace dalaup {

class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool is_open() const { return is_open_; }
  // False when the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return is_open_ = false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // All that comes until the server closes, or until the time is over (then is_open() stays true).
  std::string receive(double seconds) {
    std::string received;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (is_open_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd waiting{socket_, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
      char buffer[65536];
      const auto count = ::recv(socket_, buffer, sizeof(buffer), 0);
      if (count <= 0) {
        is_open_ = false;
      } else {
        received.append(buffer, static_cast<std::size_t>(count));
      }
    }
    return received;
  }

 private:
  int socket_;
  bool is_open_ = false;
};

struct RawReply {
  std::string text;
  bool is_closed = false;
  // How many responses; one more than expected is a smuggled request.
  int responses() const {
    int count = 0;
    for (auto at = text.find("HTTP/1.1 "); at != text.npos; at = text.find("HTTP/1.1 ", at + 1))
      ++count;
    return count;
  }
  int status() const { return text.size() < 12 ? 0 : std::stoi(text.substr(9, 3)); }
};

inline RawReply send_raw(int port, std::string_view bytes, double seconds = 10.0) {
  RawConnection connection(port);
  connection.send(bytes);
  RawReply reply;
  reply.text = connection.receive(seconds);
  reply.is_closed = !connection.is_open();
  return reply;
}

}  // namespace dalaup
