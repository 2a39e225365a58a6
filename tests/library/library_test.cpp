// The facade as its users see it: nothing else of dalaup is included.
#include <dalaup/dalaup.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

using testing::HasSubstr;

dalaup::Generated small_pair() {
  return dalaup::generate({{"users_a", 300},
                           {"users_b", 300},
                           {"anchors", 250},
                           {"edges_a", 2500},
                           {"edges_b", 2500},
                           {"overlap", 0.7},
                           {"labels_share", 0.15}});
}

std::vector<std::pair<dalaup::UserId, dalaup::UserId>> pairs_of(
    const std::vector<dalaup::Match>& matches) {
  std::vector<std::pair<dalaup::UserId, dalaup::UserId>> pairs;
  for (const auto& match : matches) pairs.emplace_back(match.a, match.b);
  return pairs;
}

// alice - bob - carol      dave
TEST(LibraryNetwork, IsBuiltFromNamesAndEdges) {
  const std::vector<std::string> names{"alice", "bob", "carol", "dave"};
  const std::vector<dalaup::Edge> edges{{0, 1}, {2, 1, 2.5F}, {1, 0}, {3, 3}};
  std::vector<std::string> warnings;
  dalaup::Control control;
  control.on_warning = [&](const std::string& message) { warnings.push_back(message); };
  const auto network = dalaup::Network::build(names, edges, false, control);
  EXPECT_EQ(network.user_count(), 4U);
  EXPECT_EQ(network.edge_count(), 2U);
  EXPECT_EQ(network.name(2), "carol");
  EXPECT_EQ(network.find("dave"), std::optional<dalaup::UserId>(3));
  const auto rows = network.neighbours();
  EXPECT_THAT(std::vector(rows.begins.begin(), rows.begins.end()),
              testing::ElementsAre(0, 1, 3, 4, 4));
  EXPECT_THAT(std::vector(rows.users.begin(), rows.users.end()), testing::ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(std::vector(rows.weights.begin(), rows.weights.end()),
              testing::ElementsAre(1.0F, 1.0F, 2.5F, 2.5F));
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("1 self-loop and 1 duplicate edge")));
}

TEST(LibraryNetwork, RefusesWhatIsNoNetwork) {
  const std::vector<std::string> names{"alice", "bob"};
  const std::vector<std::string> twice{"alice", "alice"};
  const std::vector<dalaup::Edge> beyond{{0, 2}};
  const std::vector<dalaup::Edge> weightless{{0, 1, 0.0F}};
  EXPECT_THROW(dalaup::Network::build(names, beyond), dalaup::InputError);
  EXPECT_THROW(dalaup::Network::build(names, weightless), dalaup::InputError);
  EXPECT_THROW(dalaup::Network::build(twice, {}), dalaup::InputError);
  EXPECT_THROW(dalaup::Network::read("no such file"), dalaup::InputError);
  try {
    static_cast<void>(dalaup::Network::build(names, {}).at("alise"));
    FAIL();
  } catch (const dalaup::InputError& error) {
    EXPECT_THAT(error.hint(), HasSubstr("alice"));
  }
}

TEST(LibraryModel, FindsPartnersAndSurvivesAFile) {
  const dalaup::Generated pair = small_pair();
  const dalaup::Model model = dalaup::Model::fit(pair.networks, pair.labels);
  EXPECT_EQ(model.method(), "propagation");
  EXPECT_EQ(model.labels().size(), pair.labels.size());
  const auto metrics = model.evaluate(pair.truth);
  EXPECT_EQ(metrics[0].first, "precision@30");
  EXPECT_GT(metrics[0].second, 0.9);
  const auto matches = model.match();
  ASSERT_GT(matches.size(), 150U);
  EXPECT_GE(matches.front().probability, matches.back().probability);

  const auto ranked = model.rank({.top = 3});
  ASSERT_FALSE(ranked.empty());
  EXPECT_EQ(ranked[0].rank, 1U);
  EXPECT_GE(ranked[0].score, ranked[1].score);
  EXPECT_EQ(model.explain(matches[0].a, matches[0].b).probability,
            model.probability(matches[0].a, matches[0].b));

  const auto path = std::filesystem::temp_directory_path() / "dalaup_library_test.dalaup";
  model.save(path);
  EXPECT_EQ(pairs_of(dalaup::Model::load(path).match()), pairs_of(matches));
  std::filesystem::remove(path);
  EXPECT_EQ(pairs_of(dalaup::Model::from_bytes(model.to_bytes()).match()), pairs_of(matches));
}

