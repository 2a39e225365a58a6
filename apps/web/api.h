#pragma once
// The API of docs/use/http-api.md as functions from requests to JSON. Private to web.
#include <string>

#include "study/study.h"
#include "web/http_message.h"

namespace dalaup {

class Api {
 public:
  Api(LabellingSession& session, std::string default_annotator)
      : session_(session), default_annotator_(std::move(default_annotator)) {}
  // What went wrong is in the reply as {"error": ..., "hint": ...}. Throws only bad_alloc. A reply
  // with `wait` is to become event_reply once the session's event is another or the time is over.
  HttpReply handle(const HttpRequest& request);
  static HttpReply event_reply(std::int64_t event);

 private:
  LabellingSession& session_;
  std::string default_annotator_;
};

}  // namespace dalaup
