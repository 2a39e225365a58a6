#pragma once
// The API of docs/use/http-api.md as functions from requests to JSON. Private to web.
#include <optional>
#include <string>

#include "study/study.h"
#include "web/http_message.h"
#include "web/web.h"

namespace dalaup {

class Api {
 public:
  Api(LabellingSession& session, const WebOptions& options)
      : session_(session),
        default_annotator_(options.annotator),
        page_(options.page),
        guidelines_(options.guidelines) {}
  // What went wrong is in the reply as {"error": ..., "hint": ...}. Throws only bad_alloc. A reply
  // with `wait` is to become event_reply once the session's event is another or the time is over.
  // `person`: who asks, in a study with people.
  HttpReply handle(const HttpRequest& request, const std::optional<Person>& person = std::nullopt);
  static HttpReply event_reply(std::int64_t event);

 private:
  HttpReply status(const std::optional<Person>& person) const;

  LabellingSession& session_;
  std::string default_annotator_;
  PageParams page_;
  std::string guidelines_;
};

}  // namespace dalaup
