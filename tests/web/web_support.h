#pragma once
// A server on a small study, and a client.
#include <nlohmann/json.hpp>
#include <thread>

#include "study/study.h"
#include "study/study_support.h"
#include "web/web.h"

// After Eigen: it brings the resolver's macro `res`, a name Eigen uses.
#include <httplib.h>

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
  httplib::Client client() const {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_keep_alive(false);
    return client;
  }
  json next(const std::string& annotator) const {
    for (int attempt = 0; attempt < 200; ++attempt) {
      const json reply = json::parse(client().Get("/api/next?annotator=" + annotator)->body);
      if (reply["state"] == "question") return reply["question"];
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }
  httplib::Result post(const std::string& path, const json& body) const {
    return client().Post(path, body.dump(), "application/json");
  }
  TemporaryFolder folder_;
  std::optional<Study> study_;
  std::optional<LabellingSession> session_;
  std::optional<WebServer> server_;
};

}  // namespace dalaup
