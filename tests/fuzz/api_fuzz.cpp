#include <nlohmann/json.hpp>

#include "byte_feed.h"
#include "fuzz.h"
#include "study/common_contacts.h"
#include "web/api.h"

// Requests to the API without a socket: any path and query, any body. Each is answered with JSON
// and never with 500, and what was taken is in the study when it is opened again.
namespace dalaup {
namespace {

constexpr const char* kRoutes[] = {"/api/answer", "/api/undo", "/api/edit", "/api/resolve",
                                   "/api/import", "/api/pair", "/api/none"};
constexpr int kInputsPerStudy = 2000;  // then a new one: journals must not grow for ever

class Site {
 public:
  Site() {
    remove_study(path_);
    const Profiles profiles{.columns = {"city"}, .rows = {{0, {"Bonn"}}, {3, {"Rome"}}}};
    study_.emplace(Study::create(path_, {path_of('a'), path_of('b')}, profiles, {}, {}));
    session_.emplace(
        *study_, [] { return std::make_unique<CommonContactsAligner>(); },
        SessionOptions{.params = {.batch_size = 4}});
    LineReader known(bytes_of("a0\tb0\na1\tb1\n"), "known");
    session_->import_labels(known, "import");
    session_->wait_until_learned();
    session_->next("ann");
    api_.emplace(*session_, WebOptions{.annotator = "ann"});
  }
  ~Site() {
    api_.reset();
    session_->wait_until_learned();
    session_.reset();
    study_.reset();
    try {
      Study::open(path_, Access::kRead).check();
    } catch (const InputError&) {
      std::abort();
    }
    remove_study(path_);
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  void handle(const HttpRequest& request) {
    const HttpReply reply = api_->handle(request);
    if (reply.wait) return;
    if (reply.status >= 500 || !nlohmann::json::accept(reply.body)) std::abort();
  }

 private:
  static Network path_of(char side) {
    std::string edges;
    for (int user = 0; user < 11; ++user)
      edges += side + std::to_string(user) + " " + side + std::to_string(user + 1) + "\n" + side +
               std::to_string(user) + " " + side + std::to_string((user * 5 + 2) % 12) + "\n";
    LineReader lines(bytes_of(edges), "path");
    return read_edges(lines, {});
  }
  std::string path_ = "/dev/shm/fuzz-" + std::to_string(getpid()) + ".study";
  std::optional<Study> study_;
  std::optional<LabellingSession> session_;
  std::optional<Api> api_;
};

}  // namespace
}  // namespace dalaup

// Requests one after the other: a byte for the route, then the body or the target, up to 0xff.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalaup;
  static std::unique_ptr<Site> site;
  static int inputs = 0;
  if (inputs++ % kInputsPerStudy == 0) site.reset();
  if (!site) site = std::make_unique<Site>();
  ByteFeed feed(data, size);
  while (!feed.is_empty()) {
    const std::size_t route = feed.take<std::uint8_t>() % (2 * std::size(kRoutes));
    HttpRequest request;
    if (route < std::size(kRoutes)) {
      request.method = "POST";
      request.path = kRoutes[route];
      request.body = feed.text();
    } else {
      request.method = "GET";
      if (!parse_target("/api/" + feed.text(), request)) continue;
    }
    site->handle(request);
  }
  return 0;
}
