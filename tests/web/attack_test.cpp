#include "web/raw_http.h"
#include "web/web_support.h"

// What a hostile page, program or network may send. Each of these once wrote into a study, ended
// the server or stopped it.
namespace dalaup {
namespace {

class Attack : public Web {
 protected:
  // `head` lacks only the length, unless `framing` says otherwise; the body is that whole request,
  // at once or when the head has been answered.
  void expect_one_answer_and_the_end(const std::string& head, int status,
                                     std::string framing = {}) const {
    const std::string inner = import_request();
    if (framing.empty()) framing = fmt::format("Content-Length: {}\r\n", inner.size());
    for (const bool at_once : {false, true}) {
      RawConnection connection(server_->port());
      connection.send(head + framing + "\r\n" + (at_once ? inner : ""));
      RawReply reply;
      if (!at_once) {
        reply.text = connection.receive(0.1);
        connection.send(inner);
      }
      reply.text += connection.receive(10.0);
      EXPECT_EQ(reply.status(), status) << head << framing << reply.text;
      EXPECT_EQ(reply.responses(), 1) << head << framing << reply.text;
      EXPECT_FALSE(connection.is_open()) << head << framing;
    }
    EXPECT_EQ(session_->status().settled_pairs, 0U) << "the body of a rejected request was obeyed";
  }
};

TEST_F(Attack, TheBodyOfARejectedRequestIsNeverTheNextRequest) {
  start();
  const std::string json_type = "Content-Type: application/json\r\n";
  const std::string host = "Host: " + own_host() + "\r\n";
  const std::string post = "POST /api/status HTTP/1.1\r\n";
  expect_one_answer_and_the_end(post + host + json_type + "Origin: http://127.0.0.2:1\r\n", 403);
  expect_one_answer_and_the_end(post + "Host: evil.example\r\n" + json_type, 403);
  expect_one_answer_and_the_end(post + host + json_type + "Sec-Fetch-Site: cross-site\r\n", 403);
  expect_one_answer_and_the_end(post + host + "Content-Type: text/plain\r\n", 415);
  expect_one_answer_and_the_end("PUT /api/import HTTP/1.1\r\n" + host + json_type, 405);
  expect_one_answer_and_the_end("GET /api/status HTTP/1.1\r\n" + host, 400);
  expect_one_answer_and_the_end("HEAD /api/status HTTP/1.1\r\n" + host, 400);
}

TEST_F(Attack, ABodyOfDoubtfulLengthEndsTheConnection) {
  start();
  const std::string head = fmt::format(
      "POST /api/status HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", own_host());
  expect_one_answer_and_the_end(head, 400, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
  expect_one_answer_and_the_end(head, 400, "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n");
  expect_one_answer_and_the_end(head, 411, "Transfer-Encoding: chunked\r\n");
  expect_one_answer_and_the_end(head, 400, "Content-Length: 5\r\nContent-Length: 6\r\n");
  expect_one_answer_and_the_end(head, 400, "Content-Length: 5\r\nContent-Length: 5\r\n");
  for (const char* const length : {"+5", "-1", "0x5", "5, 5", "5 5", "99999999999999999999999"})
    expect_one_answer_and_the_end(head, 400, fmt::format("Content-Length: {}\r\n", length));
  expect_one_answer_and_the_end(head, 413, "Content-Length: 99999999999\r\n");
  expect_one_answer_and_the_end(head, 415, "Content-Length: 5\r\nContent-Encoding: gzip\r\n");
  expect_one_answer_and_the_end(head, 400, "Content-Length : 5\r\n");
  expect_one_answer_and_the_end(head + fmt::format("Host: {}\r\n", own_host()), 400);
}

TEST_F(Attack, OversizedHeadsAndBodiesAreCutOff) {
  start();
  const std::string line = fmt::format("GET /api/status HTTP/1.1\r\nHost: {}\r\n", own_host());
  EXPECT_EQ(send_raw(server_->port(), line + "X: " + std::string(100000, 'x')).status(), 431);
  std::string many = line;
  for (int field = 0; field < 5000; ++field) many += fmt::format("X{}: y\r\n", field);
  EXPECT_EQ(send_raw(server_->port(), many).status(), 431);
  EXPECT_EQ(send_raw(server_->port(), "GET /" + std::string(100000, 'x')).status(), 431);
  std::string ranges = line + "Range: bytes=0-0";
  for (int range = 1; range < 1000; ++range) ranges += fmt::format(",{0}-{0}", range);
  EXPECT_EQ(send_raw(server_->port(), ranges + "\r\nConnection: close\r\n\r\n").status(), 200);
}

// Each holds a socket and no thread; a request takes its limit at most.
TEST_F(Attack, SlowClientsStopNobody) {
  WebOptions options;
  options.limits = {.connections_per_address = 300, .request_seconds = 1.0};
  start(options);
  std::vector<std::unique_ptr<RawConnection>> drips;
  for (int client = 0; client < 200; ++client) {
    drips.push_back(std::make_unique<RawConnection>(server_->port()));
    drips.back()->send("POST /api/answer HTTP/1.1\r\nHost: 127");
  }
  std::vector<std::unique_ptr<RawConnection>> streams;
  const std::int64_t event = session_->status().event;
  for (int client = 0; client < 90; ++client) {
    streams.push_back(std::make_unique<RawConnection>(server_->port()));
    streams.back()->send(fmt::format(
        "GET /api/events?wait=15&after={} HTTP/1.1\r\nHost: {}\r\n\r\n", event, own_host()));
  }
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/api/status").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(8));
  drips[0]->receive(10.0);
  EXPECT_FALSE(drips[0]->is_open()) << "the request had a second";
  const auto stopping = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - stopping, std::chrono::seconds(10));
}

TEST_F(Attack, AnAddressWithTooManyConnectionsLosesItsSlowestOne) {
  WebOptions options;
  options.limits = {.connections_per_address = 10};
  start(options);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int client = 0; client < 15; ++client) {
    idle.push_back(std::make_unique<RawConnection>(server_->port()));
    idle.back()->send("GET");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(get("/api/status").status, 200);
  idle.front()->receive(5.0);
  EXPECT_FALSE(idle.front()->is_open());
  idle.back()->receive(0.1);
  EXPECT_TRUE(idle.back()->is_open());
}

TEST_F(Attack, ConnectionsAreKeptForRequestsThatWereReadToTheirEnd) {
  start();
  const std::string get_status =
      fmt::format("GET /api/status HTTP/1.1\r\nHost: {}\r\n\r\n", own_host());
  const RawReply reply = send_raw(server_->port(), get_status + get_status + get_status, 3.0);
  EXPECT_EQ(reply.responses(), 3);
  EXPECT_FALSE(reply.is_closed);
}

TEST_F(Attack, NamesThatLookLikeAddressesAreNoAddresses) {
  start({.host = "0.0.0.0"});
  const std::string bearer = "Bearer " + server_->token();
  const auto status = [&](const std::string& host) {
    return get("/api/status", {{"Host", host}, {"Authorization", bearer}}).status;
  };
  for (const char* const host :
       {"cafe.de", "cafe.de:80", "1.2.3", "[::1", "10.0.0.7:x", "[cafe]:1"})
    EXPECT_EQ(status(host), 403) << host;
  for (const char* const host : {"10.0.0.7", "10.0.0.7:8080", "[fe80::1]:8080"})
    EXPECT_EQ(status(host), 200) << host;
}

TEST_F(Attack, WrongTokensAreSlowed) {
  start({.host = "0.0.0.0"});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/?token=wrong").status, 401);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(900));
}

TEST_F(Attack, TheCookieOfOneServerIsNotThatOfAnother) {
  start({.host = "0.0.0.0"});
  EXPECT_EQ(get("/?token=" + server_->token())
                .field("set-cookie")
                .find(fmt::format("dalaup_token_{}=", server_->port())),
            0U);
}

}  // namespace
}  // namespace dalaup
