#include <atomic>
#include <thread>

#include "methods/aup/aup.h"
#include "methods/methods.h"
#include "support/planted_pair.h"

namespace dalaup {
namespace {

Settings quick(const std::string& preset, int epochs = 20) {
  Settings settings;
  settings.set("preset", preset);
  settings.set("embedding_dim", std::int64_t{16});
  settings.set("epochs", std::int64_t{epochs});
  settings.set("head_epochs", std::int64_t{5});
  return settings;
}

TEST(AupAligner, GivesTheSameBitsAtAnyThreadCount) {
  const Planted pair = planted_pair(80, 40);
  for (const char* preset : {"paper", "official"}) {
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
  for (const char* preset : {"paper", "official"}) {
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
  ArchiveWriter(folder / "m.dalaup", "model", 99).commit();
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
  const std::pair<const char*, double> cases[] = {{"official", 0.0}, {"official", 0.2}};
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
            "aup: found 1 answer \"no\" and no anchor pair, expected at least 2 anchor pairs");
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
            "preset: found \"offical\", expected one of paper, official");
}

}  // namespace
}  // namespace dalaup
