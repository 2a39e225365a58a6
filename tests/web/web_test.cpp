#include <sys/stat.h>

#include "web/web_support.h"

namespace dalaup {
namespace {

std::string problem(const HttpClientReply& result) {
  return fmt::format("{} {}", result.status, json::parse(result.body)["error"].get<std::string>());
}

TEST_F(Web, AsksTakesAnswersAndTakesThemBack) {
  start();
  const json question = next("ann");
  EXPECT_EQ(question["kind"], "pair");
  EXPECT_FALSE(question["candidates"][0].contains("probability")) << "blind by default";
  const auto answer = post(
      "/api/answer",
      {{"annotator", "ann"}, {"question", question["id"]}, {"reply", "yes"}, {"seconds", 1.5}});
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(json::parse(answer.body)["settled"], 59);
  EXPECT_EQ(ask("/api/status")["yes"], 1);
  EXPECT_EQ(json::parse(post("/api/undo", {{"annotator", "ann"}}).body)["settled"], -59);
  EXPECT_EQ(next("ann")["id"], question["id"]);
  const json full = json::parse(get("/api/question?model=1&id=" + question["id"].dump()).body);
  EXPECT_TRUE(full["candidates"][0].contains("probability"));
  EXPECT_TRUE(full["candidates"][0].contains("rank_of_user"));
  EXPECT_EQ(ask("/api/history").size(), 2U);
}

TEST_F(Web, SaysWhatIsWrongWithARequest) {
  start();
  EXPECT_EQ(problem(get("/api/nothing")), "404 there is nothing at /api/nothing");
  EXPECT_EQ(problem(HttpClient("127.0.0.1", server_->port()).post("/api/answer", "{")),
            "400 the body is no JSON object");
  EXPECT_EQ(problem(post("/api/answer", {{"annotator", "ann"}, {"reply", "yes"}})),
            "400 question: is missing, expected a whole number");
  EXPECT_EQ(problem(post("/api/answer", {{"annotator", "ann"}, {"question", 1}, {"reply", "ja"}})),
            "400 reply: expected yes, no, no-partner, unsure or skip");
  EXPECT_EQ(problem(get("/api/next?annotator=" + std::string(65, 'x'))),
            "400 annotator: found \"" + std::string(60, 'x') +
                "...\", expected a name of 1 to 64 bytes of UTF-8 without characters that cannot "
                "be seen");
  EXPECT_EQ(post("/api/answer", {{"annotator", "ann"}, {"question", 999}, {"reply", "no"}}).status,
            404);
  EXPECT_EQ(get("/api/user?side=A&id=99").status, 404);
}

TEST_F(Web, TakesNoTextThatWouldHarmTheJournal) {
  start();
  const json answer{{"annotator", "ann"}, {"question", 1}, {"reply", "no"}};
  for (const char* const query : {"?request=%ff", "?note=%c3%28", "?annotator=%ed%a0%80"})
    EXPECT_EQ(post("/api/answer" + std::string(query), answer).status, 400) << query;
  EXPECT_EQ(problem(post("/api/import", {{"annotator", "ann"},
                                         {"labels", "a1\tb1\n"},
                                         {"source", std::string(1001, 'x')}})),
            "400 source: expected at most 1000 bytes");
  EXPECT_TRUE(session_->history({}).empty());
  const std::string words = "/api/search?side=A&text=" + std::string(6000, '+') + "a1";
  EXPECT_EQ(get(words).status, 200);
}

TEST_F(Web, OnePersonHasOneName) {
  start();
  for (const char* const name : {"ann", "%20ann%20", "ann%c2%a0"}) {
    const json question = next(name);
    EXPECT_EQ(post("/api/answer?annotator=" + std::string(name),
                   {{"question", question["id"]}, {"reply", "unsure"}})
                  .status,
              200);
  }
  const json people = ask("/api/status")["annotators"];
  ASSERT_EQ(people.size(), 1U) << people;
  EXPECT_EQ(people[0]["answers"], 3);
  EXPECT_EQ(ask("/api/history?annotator=ann%20").size(), 3U);
}

TEST_F(Web, ServesOnlyTheEmbeddedPage) {
  start();
  const auto page = get("/");
  ASSERT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<main"), std::string::npos);
  EXPECT_EQ(get("/app.js").status, 200);
  for (const char* path : {"/../s.study", "/%2e%2e/%2e%2e/etc/passwd", "/s.study", "//etc/passwd",
                           "/app.js/../../x", "/index.html"})
    EXPECT_EQ(get(path).status, 404) << path;
}

TEST_F(Web, SendsAStrictPolicyWithEveryReply) {
  start();
  for (const char* path : {"/", "/api/status", "/nothing"}) {
    const auto reply = get(path);
    const std::string policy = reply.field("content-security-policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos) << path;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(reply.field("x-content-type-options"), "nosniff");
    EXPECT_EQ(reply.field("x-frame-options"), "DENY");
  }
}

TEST_F(Web, RefusesOtherHostsAgainstDnsRebinding) {
  start();
  EXPECT_EQ(get("/api/status", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(get("/", {{"Host", fmt::format("evil.example:{}", server_->port())}}).status, 403);
  EXPECT_EQ(get("/api/status", {{"Host", fmt::format("localhost:{}", server_->port())}}).status,
            200);
}

TEST_F(Web, RefusesRequestsOfOtherSites) {
  start();
  const std::string own = fmt::format("http://127.0.0.1:{}", server_->port());
  const std::string body = R"({"annotator":"ann"})";
  const auto status = [&](HttpFields fields, const char* type) {
    fields.emplace_back("Content-Type", type);
    return HttpClient("127.0.0.1", server_->port()).post("/api/undo", body, fields).status;
  };
  EXPECT_EQ(status({{"Origin", "http://evil.example"}}, "application/json"), 403);
  EXPECT_EQ(status({{"Origin", "null"}}, "application/json"), 403);
  EXPECT_EQ(status({{"Sec-Fetch-Site", "cross-site"}}, "application/json"), 403);
  EXPECT_EQ(status({}, "text/plain"), 415) << "what a form can send";
  EXPECT_EQ(status({}, "application/x-www-form-urlencoded"), 415);
  EXPECT_EQ(status({{"Origin", own}, {"Sec-Fetch-Site", "same-origin"}}, "application/json"), 404)
      << "passes, and there is nothing to undo";
  EXPECT_EQ(HttpClient("127.0.0.1", server_->port()).ask("DELETE", "/api/undo", {}, {}).status,
            405);
}

TEST_F(Web, NeedsTheTokenWhenOthersCanReachIt) {
  start({.host = "0.0.0.0"});
  ASSERT_EQ(server_->token().size(), 32U);
  EXPECT_NE(server_->address().find("?token=" + server_->token()), std::string::npos);
  EXPECT_EQ(get("/api/status").status, 401);
  EXPECT_EQ(get("/").status, 401);
  EXPECT_EQ(get("/?token=wrong").status, 401);
  EXPECT_EQ(get("/api/status", {{"Authorization", "Bearer " + server_->token()}}).status, 200);
  const auto moved = get("/?token=" + server_->token());
  EXPECT_EQ(moved.status, 303);
  const std::string cookie = moved.field("set-cookie");
  EXPECT_NE(cookie.find("HttpOnly"), std::string::npos);
  EXPECT_NE(cookie.find("SameSite=Strict"), std::string::npos);
  EXPECT_EQ(get("/api/status", {{"Cookie", cookie.substr(0, cookie.find(';'))}}).status, 200);
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> guesses;
    for (int guess = 0; guess < 20; ++guess)
      guesses.emplace_back([&] { refused += get("/?token=guess").status == 429 ? 1 : 0; });
  }
  EXPECT_GT(refused, 5) << "guessing is slowed down";
}

TEST_F(Web, LimitsSizeAndRateOfRequests) {
  start({.requests_per_second = 1.0});
  EXPECT_EQ(HttpClient("127.0.0.1", server_->port())
                .post("/api/import", std::string(2 << 20, 'x'))
                .status,
            413);
  int refused = 0;
  for (int attempt = 0; attempt < 40; ++attempt) refused += get("/nothing").status == 429 ? 1 : 0;
  EXPECT_GT(refused, 0);
}

TEST_F(Web, ShowsHostileNamesAsData) {
  start({}, {network_of("<img\tq\n<img\tr"), network_of("\"><script>\tx\n\"><script>\ty")});
  const auto found = get("/api/search?side=A&text=img");
  EXPECT_EQ(found.field("content-type"), "application/json");
  EXPECT_EQ(json::parse(found.body)[0]["name"], "<img");
}

TEST_F(Web, EventsComeWhenSomethingChanges) {
  start();
  const json question = next("ann");
  const auto before = ask("/api/status")["event"].get<int>();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    post("/api/answer", {{"annotator", "ann"}, {"question", question["id"]}, {"reply", "unsure"}});
  });
  const auto event =
      json::parse(get(fmt::format("/api/events?wait=10&after={}", before)).body)["event"];
  EXPECT_GT(event.get<int>(), before);
}

TEST_F(Web, ImportsLabelsAndListsContradictions) {
  start();
  const auto reply = post("/api/import", {{"annotator", "ann"}, {"labels", "a1\tb1\na2\tb1\n"}});
  ASSERT_EQ(reply.status, 200);
  const json report = json::parse(reply.body);
  EXPECT_EQ(report["added"], 1);
  EXPECT_EQ(report["conflicts"][0]["line"], 2);
  EXPECT_EQ(post("/api/import", {{"annotator", "ann"}, {"labels", "nobody\tb1\n"}}).status, 400);
}

TEST_F(Web, TellsWhatTheStudysOwnerSaysAndAllowsPicturesOnlyThen) {
  start({.page = {.name_a = "Foursquare", .budget = 50, .pictures = true},
         .guidelines = "# Be careful"});
  const auto reply = get("/api/status");
  const json status = json::parse(reply.body);
  EXPECT_EQ(status["name_a"], "Foursquare");
  EXPECT_EQ(status["budget"], 50);
  EXPECT_EQ(status["guidelines"], "# Be careful");
  EXPECT_NE(get("/").field("content-security-policy").find("data: https:;"), std::string::npos);
  EXPECT_EQ(reply.field("content-security-policy").find("https:"), std::string::npos);
}

TEST_F(Web, ShowsAnyPairTakesPairsFoundBySearchAndNotesWithAnswers) {
  start();
  const json pair = ask("/api/pair?a=3&b=4");
  EXPECT_EQ(pair["user"]["name"], "a2");
  EXPECT_EQ(pair["candidates"][0]["name"], "b3");
  EXPECT_TRUE(pair["candidates"][0].contains("evidence"));
  EXPECT_EQ(get("/api/pair?a=3&b=4000").status, 404);
  const json found{{"annotator", "ann"}, {"a", 3}, {"b", 3}, {"reply", "yes"}};
  EXPECT_EQ(post("/api/pair", found).status, 200);
  EXPECT_EQ(ask("/api/status")["anchors"], 1);
  const json question = next("ann");
  post("/api/answer", {{"annotator", "ann"},
                       {"question", question["id"]},
                       {"reply", "no"},
                       {"note", "<b>other</b> city"}});
  const json history = ask("/api/history?most=1");
  EXPECT_EQ(history[0]["note"], "<b>other</b> city");
  const std::string past =
      fmt::format("/api/question?id={}&entry={}", question["id"].dump(), history[0]["id"].dump());
  EXPECT_EQ(ask(past)["candidates"].size(), 1U);
}

TEST_F(Web, TakesThatSomebodyHasNoPartner) {
  start();
  const json question = next("ann");
  const json answer{{"annotator", "ann"}, {"question", question["id"]}, {"reply", "no-partner"}};
  EXPECT_EQ(json::parse(post("/api/answer", answer).body)["settled"], 30);
  const json entry = ask("/api/history?most=1&reply=no-partner")[0];
  EXPECT_EQ(entry["pair"]["a"]["name"], question["user"]["name"]);
  EXPECT_TRUE(entry["pair"]["b"].is_null());
  EXPECT_EQ(ask("/api/status")["without_partner"]["a"], 1);
  EXPECT_TRUE(ask("/api/user?side=A&id=" + question["user"]["id"].dump())["has_no_partner"]);
  const json alone{{"annotator", "ann"}, {"b", 7}, {"reply", "no-partner"}, {"request", "r1"}};
  EXPECT_EQ(post("/api/pair", alone).status, 200);
  EXPECT_EQ(post("/api/pair", alone).status, 200) << "sent again";
  EXPECT_EQ(ask("/api/status")["without_partner"]["b"], 1);
  EXPECT_EQ(post("/api/pair", {{"annotator", "ann"}, {"b", 7}, {"reply", "yes"}}).status, 400);
  EXPECT_EQ(post("/api/pair", {{"annotator", "ann"}, {"a", 7}, {"b", 7}, {"reply", "yes"}}).status,
            409);
}

TEST_F(Web, APortInUseIsAClearError) {
  start();
  WebOptions same{.port = server_->port()};
  try {
    WebServer second(*session_, same);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be taken"), std::string::npos);
  }
}

// The command finds the server that holds the study, and writes through it.
TEST_F(Web, ImportGoesThroughTheServerWhileAStudyIsBeingLabelled) {
  for (const char* const host : {"127.0.0.1", "0.0.0.0"}) {
    start({.host = host});
    const std::string study = folder_ / "s.study";
    write_file(folder_ / "more.tsv", "a1\tb1\na2\tb2\na1\tb5\n");
    const CommandResult first =
        run_dalaup("import " + study + " --annotator eve --labels " + (folder_ / "more.tsv"));
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_NE(first.out.find("2 labels added, 0 known already, 1 contradicting"), first.out.npos)
        << first.out;
    EXPECT_NE(first.out.find("line 3: (\"a1\", \"b5\") 1 contradicts (\"a1\", \"b1\") 1"),
              first.out.npos)
        << first.out;
    EXPECT_EQ(session_->status().anchors, 2U);
    write_file(folder_ / "bad.tsv", "nobody\tb1\n");
    const CommandResult bad = run_dalaup("import " + study + " --labels " + (folder_ / "bad.tsv"));
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_NE(bad.err.find("bad.tsv:1: found \"nobody\""), bad.err.npos) << bad.err;
    server_.reset();
    const CommandResult without =
        run_dalaup("import " + study + " --labels " + (folder_ / "more.tsv"));
    EXPECT_NE(without.err.find("is in use by another dalaup"), without.err.npos)
        << "nobody serves it: " << without.err;
    EXPECT_FALSE(file_exists(study + "-server"));
    session_.reset();
    study_.reset();
    remove_study(study);
  }
}

// The options that say how a file is written travel to the server, what it made of them back.
TEST_F(Web, ImportThroughTheServerReadsAsTheOptionsSay) {
  start();
  write_file(folder_ / "more.txt", "who|b|a\nx|B1|A1\nx|b2|a2\nx|nobody|a3\n");
  const std::string import = "import " + (folder_ / "s.study") + " --labels " +
                             (folder_ / "more.txt") + " --label-delimiter '|'";
  const CommandResult unread = run_dalaup(import);
  EXPECT_EQ(unread.exit_code, 1) << unread.out;
  const CommandResult unknown = run_dalaup(import + " --label-columns a,b");
  EXPECT_NE(unknown.err.find("more.txt: found 3 names that no user has"), unknown.err.npos)
      << unknown.err;
  EXPECT_EQ(session_->status().anchors, 0U);
  const CommandResult done =
      run_dalaup(import + " --label-columns a,b --ignore-case --skip-unknown");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("2 labels added, 0 known already, 0 contradicting"), done.out.npos);
  EXPECT_NE(
      done.err.find("more.txt: separated by |, header, columns a, b (not read: who); 2 labels"),
      done.err.npos)
      << done.err;
  EXPECT_NE(done.err.find("1 line with users the networks do not have was left out"),
            done.err.npos);
  EXPECT_NE(done.err.find("2 names were found by ignoring the case"), done.err.npos);
  EXPECT_EQ(session_->status().anchors, 2U);
}

// Whoever can write into the folder must not be able to have labels sent to another server.
TEST_F(Web, AnAddressThatOthersMayWriteIsNotUsed) {
  start();
  const std::string note = folder_ / "s.study-server";
  EXPECT_TRUE(server_of(folder_ / "s.study"));
  ASSERT_EQ(chmod(note.c_str(), 0666), 0);
  EXPECT_FALSE(server_of(folder_ / "s.study"));
}

}  // namespace
}  // namespace dalaup
