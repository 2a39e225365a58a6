#include <future>

#include "web/web_support.h"

namespace dalaup {
namespace {

class Team : public Web {
 protected:
  void start_team() {
    start();
    ann_ = study_->add_person("ann", Role::kAnnotator);
    bob_ = study_->add_person("bob", Role::kAnnotator);
    rita_ = study_->add_person("rita", Role::kReviewer);
    olga_ = study_->add_person("olga", Role::kOwner);
    server_.emplace(*session_, WebOptions{.port = 0});
  }
  static HttpFields as(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }
  HttpClientReply answer(const std::string& token, const std::string& name, const json& question,
                         const std::string& reply) const {
    return post("/api/answer",
                {{"annotator", name}, {"question", question["id"]}, {"reply", reply}}, as(token));
  }
  json next_of(const std::string& token) const {
    return json::parse(get("/api/next", as(token)).body)["question"];
  }
  std::string ann_, bob_, rita_, olga_;
};

TEST_F(Team, NobodyAnswersWithoutATokenOrInAnothersName) {
  start_team();
  EXPECT_EQ(get("/api/status").status, 401);
  EXPECT_EQ(get("/", as("guess")).status, 401);
  const json status = json::parse(get("/api/status", as(ann_)).body);
  EXPECT_EQ(status["signed_in"]["name"], "ann");
  EXPECT_EQ(status["signed_in"]["role"], "annotator");
  const json question = next_of(ann_);
  EXPECT_EQ(answer(ann_, "bob", question, "yes").status, 403);
  EXPECT_EQ(json::parse(get("/api/status", as(ann_)).body)["answers"], 0);
  EXPECT_EQ(answer(ann_, "ann", question, "yes").status, 200);
  EXPECT_EQ(session_->history({}).front().entry.annotator, "ann");
}

TEST_F(Team, ATokenInTheAddressBecomesTheCookieOfThatPerson) {
  start_team();
  const auto moved = get("/?token=" + ann_);
  ASSERT_EQ(moved.status, 303);
  const std::string cookie = moved.field("set-cookie");
  const std::string pair = cookie.substr(0, cookie.find(';'));
  EXPECT_EQ(json::parse(get("/api/status", {{"Cookie", pair}}).body)["signed_in"]["name"], "ann");
}

TEST_F(Team, AnnotatorsTakeBackOnlyTheirOwnReviewersAnybodys) {
  start_team();
  ASSERT_EQ(answer(ann_, "ann", next_of(ann_), "yes").status, 200);
  const std::int64_t entry = session_->history({}).front().entry.id;
  EXPECT_EQ(post("/api/undo", {{"entry", entry}}, as(bob_)).status, 403);
  EXPECT_EQ(post("/api/edit", {{"entry", entry}, {"reply", "no"}}, as(bob_)).status, 403);
  EXPECT_EQ(post("/api/edit", {{"entry", entry}, {"reply", "no"}}, as(rita_)).status, 200);
  const JournalEntry edited = session_->history({}).front().entry;
  EXPECT_EQ(edited.annotator, "ann");
  EXPECT_EQ(edited.editor, "rita");
  EXPECT_EQ(post("/api/undo", {{"entry", edited.id}}, as(ann_)).status, 403)
      << "now the reviewer's";
  EXPECT_EQ(post("/api/undo", json::object(), as(ann_)).status, 404) << "nor as her last one";
  EXPECT_EQ(post("/api/undo", {{"entry", edited.id}}, as(rita_)).status, 200);
}

TEST_F(Team, ReviewersSettleOwnersImportAnnotatorsDoNeither) {
  start_team();
  const json question = next_of(ann_);
  answer(ann_, "ann", question, "yes");
  ASSERT_EQ(answer(bob_, "bob", question, "no").status, 200);
  const json settled{{"question", question["id"]}, {"reply", "no"}};
  EXPECT_EQ(post("/api/resolve", settled, as(ann_)).status, 403);
  EXPECT_EQ(post("/api/resolve", settled, as(rita_)).status, 200);
  const json labels{{"labels", "a9\tb9\n"}};
  EXPECT_EQ(post("/api/import", labels, as(rita_)).status, 403);
  EXPECT_EQ(post("/api/import", labels, as(olga_)).status, 200);
}

TEST_F(Team, AnnotatorsDoNotSeeWhatOthersSaid) {
  start_team();
  const json question = next_of(ann_);
  answer(ann_, "ann", question, "yes");
  const std::string path = "/api/question?id=" + question["id"].dump();
  EXPECT_EQ(json::parse(get(path, as(bob_)).body)["answers"].size(), 0U);
  EXPECT_EQ(json::parse(get(path, as(ann_)).body)["answers"].size(), 1U);
  EXPECT_EQ(json::parse(get(path, as(rita_)).body)["answers"].size(), 1U);
  EXPECT_EQ(json::parse(get("/api/history?annotator=ann", as(bob_)).body).size(), 0U);
  EXPECT_EQ(json::parse(get("/api/history?annotator=ann", as(rita_)).body).size(), 1U);
}

TEST_F(Team, AnnotatorsDoNotSeeHowTheirAnswersStandAgainstThoseOfOthers) {
  start_team();
  const json question = next_of(ann_);
  answer(ann_, "ann", question, "yes");
  const auto second = answer(bob_, "bob", question, "no");
  ASSERT_EQ(second.status, 200);
  EXPECT_EQ(json::parse(second.body)["disputed"], false);
  const json blind = json::parse(get("/api/status", as(bob_)).body);
  EXPECT_EQ(blind["annotators"].size(), 1U);
  EXPECT_EQ(blind["annotators"][0]["name"], "bob");
  EXPECT_TRUE(blind["review"].empty());
  EXPECT_TRUE(blind["disputes"].empty());
  const json full = json::parse(get("/api/status", as(rita_)).body);
  EXPECT_EQ(full["annotators"].size(), 2U);
  EXPECT_EQ(full["review"].size(), 1U);
}

TEST_F(Team, ARevokedTokenEndsAtOnceAlsoByAnotherProcess) {
  start_team();
  ASSERT_EQ(get("/api/status", as(ann_)).status, 200);
  Study::open(folder_ / "s.study", Access::kPeople).revoke_person("ann");
  EXPECT_EQ(get("/api/status", as(ann_)).status, 401);
  EXPECT_EQ(get("/api/status", as(bob_)).status, 200);
  EXPECT_THROW(study_->revoke_person("ann"), ParameterError);
  EXPECT_THROW((void)study_->add_person("bob", Role::kOwner), ParameterError);
  EXPECT_NE(study_->add_person("ann", Role::kReviewer), ann_);
  EXPECT_EQ(study_->people().front().role, Role::kReviewer);
  EXPECT_EQ(get("/api/status", as(ann_)).status, 401) << "the old token stays revoked";
}

TEST_F(Team, WhoeverIsRevokedWhileWaitingForNewsHearsNone) {
  start_team();
  const json event = json::parse(get("/api/status", as(ann_)).body)["event"];
  const auto waits = [&](const std::string& token) {
    return std::async(std::launch::async,
                      [this, token, path = "/api/events?wait=60&after=" + event.dump()] {
                        return get(path, as(token)).status;
                      });
  };
  auto ann = waits(ann_);
  auto bob = waits(bob_);
  EXPECT_EQ(ann.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  study_->revoke_person("ann");
  ASSERT_EQ(ann.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_EQ(ann.get(), 401);
  EXPECT_NE(bob.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  answer(bob_, "bob", next_of(bob_), "no");
  EXPECT_EQ(bob.get(), 200);
}

TEST_F(Team, RevokingEverybodyOpensNothing) {
  start_team();
  for (const Person& person : study_->people()) study_->revoke_person(person.name);
  EXPECT_EQ(get("/api/status").status, 401);
  EXPECT_EQ(get("/api/status", as("")).status, 401);
}

// dalaup import, run beside the server by whoever started it.
TEST_F(Team, TheNoteBesideTheStudyImportsAndDoesNothingElse) {
  start_team();
  const std::string token = server_of(folder_ / "s.study")->token;
  const json labels{{"labels", "a9\tb9\n"}, {"annotator", "import"}};
  EXPECT_EQ(post("/api/import", labels, as(token)).status, 200);
  EXPECT_EQ(get("/api/status", as(token)).status, 401);
  EXPECT_EQ(get("/api/next?annotator=ann", as(token)).status, 401);
}

TEST_F(Team, OnlyAHashOfATokenIsInTheFile) {
  start_team();
  study_->tidy();
  EXPECT_EQ(content_of(folder_ / "s.study").find(ann_), std::string::npos);
}

}  // namespace
}  // namespace dalaup
