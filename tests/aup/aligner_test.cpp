#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "methods/aup/aup.h"
#include "methods/methods.h"
#include "support/support.h"

namespace dalaup {
namespace {

// One random network twice, users of B renamed and some edges of each left out.
struct Planted {
  NetworkPair networks;
  std::vector<UserPair> truth;
  LabelSet labels;
};

Planted planted_pair(UserId users, std::size_t labelled) {
  Random random(5);
  std::vector<UserId> place(users);
  for (UserId user = 0; user < users; ++user) place[user] = user;
  random.shuffle(std::span(place));
  NetworkBuilder a;
  NetworkBuilder b;
  for (UserId user = 0; user < users; ++user) {
    a.add_user(fmt::format("a{}", user));
    b.add_user(fmt::format("b{}", user));
  }
  for (UserId user = 0; user < users; ++user)
    for (int edge = 0; edge < 5; ++edge) {
      const auto friend_of = static_cast<UserId>(random.below(users));
      if (random.chance(0.9)) a.add_edge(user, friend_of);
      if (random.chance(0.9)) b.add_edge(place[user], place[friend_of]);
    }
  Planted pair{
      .networks = {a.build(false), b.build(false)}, .truth = {}, .labels = LabelSet(users, users)};
  for (UserId user = 0; user < users; ++user) {
    pair.truth.push_back({user, place[user]});
    if (user < labelled) pair.labels.add(pair.truth.back(), Label::kAnchor);
  }
  return pair;
}

Settings quick(const std::string& preset, int epochs = 20) {
  Settings settings;
  settings.set("preset", preset);
  settings.set("embedding_dim", std::int64_t{16});
  settings.set("epochs", std::int64_t{epochs});
  settings.set("head_epochs", std::int64_t{5});
  return settings;
}

std::vector<float> all_scores(const Aligner& aligner) {
  std::vector<float> all;
  std::vector<float> row(aligner.networks().b.user_count());
  for (UserId user = 0; user < aligner.networks().a.user_count(); ++user) {
    aligner.score_row(Side::kA, user, row);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(AupAligner, FindsMostUsersOfAPlantedPairWithTheTunedPreset) {
  const Planted pair = planted_pair(120, 80);
  dalaup::Run run;
  Settings settings = quick("tuned", 60);
  settings.set("embedding_dim", std::int64_t{0});
  const auto aligner = make_aup(settings);
  aligner->fit(pair.networks, pair.labels, run);
  const auto ranks = aligner->ranks(std::span(pair.truth).subspan(80), run);
  const auto found = std::ranges::count_if(ranks, [](double rank) { return rank <= 3.0; });
  EXPECT_GE(found, 28) << "of 40 within rank 3 of 40 candidates";
  const UserPair right = pair.truth[100];
  const UserPair wrong{right.a, pair.truth[101].b};
  EXPECT_GT(aligner->probability(right), aligner->probability(wrong));
}

TEST(AupAligner, LikelyPairsAsCoordinatesFindMoreUsersWhenLabelsAreFew) {
  const Planted pair = planted_pair(400, 20);
  std::vector<std::ptrdiff_t> found;
  for (const int rounds : {0, 4}) {
    dalaup::Run run;
    Settings settings = quick("tuned", 1);
    settings.set("soft_rounds", std::int64_t{rounds});
    const auto aligner = make_aup(settings);
    aligner->fit(pair.networks, pair.labels, run);
    const auto ranks = aligner->ranks(std::span(pair.truth).subspan(20), run);
    found.push_back(std::ranges::count_if(ranks, [](double rank) { return rank <= 1.0; }));
  }
  EXPECT_GT(found[1], found[0] + found[0] / 5)
      << "best at once without and with rounds: " << found[0];
}

TEST(AupAligner, GivesTheSameBitsAtAnyThreadCount) {
  const Planted pair = planted_pair(80, 40);
  for (const char* preset : {"paper", "official", "tuned"}) {
    std::vector<std::vector<float>> scores;
    for (const int threads : {1, 3}) {
      dalaup::Run run({.threads = threads});
      const auto aligner = make_aup(quick(preset, 6));
      aligner->fit(pair.networks, pair.labels, run);
      scores.push_back(all_scores(*aligner));
    }
    EXPECT_EQ(scores[0], scores[1]) << preset;
  }
}

TEST(AupAligner, EveryHeadRanksByClassifierWithFiniteScores) {
  const Planted pair = planted_pair(60, 30);
  for (const char* head : {"linear", "mlp", "interaction"})
    for (const bool joint : {true, false}) {
      Settings settings = quick("paper", 5);
      settings.set("head", std::string(head));
      settings.set("joint_head", joint);
      settings.set("score", std::string("classifier"));
      dalaup::Run run;
      const auto aligner = make_aup(settings);
      aligner->fit(pair.networks, pair.labels, run);
      for (const float score : all_scores(*aligner)) ASSERT_TRUE(std::isfinite(score)) << head;
      std::vector<float> row(60);
      aligner->score_row(Side::kB, 7, row);
      EXPECT_NEAR(row[9], aligner->score({9, 7}), 1e-4) << head;
    }
}

TEST(AupAligner, SurvivesSavingAndLoadingToTheBit) {
  const Planted pair = planted_pair(60, 30);
  const TemporaryFolder folder;
  for (const char* preset : {"paper", "official", "tuned"}) {
    dalaup::Run run;
    const auto aligner = make_aup(quick(preset, 5));
    aligner->fit(pair.networks, pair.labels, run);
    save_model(folder / "m.dalaup", *aligner);
    const Model model = load_model(folder / "m.dalaup", all_methods());
    EXPECT_EQ(all_scores(*model.aligner), all_scores(*aligner)) << preset;
    EXPECT_EQ(model.aligner->probability({3, 4}), aligner->probability({3, 4}));
    EXPECT_EQ(model.aligner->settings(), aligner->settings());
    EXPECT_EQ(model.aligner->embeddings()->a, aligner->embeddings()->a);
    LabelSet more = pair.labels;
    more.add(pair.truth[40], Label::kAnchor);
    model.aligner->refit(more, run);  // a loaded model can learn on
    EXPECT_EQ(model.aligner->labels().anchors().size(), 31U);
  }
}

// Two networks that have nothing to do with each other, and labels that mean nothing.
Planted unrelated_pair(UserId users, std::size_t labelled) {
  Planted pair = planted_pair(users, labelled);
  pair.networks.b = planted_pair(users - 1, 0).networks.a;
  pair.labels = LabelSet(users, users - 1);
  for (std::size_t user = 0; user < labelled; ++user)
    if (pair.truth[user].b + 1 < users) pair.labels.add(pair.truth[user], Label::kAnchor);
  return pair;
}

TEST(AupAligner, UncrowdedIsTheCosineLessHalfOfEitherUsersTenNearest) {
  const Planted pair = planted_pair(60, 30);
  dalaup::Run run;
  std::array<std::unique_ptr<Aligner>, 2> aligners;
  for (std::size_t i = 0; i < 2; ++i) {
    Settings settings = quick("tuned", 3);
    settings.set("score", std::string(i == 0 ? "cosine" : "uncrowded"));
    aligners[i] = make_aup(settings);
    aligners[i]->fit(pair.networks, pair.labels, run);
  }
  const auto crowding = [&](Side side, UserId user) {
    std::vector<float> row(60);
    aligners[0]->score_row(side, user, row);
    std::vector<float> open;
    for (UserId partner = 0; partner < 60; ++partner)
      if (!pair.labels.is_anchored(other(side), partner)) open.push_back(row[partner]);
    std::ranges::sort(open, std::greater());
    double sum = 0.0;
    for (std::size_t i = 0; i < 10; ++i) sum += static_cast<double>(open[i]);
    return sum / 10.0;
  };
  for (UserId user = 30; user < 60; user += 7)
    for (UserId partner = 0; partner < 60; partner += 5) {
      const double cosine = static_cast<double>(aligners[0]->score({user, partner}));
      EXPECT_NEAR(2.25 * static_cast<double>(aligners[1]->score({user, partner})),
                  cosine - 0.5 * (crowding(Side::kA, user) + crowding(Side::kB, partner)), 1e-5);
    }
  const Matrix vectors = aligners[1]->embeddings()->a;
  for (Eigen::Index row = 0; row < vectors.rows(); ++row)
    EXPECT_NEAR(vectors.row(row).norm(), 1.0F, 1e-5F);
}

TEST(AupAligner, HeldOutPairsHelpNobodyToFindThem) {
  const Planted pair = unrelated_pair(300, 90);
  dalaup::Run run;
  const auto aligner = make_aup(quick("tuned", 4));
  aligner->fit(pair.networks, pair.labels, run);
  double surest = 0.0;
  std::vector<float> row(299);
  for (UserId user = 90; user < 300; ++user) {
    aligner->probability_row(Side::kA, user, row);
    surest += static_cast<double>(std::ranges::max(row)) / 210.0;
  }
  EXPECT_LT(surest, 0.1) << "labels that mean nothing must not look like knowledge";
}

TEST(AupAligner, SumsTheInformationOfNegativesAsTheObviousWay) {
  const Planted pair = unrelated_pair(80, 40);  // nothing certain, where float rows lose digits
  LabelSet labels = pair.labels;
  labels.add({50, 60}, Label::kNotAnchor);
  dalaup::Run run;
  const auto aligner = make_aup(quick("tuned", 3));
  aligner->fit(pair.networks, labels, run);
  for (const Side side : {Side::kA, Side::kB}) {
    const auto sums = aligner->negative_information(side, run);
    const auto expected = aligner->Aligner::negative_information(side, run);
    ASSERT_EQ(sums.size(), expected.size());
    for (std::size_t user = 0; user < sums.size(); ++user)
      EXPECT_NEAR(sums[user], expected[user], 1e-3 * (1.0 + expected[user])) << user;
  }
}

TEST(AupAligner, LearnsProbabilitiesAgainWhenAQuarterOfTheAnchorsIsNew) {
  const Planted pair = planted_pair(60, 40);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto aligner = make_aup(quick("tuned", 3));
  LabelSet labels(60, 60);
  const auto rehearsed_after = [&](std::size_t anchors) {
    while (labels.anchors().size() < anchors)
      labels.add(pair.truth[labels.anchors().size()], Label::kAnchor);
    if (anchors == 40)
      aligner->fit(pair.networks, labels, run);
    else
      aligner->refit(labels, run);
    save_model(folder / "m", *aligner);
    return ArchiveReader(folder / "m", "model", 1).whole_number("aup.rehearsed_anchors");
  };
  EXPECT_EQ(rehearsed_after(40), 40);
  EXPECT_EQ(rehearsed_after(50), 40);
  EXPECT_EQ(rehearsed_after(51), 51);
  EXPECT_EQ(aligner->labels().anchors().size(), 51U) << "held-out pairs are coordinates at last";
}

TEST(AupAligner, RefusesTruncatedAndDamagedModels) {
  const Planted pair = planted_pair(40, 20);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto aligner = make_aup(quick("paper", 2));
  aligner->fit(pair.networks, pair.labels, run);
  save_model(folder / "m.dalaup", *aligner);
  const std::string whole = content_of(folder / "m.dalaup");
  for (std::size_t part = 0; part < 8; ++part) {
    write_file(folder / "cut.dalaup", whole.substr(0, whole.size() * part / 8));
    EXPECT_THROW(load_model(folder / "cut.dalaup", all_methods()), InputError) << part;
  }
  Random random(3);
  for (int flip = 0; flip < 24; ++flip) {
    std::string damaged = whole;
    damaged[random.below(whole.size())] ^= static_cast<char>(1U << random.below(8));
    write_file(folder / "bad.dalaup", damaged);
    EXPECT_THROW(load_model(folder / "bad.dalaup", all_methods()), InputError) << flip;
  }
}

TEST(AupAligner, RefusesAModelOfANewerVersion) {
  const TemporaryFolder folder;
  ArchiveWriter().save(folder / "m.dalaup", "model", 99);
  EXPECT_EQ(error_of([&] { load_model(folder / "m.dalaup", all_methods()); }),
            (folder / "m.dalaup") + ": found format version 99, expected 1 or older");
}

TEST(AupAligner, RefusesMoreThanTheMemoryHoldsBeforeTakingAny) {
  const Planted pair = planted_pair(40, 20);
  dalaup::Run run;
  Settings settings = quick("paper", 1);
  settings.set("embedding_dim", std::int64_t{65536});
  settings.set("channels", std::int64_t{64});
  settings.set("convolution_layers", std::int64_t{8});
  const std::string error =
      error_of([&] { make_aup(settings)->fit(pair.networks, pair.labels, run); });
  EXPECT_TRUE(
      error.starts_with("aup (contexts, parameters and optimiser state) needs 1237.0 GB of memory"))
      << error;
}

TEST(AupAligner, RefusesAModelWhoseRepresentationsDoNotFitItsNetworks) {
  const Planted pair = planted_pair(40, 20);
  const Planted larger = planted_pair(50, 20);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto aligner = make_aup(quick("paper", 2));
  aligner->fit(pair.networks, pair.labels, run);
  save_model(folder / "m.dalaup", *aligner);
  const ArchiveReader archive(folder / "m.dalaup", "model", 1);
  EXPECT_THROW(make_aup(quick("paper", 2))->load(archive, larger.networks, larger.labels),
               InputError);
}

TEST(AupAligner, AnInterruptedRunResumesToTheSameResult) {
  const Planted pair = planted_pair(60, 40);
  const std::pair<const char*, double> cases[] = {
      {"official", 0.0}, {"official", 0.2}, {"tuned", 0.2}};
  for (const auto& [preset, share] : cases) {
    const TemporaryFolder folder;
    Settings settings = quick(preset, 60);
    settings.set("validation_share", share);
    settings.set("patience", std::int64_t{1000});
    dalaup::Run run;
    const auto whole = make_aup(settings);
    whole->fit(pair.networks, pair.labels, run);
    settings.set("checkpoint", folder / "c");
    settings.set("checkpoint_every", std::int64_t{3});
    std::atomic<bool> cancelled{false};
    std::thread watcher([&] {
      while (!file_exists(folder / "c")) std::this_thread::yield();
      cancelled = true;
    });
    dalaup::Run interrupted({.cancelled = &cancelled});
    const auto first = make_aup(settings);
    try {
      first->fit(pair.networks, pair.labels, interrupted);
    } catch (const Cancelled&) {
    }
    watcher.join();
    const auto second = make_aup(settings);
    second->fit(pair.networks, pair.labels, run);
    EXPECT_EQ(all_scores(*second), all_scores(*whole)) << preset << share;

    settings.set("learning_rate", 0.5);
    EXPECT_EQ(error_of([&] { make_aup(settings)->fit(pair.networks, pair.labels, run); }),
              (folder / "c") + ": found a checkpoint of other settings, labels or another seed");
  }
}

TEST(AupAligner, WritesTheLossesOfEveryEpoch) {
  const Planted pair = planted_pair(60, 30);
  const TemporaryFolder folder;
  Settings settings = quick("paper", 4);
  settings.set("loss_curve", folder / "curve.csv");
  dalaup::Run run;
  make_aup(settings)->fit(pair.networks, pair.labels, run);
  const std::string curve = content_of(folder / "curve.csv");
  EXPECT_TRUE(
      curve.starts_with("epoch,total,single,cross,classification,regularisation,"
                        "validation_mrr,learning_rate,seconds\n1,"));
  EXPECT_EQ(std::ranges::count(curve, '\n'), 5);
}

TEST(AupAligner, SaysWhatLabelsItNeeds) {
  const Planted pair = planted_pair(40, 20);
  dalaup::Run run;
  const auto fit = [&](const LabelSet& labels) {
    return error_of([&] { make_aup(quick("paper", 2))->fit(pair.networks, labels, run); });
  };
  LabelSet labels(40, 40);
  EXPECT_EQ(fit(labels), "aup: found no labels, expected at least 2 anchor pairs");
  labels.add({0, 1}, Label::kNotAnchor);
  EXPECT_EQ(fit(labels),
            "aup: found 1 answers \"no\" and no anchor pair, expected at least 2 anchor pairs");
  labels.add({3, 3}, Label::kAnchor);
  EXPECT_EQ(fit(labels), "aup: found a single anchor pair, expected at least 2");
  labels.add({4, 4}, Label::kAnchor);  // far fewer than a batch: one small batch
  EXPECT_EQ(fit(labels), "no error");
}

TEST(AupAligner, SmallNetworksAreRefusedOrWarnedAbout) {
  const NetworkPair tiny{network_of("a b\nb c"), network_of("x y\ny z")};
  const LabelSet labels = labels_of(tiny, {{"a", "x"}, {"b", "y"}});
  std::vector<std::string> warnings;
  dalaup::Run run({.on_warning = [&](const std::string& text) { warnings.push_back(text); }});
  EXPECT_EQ(error_of([&] { make_aup(quick("paper", 2))->fit(tiny, labels, run); }),
            "network A: found 3 coordinates per user, expected at least 5 for 2 convolutions of "
            "width 3");
  Settings settings = quick("paper", 2);
  settings.set("convolution_layers", std::int64_t{0});
  warnings.clear();
  make_aup(settings)->fit(tiny, labels, run);
  ASSERT_FALSE(warnings.empty());
  EXPECT_TRUE(warnings[0].starts_with(
      "aup: representations of 16 numbers are longer than the smaller network has users (3)"));
}

TEST(AupAligner, SettingsOnTopOfAPresetWinAndWrongOnesAreNamed) {
  Settings settings = quick("official");
  const Settings made = make_aup(settings)->settings();
  EXPECT_EQ(std::get<bool>(*made.find("batch_norm")), true);
  EXPECT_EQ(std::get<std::int64_t>(*made.find("embedding_dim")), 16);
  settings.set("preset", std::string("offical"));
  EXPECT_EQ(error_of([&] { make_aup(settings); }),
            "preset: found \"offical\", expected one of paper, official, tuned");
}

}  // namespace
}  // namespace dalaup
