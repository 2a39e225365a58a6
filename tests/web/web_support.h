#pragma once
// A server on a small study, and a client.
#include <nlohmann/json.hpp>
#include <thread>

#include "study/study.h"
#include "study/study_support.h"
#include "web/http_client.h"
#include "web/web.h"

namespace dalaup {

using nlohmann::json;

class Web : public testing::Test {
 protected:
  void start(WebOptions options = {}, NetworkPair networks = twin_rings(30)) {
    options.port = 0;
    study_.emplace(Study::create(folder_ / "s.study", networks, {}, {}, {}));
    session_.emplace(*study_, common_contacts(),
                     SessionOptions{.params = {.batch_size = 5, .questions = "pair"}});
    server_.emplace(*session_, options);
    wait_for_question(*session_, "somebody else");
  }
  HttpClientReply get(const std::string& target, const HttpFields& fields = {}) const {
    return HttpClient("127.0.0.1", server_->port()).get(target, fields);
  }
  HttpClientReply post(const std::string& target, const json& body,
                       const HttpFields& fields = {}) const {
    return HttpClient("127.0.0.1", server_->port()).post(target, body.dump(), fields);
  }
  // The body as JSON.
  json ask(const std::string& target) const { return json::parse(get(target).body); }
  json next(const std::string& annotator) const {
    for (int attempt = 0; attempt < 200; ++attempt) {
      const json reply = ask("/api/next?annotator=" + annotator);
      if (reply["state"] == "question") return reply["question"];
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }
  std::string own_host() const { return fmt::format("127.0.0.1:{}", server_->port()); }
  // A whole request that writes into the study when it is taken for one.
  std::string import_request() const {
    const std::string body = R"({"annotator":"mallory","labels":"a1\tb1\n"})";
    return fmt::format(
        "POST /api/import HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        own_host(), body.size(), body);
  }
  TemporaryFolder folder_;
  std::optional<Study> study_;
  std::optional<LabellingSession> session_;
  std::optional<WebServer> server_;
};

}  // namespace dalaup
