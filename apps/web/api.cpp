#include "web/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "web/views.h"

namespace dalaup {
namespace {

constexpr std::size_t kLongestRequestId = 64;
constexpr std::size_t kLongestNote = 4000;
constexpr std::size_t kLongestSource = 1000;  // stands in every entry of an import
constexpr double kLongestWaitSeconds = 15.0;
constexpr std::size_t kSearchResults = 20;
constexpr std::int64_t kMostAhead = 5;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpReply reply_of(int status, const Json& json) {
  return {.status = status, .body = text_of(json)};
}

HttpReply problem(int status, const std::string& message, const std::string& hint = {}) {
  Json json{{"error", message}};
  if (!hint.empty()) json["hint"] = hint;
  return reply_of(status, json);
}

// What a request says, with errors for people who build on the API.
class Given {
 public:
  explicit Given(const HttpRequest& request) : request_(request) {
    if (request.method != "POST") return;
    body_ = Json::parse(request.body, nullptr, false);
    if (!body_.is_object()) throw ParameterError("the body is no JSON object");
  }

  std::string text(const std::string& name, const std::string& otherwise = {}) const {
    if (const auto found = request_.query.find(name); found != request_.query.end())
      return found->second;
    if (!body_.is_object() || !body_.contains(name) || body_[name].is_null()) return otherwise;
    if (!body_[name].is_string()) throw ParameterError(name + ": expected a text");
    return body_[name].get<std::string>();
  }
  std::optional<std::int64_t> number(const std::string& name) const {
    if (const auto found = request_.query.find(name); found != request_.query.end()) {
      const auto value = parse_whole_number(found->second);
      if (!value) throw ParameterError(name + ": expected a whole number");
      return static_cast<std::int64_t>(*value);
    }
    if (!body_.is_object() || !body_.contains(name) || body_[name].is_null()) return std::nullopt;
    if (!body_[name].is_number_integer()) throw ParameterError(name + ": expected a whole number");
    return body_[name].get<std::int64_t>();
  }
  std::int64_t required(const std::string& name) const {
    const auto value = number(name);
    if (!value) throw ParameterError(name + ": is missing, expected a whole number");
    return *value;
  }
  double seconds() const {
    if (!body_.is_object() || !body_.contains("seconds")) return 0.0;
    if (!body_["seconds"].is_number()) throw ParameterError("seconds: expected a number");
    const auto seconds = body_["seconds"].get<double>();
    return std::isfinite(seconds) ? std::clamp(seconds, 0.0, 86400.0) : 0.0;
  }
  std::string annotator(const std::string& otherwise) const {
    return checked_annotator(text("annotator", otherwise));
  }
  // The client's name for this request, so that it may be sent again.
  std::string request_id() const {
    std::string id = text("request");
    if (id.size() > kLongestRequestId)
      throw ParameterError(fmt::format("request: expected at most {} bytes", kLongestRequestId));
    return id;
  }
  Reply reply() const {
    const auto reply = reply_named(text("reply"));
    if (!reply) throw ParameterError("reply: expected yes, no, no-partner, unsure or skip");
    return *reply;
  }
  std::string note() const {
    std::string note = text("note");
    if (note.size() > kLongestNote)
      throw ParameterError(fmt::format("note: expected at most {} bytes", kLongestNote));
    return note;
  }
  std::string source() const {
    std::string source = text("source", "import");
    if (source.size() > kLongestSource)
      throw ParameterError(fmt::format("source: expected at most {} bytes", kLongestSource));
    return source;
  }
  // Two users; only one of them for the reply no-partner.
  UserPair pair(Reply reply) const {
    const auto user = [&](const std::string& name) {
      if (reply == Reply::kNoPartner && !number(name)) return kNoUser;
      const std::int64_t id = required(name);
      if (id < 0 || id >= kNoUser) throw ParameterError(name + ": expected the id of a user");
      return static_cast<UserId>(id);
    };
    return {user("a"), user("b")};
  }
  // The candidate of a yes; a pair question has only one.
  UserId chosen(const std::optional<StudyQuestion>& question) const {
    if (const auto id = number("chosen"))
      return *id >= 0 && *id < kNoUser ? static_cast<UserId>(*id) : kNoUser;
    if (reply() != Reply::kYes) return kNoUser;
    if (question && question->question.candidates.size() == 1)
      return question->question.candidates[0];
    throw ParameterError("chosen: is missing, expected a candidate's id");
  }
  // How many questions beyond the next one to send along; nothing: not asked for.
  std::optional<std::size_t> ahead() const {
    const auto count = number("ahead");
    if (!count) return std::nullopt;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(*count, 0, kMostAhead));
  }
  Side side() const {
    const std::string side = text("side");
    if (side != "A" && side != "B") throw ParameterError("side: expected A or B");
    return side == "A" ? Side::kA : Side::kB;
  }

