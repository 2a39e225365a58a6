#pragma once
// How much a client may ask of the server.
#include <cstddef>
#include <cstdint>

namespace dalaup {

struct HttpLimits {
  std::uint32_t head_bytes = 16 << 10;
  std::uint64_t body_bytes = 1 << 20;
  std::uint64_t bodies_bytes = 64 << 20;  // of all requests at a time
  std::size_t connections = 1000;
  std::size_t connections_per_address = 500;
  double request_seconds = 10.0;  // from the first byte to the last
  double idle_seconds = 30.0;     // between requests
  double reply_seconds = 30.0;    // to take a reply
  double stop_seconds = 2.0;      // that stopping waits for replies under way
  int workers = 32;               // threads that answer
};

}  // namespace dalaup
