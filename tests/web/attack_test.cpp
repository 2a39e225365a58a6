#include "web/raw_http.h"
#include "web/web_support.h"

// What a hostile page, program or network may send. Each of these once wrote into a study, ended
// the server or stopped it.
namespace dalaup {
namespace {

class Attack : public Web {
 protected:
  std::string own_host() const { return fmt::format("127.0.0.1:{}", server_->port()); }
  // A whole request that writes into the study when it is taken for one.
  std::string import_request() const {
    const std::string body = R"({"annotator":"mallory","labels":"a1\tb1\n"})";
    return fmt::format(
        "POST /api/import HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        own_host(), body.size(), body);
  }
  // `head` without Host and length; the body is that whole request.
  std::string smuggling(const std::string& head) const {
    const std::string inner = import_request();
    return fmt::format("{}Content-Length: {}\r\n\r\n{}", head, inner.size(), inner);
  }
  void expect_one_answer_and_the_end(const std::string& bytes, int status) const {
    const RawReply reply = send_raw(server_->port(), bytes);
    EXPECT_EQ(reply.status(), status) << bytes.substr(0, 200) << reply.text;
    EXPECT_EQ(reply.responses(), 1) << bytes.substr(0, 200) << reply.text;
    EXPECT_TRUE(reply.is_closed) << bytes.substr(0, 200);
    EXPECT_EQ(session_->status().settled_pairs, 0U) << "the body of a rejected request was obeyed";
  }
};

TEST_F(Attack, TheBodyOfARejectedRequestIsNeverTheNextRequest) {
  start();
  const std::string json_type = "Content-Type: application/json\r\n";
  const std::string host = "Host: " + own_host() + "\r\n";
  const std::string post = "POST /api/status HTTP/1.1\r\n";
  expect_one_answer_and_the_end(
      smuggling(post + host + json_type + "Origin: http://127.0.0.2:1\r\n"), 403);
  expect_one_answer_and_the_end(smuggling(post + "Host: evil.example\r\n" + json_type), 403);
  expect_one_answer_and_the_end(
      smuggling(post + host + json_type + "Sec-Fetch-Site: cross-site\r\n"), 403);
  expect_one_answer_and_the_end(smuggling(post + host + "Content-Type: text/plain\r\n"), 415);
  expect_one_answer_and_the_end(smuggling("PUT /api/import HTTP/1.1\r\n" + host + json_type), 405);
}

}  // namespace
}  // namespace dalaup