 private:
  const HttpRequest& request_;
  Json body_;
};

// Signed in, but not for this.
class Forbidden : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In a study without people everybody may do everything, under the name they give.
struct Caller {
  const std::string& default_annotator;
  const std::optional<Person>& person;

  std::string name(const Given& given) const {
    if (!person) return given.annotator(default_annotator);
    if (given.annotator(person->name) != person->name)
      throw Forbidden("You are signed in as " + person->name +
                      " and cannot answer in another's name.");
    return person->name;
  }
  void require(bool allowed, const char* what) const {
    if (person && !allowed) throw Forbidden(std::string(what) + ", which you are not.");
  }
  void require_reviewer(const char* what) const { require(!person || person->may_review(), what); }
  void require_owner(const char* what) const { require(!person || person->may_import(), what); }
  void require_own(const LabellingSession& session, std::int64_t entry) const {
    const auto found = session.entry(entry);
    if (!person || !found) return;
    const bool is_own = found->annotator == person->name && found->editor.empty();
    if (!is_own)  // what a reviewer made of an answer is the reviewer's
      require_reviewer("Answers of others are changed by reviewers");
  }
  // Annotators answer blind to what others said.
  bool is_blind() const { return person && !person->may_review(); }
  void hide_others(Json& question) const {
    if (!is_blind() || !question.is_object()) return;
    Json own = Json::array();
    for (const Json& answer : question["answers"])
      if (answer["annotator"] == person->name) own.push_back(answer);
    question["answers"] = own;
  }
  void hide_others_in_status(Json& status) const {
    if (!is_blind()) return;
    std::erase_if(status["annotators"].get_ref<Json::array_t&>(),
                  [&](const Json& one) { return one["name"] != person->name; });
    for (const char* const list : {"disputes", "review"}) status[list] = Json::array();
    status["agreement"]["pairs"] = Json::array();
  }
  Json outcome(const Outcome& outcome) const {
    Json json = outcome_json(outcome);
    if (is_blind()) json["disputed"] = false;
    return json;
  }
  Json next(LabellingSession& session, const std::string& annotator, std::size_t ahead) const {
    Json json = next_json(session, session.next(annotator, ahead));
    hide_others(json["question"]);
    for (Json& upcoming : json["upcoming"]) hide_others(upcoming);
    return json;
  }
};

// A pair nobody was asked about, in the form of one that was.
StudyQuestion question_about(UserPair pair) {
  StudyQuestion question;
  question.question.kind = QuestionKind::kPair;
  question.question.side = Side::kA;
  question.question.user = pair.a;
  question.question.candidates = {pair.b};
  question.question.probabilities = {0.0};
  return question;
}

int code_of(const Outcome& outcome) {
  const bool unknown = outcome.refusal && outcome.refusal->kind == Refusal::Kind::kUnknown;
  return outcome.is_taken ? 200 : unknown ? 404 : 409;
}

HttpReply reply_to(const Outcome& outcome, const Caller& caller) {
  return reply_of(code_of(outcome), caller.outcome(outcome));
}

// With what comes next, when asked for: an answer and the question after it are then one request.
HttpReply reply_with_next(LabellingSession& session, const Outcome& outcome, const Given& given,
                          const Caller& caller) {
  Json json = caller.outcome(outcome);
  if (const auto ahead = given.ahead())
    json["next"] = caller.next(session, caller.name(given), *ahead);
  return reply_of(code_of(outcome), json);
}

HttpReply get(LabellingSession& session, const HttpRequest& request, const Given& given,
              const Caller& caller) {
  if (request.path == "/api/next")
    return reply_of(200, caller.next(session, caller.name(given), given.ahead().value_or(0)));
  if (request.path == "/api/question") {
    const bool with_model = given.text("model") == "1";
    if (const auto entry = given.number("entry")) {
      const auto past = session.question_before(given.required("id"), *entry);
      if (!past) return problem(404, "there is no such question");
      Json json = question_json(session, past->question, with_model, &past->labels);
      caller.hide_others(json);
      return reply_of(200, json);
    }
    const auto question = session.question(given.required("id"));
    if (!question) return problem(404, "there is no such question");
    Json json = question_json(session, *question, with_model);
    caller.hide_others(json);
    return reply_of(200, json);
  }
  if (request.path == "/api/events") {
    const double wait = std::clamp<double>(static_cast<double>(given.number("wait").value_or(15)),
                                           0.0, kLongestWaitSeconds);
    return {.wait = EventWait{.after = given.required("after"), .seconds = wait}};
  }
  if (request.path == "/api/history") {
    const std::string person = given.text("annotator");
    HistoryFilter filter{.annotator = annotator_named(person).value_or(person),
                         .reply = reply_named(given.text("reply")),
                         .text = given.text("text"),
                         .only_in_force = given.text("in_force") == "1",
                         .before = given.number("before").value_or(0),
                         .most = static_cast<std::size_t>(
                             std::clamp<std::int64_t>(given.number("most").value_or(50), 1, 500))};
    if (caller.is_blind()) filter.annotator = caller.person->name;
    return reply_of(200, history_json(session, session.history(filter)));
  }
  if (request.path == "/api/search") {
    const Side side = given.side();
    Json found = Json::array();
    for (const UserId user :
         session.search(side, given.text("text"), kSearchResults, given.text("open") == "1"))
      found.push_back(user_json(session.study(), side, user));
    return reply_of(200, found);
  }
  if (request.path == "/api/pair") {
    const UserPair pair = given.pair(Reply::kYes);
    const NetworkPair& networks = session.study().networks();
    if (pair.a >= networks.a.user_count() || pair.b >= networks.b.user_count())
      return problem(404, "there is no such user");
    return reply_of(200, question_json(session, question_about(pair), false));
  }
  if (request.path == "/api/user") {
    const Side side = given.side();
    const auto id = given.required("id");
    if (id < 0 || id >= session.study().networks().on(side).user_count())
      return problem(404, "there is no such user");
    UserView view = session.user(side, static_cast<UserId>(id), 5);
    const bool with_model = given.text("model") == "1";
    if (!with_model) sort_by_name(session.study(), view.best);
    Json json = user_json(session.study(), side, view.user);
    json["partner"] = view.partner == kNoUser
                          ? Json(nullptr)
                          : user_json(session.study(), other(side), view.partner);
    json["has_no_partner"] = view.has_no_partner;
    Json best = Json::array();
    for (const Rival& rival : view.best) {
      Json one = user_json(session.study(), rival.side, rival.user);
      if (with_model) one["probability"] = rival.probability;
      best.push_back(std::move(one));
    }
    json["candidates"] = best;
    return reply_of(200, json);
  }
  return problem(404, "there is nothing at " + request.path,
                 "docs/use/http-api.md lists what there is");
}

HttpReply post(LabellingSession& session, const HttpRequest& request, const Given& given,
               const Caller& caller) {
  const std::string annotator = caller.name(given);
  if (request.path == "/api/answer") {
    const auto id = given.required("question");
    const Reply reply = given.reply();
    const auto question = session.question(id);
    return reply_with_next(session,
                           session.answer(annotator, id, reply, given.chosen(question),
                                          given.seconds(), given.request_id(), given.note()),
                           given, caller);
  }
  if (request.path == "/api/undo") {
    const auto entry = given.number("entry");
    if (entry) caller.require_own(session, *entry);
    return reply_with_next(session, session.undo(annotator, entry, given.request_id()), given,
                           caller);
  }
  if (request.path == "/api/edit") {
    const auto id = given.required("entry");
    caller.require_own(session, id);
    std::optional<StudyQuestion> question;
    if (const auto of = given.number("question")) question = session.question(*of);
    const Reply reply = given.reply();
    return reply_to(session.edit(annotator, id, reply, given.chosen(question), given.request_id()),
                    caller);
  }
  if (request.path == "/api/resolve") {
    caller.require_reviewer("Disagreements are settled by reviewers");
    const auto id = given.required("question");
    const Reply reply = given.reply();
    return reply_to(session.resolve(annotator, id, reply, given.chosen(session.question(id)),
                                    given.request_id()),
                    caller);
  }
  if (request.path == "/api/pair") {
    const Reply reply = given.reply();
    return reply_to(session.enter(annotator, given.pair(reply), reply, given.request_id()), caller);
  }
  if (request.path == "/api/import") {
    caller.require_owner("Labels are imported by owners");
    const std::string labels = given.text("labels");
    LineReader lines(bytes_of(labels), given.source());
    const LabelOptions options{.table = {.delimiter = given.text("delimiter", "auto"),
                                         .header = given.text("header", "auto"),
                                         .quotes = given.text("quotes", "auto"),
                                         .columns = given.text("columns")},
                               .skip_unknown = given.text("skip_unknown") == "1",
                               .ignore_case = given.text("ignore_case") == "1"};
    return reply_of(200,
                    import_json(session.study(), session.import_labels(lines, annotator, options)));
  }
  return problem(404, "there is nothing at " + request.path,
                 "docs/use/http-api.md lists what there is");
}

}  // namespace

