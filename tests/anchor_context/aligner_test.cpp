#include "methods/anchor_context/anchor_context.h"
#include "methods/anchor_context/coordinate_weights.h"
#include "methods/methods.h"
#include "support/planted_pair.h"

namespace dalaup {
namespace {

TEST(AnchorContextAligner, FindsMostUsersOfAPlantedPair) {
  const Planted pair = planted_pair(120, 80);
  dalaup::Run run;
  const auto aligner = make_anchor_context({.epochs = 60});
  aligner->fit(pair.networks, pair.labels, run);
  const auto ranks = aligner->ranks(std::span(pair.truth).subspan(80), run);
  const auto found = std::ranges::count_if(ranks, [](double rank) { return rank <= 3.0; });
  EXPECT_GE(found, 28) << "of 40 within rank 3 of 40 candidates";
  const UserPair right = pair.truth[100];
  const UserPair wrong{right.a, pair.truth[101].b};
  EXPECT_GT(aligner->probability(right), aligner->probability(wrong));
}

TEST(AnchorContextAligner, LikelyPairsAsCoordinatesFindMoreUsersWhenLabelsAreFew) {
  const Planted pair = planted_pair(400, 20);
  std::vector<std::ptrdiff_t> found;
  for (const int rounds : {0, 4}) {
    dalaup::Run run;
    const auto aligner = make_anchor_context({.soft_rounds = rounds, .epochs = 1});
    aligner->fit(pair.networks, pair.labels, run);
    const auto ranks = aligner->ranks(std::span(pair.truth).subspan(20), run);
    found.push_back(std::ranges::count_if(ranks, [](double rank) { return rank <= 1.0; }));
  }
  EXPECT_GT(found[1], found[0] + found[0] / 5)
      << "best at once without and with rounds: " << found[0];
}

TEST(AnchorContextAligner, CslsIsTheCosineLessHalfOfEitherUsersTenNearest) {
  const Planted pair = planted_pair(60, 30);
  dalaup::Run run;
  std::array<std::unique_ptr<Aligner>, 2> aligners;
  for (std::size_t i = 0; i < 2; ++i) {
    aligners[i] = make_anchor_context({.epochs = 3, .score = i == 0 ? "cosine" : "csls"});
    aligners[i]->fit(pair.networks, pair.labels, run);
  }
  const auto nearest = [&](Side side, UserId user) {
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
                  cosine - 0.5 * (nearest(Side::kA, user) + nearest(Side::kB, partner)), 1e-5);
    }
  const Matrix vectors = aligners[1]->embeddings()->a;
  for (Eigen::Index row = 0; row < vectors.rows(); ++row)
    EXPECT_NEAR(vectors.row(row).norm(), 1.0F, 1e-5F);
}

TEST(AnchorContextAligner, HeldOutPairsHelpNobodyToFindThem) {
  const Planted pair = unrelated_pair(300, 90);
  dalaup::Run run;
  const auto aligner = make_anchor_context({.epochs = 4});
  aligner->fit(pair.networks, pair.labels, run);
  double surest = 0.0;
  std::vector<float> row(299);
  for (UserId user = 90; user < 300; ++user) {
    aligner->probability_row(Side::kA, user, row);
    surest += static_cast<double>(std::ranges::max(row)) / 210.0;
  }
  EXPECT_LT(surest, 0.1) << "labels that mean nothing must not look like knowledge";
}

TEST(AnchorContextAligner, SumsTheInformationOfNegativesAsTheObviousWay) {
  const Planted pair = unrelated_pair(80, 40);  // nothing certain, where float rows lose digits
  LabelSet labels = pair.labels;
  labels.add({50, 60}, Label::kNotAnchor);
  dalaup::Run run;
  const auto aligner = make_anchor_context({.epochs = 3});
  aligner->fit(pair.networks, labels, run);
  for (const Side side : {Side::kA, Side::kB}) {
    const auto sums = aligner->negative_information(side, run);
    const auto expected = aligner->Aligner::negative_information(side, run);
    ASSERT_EQ(sums.size(), expected.size());
    for (std::size_t user = 0; user < sums.size(); ++user)
      EXPECT_NEAR(sums[user], expected[user], 1e-3 * (1.0 + expected[user])) << user;
  }
}

TEST(AnchorContextAligner, LearnsProbabilitiesAgainWhenAQuarterOfTheAnchorsIsNew) {
  const Planted pair = planted_pair(60, 40);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto aligner = make_anchor_context({.epochs = 3});
  LabelSet labels(60, 60);
  const auto rehearsed_after = [&](std::size_t anchors) {
    while (labels.anchors().size() < anchors)
      labels.add(pair.truth[labels.anchors().size()], Label::kAnchor);
    if (anchors == 40)
      aligner->fit(pair.networks, labels, run);
    else
      aligner->refit(labels, run);
    save_model(folder / "m", *aligner);
    return ArchiveReader(folder / "m", "model", 1).whole_number("anchor_context.rehearsed_anchors");
  };
  EXPECT_EQ(rehearsed_after(40), 40);
  EXPECT_EQ(rehearsed_after(50), 40);
  EXPECT_EQ(rehearsed_after(51), 51);
  EXPECT_EQ(aligner->labels().anchors().size(), 51U) << "held-out pairs are coordinates at last";
}

TEST(AnchorContextAligner, GivesTheSameBitsAtAnyThreadCount) {
  const Planted pair = planted_pair(80, 40);
  std::vector<std::vector<float>> scores;
  for (const int threads : {1, 3}) {
    dalaup::Run run({.threads = threads});
    const auto aligner = make_anchor_context({.epochs = 6});
    aligner->fit(pair.networks, pair.labels, run);
    scores.push_back(all_scores(*aligner));
  }
  EXPECT_EQ(scores[0], scores[1]);
}

TEST(AnchorContextAligner, SurvivesSavingAndLoadingToTheBit) {
  const Planted pair = planted_pair(60, 30);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto aligner = make_anchor_context({.epochs = 5});
  aligner->fit(pair.networks, pair.labels, run);
  save_model(folder / "m.dalaup", *aligner);
  const Model model = load_model(folder / "m.dalaup", all_methods());
  EXPECT_EQ(all_scores(*model.aligner), all_scores(*aligner));
  EXPECT_EQ(model.aligner->probability({3, 4}), aligner->probability({3, 4}));
  EXPECT_EQ(model.aligner->settings(), aligner->settings());
  LabelSet more = pair.labels;
  more.add(pair.truth[40], Label::kAnchor);
  model.aligner->refit(more, run);  // a loaded model can learn on
  EXPECT_EQ(model.aligner->labels().anchors().size(), 31U);
}

TEST(AnchorContextAligner, IsWhatAupWithThePresetTunedWas) {
  Settings settings;
  settings.set("preset", std::string("tuned"));
  settings.set("epochs", std::int64_t{7});
  const MethodRegistry registry = all_methods();
  const auto aligner = registry.make("aup", settings);
  EXPECT_EQ(aligner->method(), "anchor_context");
  EXPECT_EQ(std::get<std::int64_t>(*aligner->settings().find("epochs")), 7);
  const auto variant = registry.variant("aup:preset=tuned:epochs=9").make({});
  EXPECT_EQ(variant->method(), "anchor_context");
  EXPECT_EQ(std::get<std::int64_t>(*variant->settings().find("epochs")), 9);
  EXPECT_EQ(registry.variant("aup:preset=official").make({})->method(), "aup");
}

TEST(SoftmaxContrast, GradientsMatchMeasuredSlopes) {
  const std::vector<BatchPair> pairs{{0, 1, true}, {1, 0, true}, {2, 2, false}};
  std::array<Matrix, 2> vectors{Matrix::Random(3, 5), Matrix::Random(3, 5)};
  std::array<Matrix, 2> gradients;
  std::array<Matrix, 2> unused;
  softmax_contrast(pairs, 0.5, vectors, gradients);
  for (std::size_t side = 0; side < 2; ++side)
    for (Eigen::Index i = 0; i < vectors[side].size(); ++i) {
      constexpr float kStep = 1e-2F;
      float& value = vectors[side].data()[i];
      const float before = value;
      value = before + kStep;
      const double above = softmax_contrast(pairs, 0.5, vectors, unused);
      value = before - kStep;
      const double below = softmax_contrast(pairs, 0.5, vectors, unused);
      value = before;
      EXPECT_NEAR(gradients[side].data()[i], (above - below) / (2.0 * kStep), 2e-3) << side << i;
    }
}

}  // namespace
}  // namespace dalaup
