#include <fstream>

#include "web/raw_http.h"
#include "web/web_support.h"

// Requests that two readers could understand differently, and floods: none is obeyed twice, none
// takes memory, none keeps others from being served.
namespace dalaup {
namespace {

class Smuggling : public Web {
 protected:
  std::string head(const std::string& line = "POST /api/status HTTP/1.1\r\n") const {
    return line + "Host: " + own_host() + "\r\nContent-Type: application/json\r\n";
  }
  // What follows the doubtful part is never obeyed, and the connection ends.
  void expect_the_end(const std::string& doubtful) {
    const RawReply reply = send_raw(server_->port(), doubtful + import_request(), 20.0);
    EXPECT_LE(reply.responses(), 1) << doubtful << "\n---\n" << reply.text;
    EXPECT_TRUE(reply.is_closed) << doubtful;
    EXPECT_TRUE(reply.text.empty() || reply.status() >= 400) << doubtful << reply.text;
    EXPECT_EQ(session_->status().settled_pairs, 0U) << doubtful;
  }
};

TEST_F(Smuggling, WhatTwoReadersCouldReadDifferentlyEndsTheConnection) {
  start();
  for (const char* const fields :
       {"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n", "Transfer-Encoding: identity\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 3, 3\r\n\r\nabc",
        "Content-Length: 0\r\n\tContent-Length: 9\r\n\r\n", "Content-Length: 1e1\r\n\r\n",
        "Content-Length: \r\n\r\n", "Content-Length: 0\nX: y\r\n\r\n", "X: a\rb\r\n\r\n",
        "Content-Length: 0\r\n\nX: y\r\n\r\n", "X\r\n\r\n", ": y\r\n\r\n", "X y: z\r\n\r\n",
        "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "Upgrade: h2c\r\nTransfer-Encoding: x\r\n\r\n"})
    expect_the_end(head() + fields);
  expect_the_end(head() + std::string("X: a\0b\r\n\r\n", 10));
  expect_the_end(head() + std::string("Content-Length: 0\0\r\n\r\n", 22));
}

TEST_F(Smuggling, LinesThatAreNoRequestsEndTheConnection) {
  start();
  for (const char* const line :
       {"GET /api/status\r\n", "GET  /api/status HTTP/1.1\r\n", "GET /api/status HTTP/9.9\r\n",
        "GET /api/status HTTP/1.1 HTTP/1.1\r\n", "GET /api/%zz HTTP/1.1\r\n",
        "GET http://evil.example/api/status HTTP/1.1\r\n", "CONNECT evil.example:80 HTTP/1.1\r\n",
        "OPTIONS * HTTP/1.1\r\n", "TRACE / HTTP/1.1\r\n", " GET / HTTP/1.1\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n", "\x16\x03\x01\x02", "DELETE /api/status HTTP/1.1\r\n"})
    expect_the_end(head(line) + "\r\n");
}

// In kilobytes, since the last reset.
std::size_t highest_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  return 0;
}
void reset_highest_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Each of these once took gigabytes, or ended the server.
TEST_F(Smuggling, FloodsTakeNoMemory) {
  start();
  reset_highest_memory();
  const std::size_t before = highest_memory();
  const std::string megabyte(std::size_t{1} << 20, 'x');
  const auto flood = [&](const std::string& beginning, int megabytes) {
    RawConnection connection(server_->port());
    connection.send(beginning);
    for (int sent = 0; sent < megabytes && connection.send(megabyte); ++sent) {
    }
    connection.receive(0.1);
  };
  flood(head() + "X: ", 370);
  flood("GET /" + megabyte.substr(0, 10), 370);
  flood(head() + "Transfer-Encoding: chunked\r\n\r\n100000\r\n", 300);
  flood(head() + "Content-Length: 314572800\r\n\r\n", 300);
  flood(head() + "Content-Encoding: gzip\r\nContent-Length: 1000000\r\n\r\n", 1);
  std::string ranges = head("GET /app.js HTTP/1.1\r\n") + "Range: bytes=0-";
  for (int range = 0; range < 2500; ++range) ranges += ",0-";
  EXPECT_EQ(send_raw(server_->port(), ranges + "\r\nConnection: close\r\n\r\n").status(), 200);
  const std::size_t taken = (highest_memory() - before) / 1024;
  fmt::print("floods of headers, chunks, bodies and ranges: {} MB more memory\n", taken);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(taken, 100U);
#endif
  EXPECT_EQ(get("/api/status").status, 200);
}

// Hundreds of requests on one connection whose replies nobody reads.
TEST_F(Smuggling, ClientsThatNeverReadAreGivenUp) {
  WebOptions options;
  options.limits = {.reply_seconds = 1.0};
  start(options);
  const std::string ask = "GET /app.js HTTP/1.1\r\nHost: " + own_host() + "\r\n\r\n";
  std::vector<std::unique_ptr<RawConnection>> deaf;
  reset_highest_memory();
  const std::size_t before = highest_memory();
  for (int client = 0; client < 50; ++client) {
    deaf.push_back(std::make_unique<RawConnection>(server_->port()));
    std::string many;
    for (int request = 0; request < 300; ++request) many += ask;
    deaf.back()->send(many);
  }
  EXPECT_EQ(get("/api/status").status, 200);
  // A second after the buffers between them are full the server gives up; on a busy machine it
  // takes its time to fill them, and a client that reads before that is served.
  bool is_given_up = false;
  for (std::size_t client = 0; client < 3 && !is_given_up; ++client) {
    std::this_thread::sleep_for(std::chrono::seconds(client == 0 ? 5 : 30));
    deaf[client]->receive(20.0);
    is_given_up = !deaf[client]->is_open();
  }
  EXPECT_TRUE(is_given_up);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT((highest_memory() - before) / 1024, 100U);
#endif
}

}  // namespace
}  // namespace dalaup