HttpReply Api::event_reply(std::int64_t event) { return reply_of(200, {{"event", event}}); }

HttpReply Api::status(const std::optional<Person>& person) const {
  Json json = status_json(session_, session_.status());
  Caller{default_annotator_, person}.hide_others_in_status(json);
  json["default_annotator"] = person ? person->name : default_annotator_;
  json["signed_in"] =
      person ? Json{{"name", person->name}, {"role", name_of(person->role)}} : Json(nullptr);
  json["name_a"] = page_.name_a;
  json["name_b"] = page_.name_b;
  json["budget"] = page_.budget;
  json["pictures"] = page_.pictures;
  json["compare"] = Json::array();
  for (const auto& [a, b] : compared_columns(session_.study().settings()))
    json["compare"].push_back({{"a", a}, {"b", b}});
  json["guidelines"] = guidelines_;
  json["takes_notes"] = true;
  return reply_of(200, json);
}

HttpReply Api::handle(const HttpRequest& request, const std::optional<Person>& person) {
  try {
    const Given given(request);
    if (request.method == "GET" && request.path == "/api/status") return status(person);
    const Caller caller{default_annotator_, person};
    return request.method == "POST" ? post(session_, request, given, caller)
                                    : get(session_, request, given, caller);
  } catch (const Forbidden& error) {
    return problem(403, error.what());
  } catch (const ParameterError& error) {
    return problem(400, error.what(), error.hint());
  } catch (const InputError& error) {
    return problem(request.path == "/api/import" ? 400 : 507, error.what(), error.hint());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return problem(500, error.what());
  }
}

}  // namespace dalaup