TEST(LibraryModel, RefitLearnsFromFurtherLabelsAndRefusesContradictions) {
  const dalaup::Generated pair = small_pair();
  const std::span<const dalaup::Label> truth(pair.truth);
  dalaup::Model model = dalaup::Model::fit(pair.networks, truth.first(40));
  model.refit(truth.subspan(40, 20));
  EXPECT_EQ(model.labels().size(), 60U);
  const dalaup::Label wrong{truth[0].a, truth[1].b};
  try {
    model.refit(std::span(&wrong, 1));
    FAIL();
  } catch (const dalaup::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::string(model.a().name(wrong.a))));
  }
  EXPECT_EQ(model.labels().size(), 60U);
}

TEST(LibraryModel, UnknownSettingsAreRefusedWithTheClosestName) {
  const dalaup::Generated pair = small_pair();
  try {
    dalaup::Model::fit(pair.networks, pair.labels, {.settings = {{"roundz", 3}}});
    FAIL();
  } catch (const dalaup::ParameterError& error) {
    EXPECT_THAT(error.what(), HasSubstr("roundz"));
  }
  EXPECT_THROW(dalaup::Model::fit(pair.networks, pair.labels, {.name = "propagatoin"}),
               dalaup::ParameterError);
}

TEST(LibraryControl, CallbacksComeFromTheCallingThreadAndStopTheWork) {
  const dalaup::Generated pair = small_pair();
  const auto caller = std::this_thread::get_id();
  dalaup::Control control;
  control.threads = 2;
  int reports = 0;
  control.on_progress = [&](const dalaup::Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_FALSE(progress.task.empty());
    ++reports;
  };
  const auto with = dalaup::Model::fit(pair.networks, pair.labels, {}, control);
  EXPECT_GT(reports, 0);
  const auto without = dalaup::Model::fit(pair.networks, pair.labels);
  EXPECT_EQ(with.to_bytes(), without.to_bytes());  // and two threads give the bits of all

  control.is_cancelled = [] { return true; };
  EXPECT_THROW(dalaup::simulate(pair.networks, pair.truth, {}, control), dalaup::Cancelled);
  control.is_cancelled = nullptr;
  control.on_progress = [](const dalaup::Progress&) { throw std::string("mine"); };
  EXPECT_THROW(dalaup::Model::fit(pair.networks, pair.labels, {}, control), std::string);
}

// Vectors that know the truth: an own method is calibrated, saved and loaded as any other.
dalaup::OwnMethod cheating(const dalaup::Generated& pair, int* calls) {
  return {"cheating",
          [&pair, calls](const dalaup::Networks& networks, std::span<const dalaup::Label>,
                         const dalaup::Settings&, std::uint64_t) {
            ++*calls;
            const std::size_t dimensions = networks.a.user_count() + networks.b.user_count();
            dalaup::Vectors vectors{dimensions, {}, {}};
            vectors.a.assign(networks.a.user_count() * dimensions, 0.0F);
            vectors.b.assign(networks.b.user_count() * dimensions, 0.0F);
            for (std::size_t a = 0; a < networks.a.user_count(); ++a)
              vectors.a[a * dimensions + a] = 1.0F;
            for (std::size_t b = 0; b < networks.b.user_count(); ++b)
              vectors.b[b * dimensions + networks.a.user_count() + b] = 0.1F;
            for (const auto& [a, b, is_anchor] : pair.truth) vectors.b[b * dimensions + a] = 1.0F;
            return vectors;
          }};
}

