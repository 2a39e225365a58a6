#pragma once
// The API of docs/api.md as functions from requests to JSON. Private to web.
#include <atomic>
#include <map>
#include <string>

#include "study/study.h"

namespace dalaup {

struct ApiRequest {
  std::string method;
  std::string path;  // such as /api/next
  std::map<std::string, std::string> query;
  std::string body;
};
struct ApiReply {
  int status = 200;
  std::string body;  // JSON
};

class Api {
 public:
  Api(LabellingSession& session, std::string default_annotator)
      : session_(session), default_annotator_(std::move(default_annotator)) {}
  // Lets requests that wait for events return soon.
  void stop() { is_stopping_ = true; }
  // Never throws; what went wrong is in the reply as {"error": ..., "hint": ...}.
  ApiReply handle(const ApiRequest& request);

 private:
  LabellingSession& session_;
  std::string default_annotator_;
  std::atomic<bool> is_stopping_{false};
};

}  // namespace dalaup