TEST(LibraryOwn, AMethodOfTheCallersIsUsedLikeAnyOther) {
  const dalaup::Generated pair = small_pair();
  int calls = 0;
  const dalaup::OwnMethod own = cheating(pair, &calls);
  dalaup::Control control;
  control.is_cancelled = [] { return false; };  // so that it runs beside the caller
  const dalaup::Method method{.name = "cheating", .settings = {{"anything", 1}}, .own = {own}};
  dalaup::Model model = dalaup::Model::fit(pair.networks, pair.labels, method, control);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(model.evaluate(pair.truth)[0].second, 1.0);
  EXPECT_THROW(dalaup::Model::from_bytes(model.to_bytes()), dalaup::Error);
  dalaup::Model loaded = dalaup::Model::from_bytes(model.to_bytes(), {own});
  EXPECT_EQ(loaded.settings().at("anything"), dalaup::Value(std::int64_t{1}));
  const std::vector<dalaup::Label> more(pair.truth.begin(), pair.truth.end());
  loaded.refit(more, control);
  EXPECT_EQ(calls, 4);
}

TEST(LibraryOwn, AStrategyOfTheCallersAsksWhatItValues) {
  const dalaup::Generated pair = small_pair();
  std::size_t seen = 0;
  const dalaup::OwnStrategy own{"unlikely", [&](std::span<const dalaup::AskablePair> pairs) {
                                  seen += pairs.size();
                                  std::vector<double> values;
                                  for (const auto& one : pairs) values.push_back(-one.probability);
                                  return values;
                                }};
  const dalaup::Model model = dalaup::Model::fit(pair.networks, pair.labels);
  dalaup::Asking asking(model, {.strategy = "unlikely", .batch_size = 5, .own = {own}});
  const auto questions = asking.next();
  ASSERT_EQ(questions.size(), 5U);
  EXPECT_GT(seen, 5U);
  for (const auto& question : questions) EXPECT_LT(question.probabilities[0], 0.1);

  const dalaup::Settings settings{{"strategy", "unlikely,cs"},
                                  {"label_budget", 10},
                                  {"batch_size", 5},
                                  {"repeats", 1},
                                  {"initial", 40},
                                  {"validation", 20},
                                  {"test", 40},
                                  {"no_control", true}};
  const auto curve =
      dalaup::simulate(pair.networks, pair.truth, {.settings = settings, .own = {own}});
  ASSERT_EQ(curve.size(), 6U);
  EXPECT_EQ(curve[2].strategy, "unlikely");
  EXPECT_EQ(curve[2].labels, 10U);
  EXPECT_EQ(curve[2].positives, 0U);
  EXPECT_GT(curve[5].positives, 5U);
}

TEST(LibraryAsking, LearnsFromAnswersUntilNothingIsLeft) {
  const dalaup::Generated pair = small_pair();
  const std::span<const dalaup::Label> truth(pair.truth);
  const dalaup::Model model = dalaup::Model::fit(pair.networks, truth.first(30));
  dalaup::Asking asking(model, {.strategy = "dalaup", .batch_size = 10});
  std::size_t yes = 0;
  for (int round = 0; round < 3; ++round) {
    const auto questions = asking.next();
    ASSERT_EQ(questions.size(), 10U);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const dalaup::Label asked{questions[i].user, questions[i].candidates[0]};
      EXPECT_THAT(questions[i].words, HasSubstr(std::string(model.a().name(asked.a))));
      if (std::ranges::find(truth, asked) != truth.end()) {
        asking.answer_yes(i);
        ++yes;
      } else {
        asking.answer_no(i);
      }
    }
  }
  asking.next();
  EXPECT_EQ(model.labels().size(), 60U);
  EXPECT_GT(yes, 5U);
  EXPECT_FALSE(asking.advice().empty());
  EXPECT_THROW(asking.answer_yes(10), dalaup::StateError);
}

}  // namespace
