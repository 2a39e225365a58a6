#include "embedding/embedding.h"

#include <fmt/format.h>

#include <cmath>

#include "support/support.h"

namespace dalaup {
namespace {

// Gives the vectors it was told and counts its trainings.
class GivenVectors : public EmbeddingAligner {
 public:
  explicit GivenVectors(Embeddings given, double calibration_share = 0.0)
      : EmbeddingAligner(calibration_share), given_(std::move(given)) {}
  std::string method() const override { return "given"; }
  Settings settings() const override { return {}; }
  int prepared = 0;
  std::vector<std::size_t> anchors_seen;

 protected:
  void prepare(const NetworkPair&, Run&) override { ++prepared; }
  Embeddings train(const NetworkPair&, const LabelSet& labels, Run&) override {
    anchors_seen.push_back(labels.anchors().size());
    return given_;
  }

 private:
  Embeddings given_;
};

NetworkPair three_and_four() {
  return {network_of("a0 a1\na1 a2"), network_of("b0 b1\nb1 b2\nb2 b3")};
}

// a0 points along x, a1 along y, a2 nowhere; b0 along x, b1 along both, b2 along y, b3 against x.
Embeddings drawn_vectors() {
  Embeddings vectors{Matrix(3, 2), Matrix(4, 2)};
  vectors.a << 2, 0, 0, 3, 0, 0;
  vectors.b << 5, 0, 1, 1, 0, 1, -4, 0;
  return vectors;
}

Embeddings random_vectors(int users_a, int users_b) {
  Random random(7);
  Embeddings vectors{Matrix(users_a, 5), Matrix(users_b, 5)};
  for (Matrix* matrix : {&vectors.a, &vectors.b})
    for (float& value : matrix->reshaped()) value = static_cast<float>(random.normal());
  return vectors;
}

NetworkPair rings(int users) {
  std::string a;
  std::string b;
  for (int user = 0; user < users; ++user) {
    a += fmt::format("a{} a{}\n", user, (user + 1) % users);
    b += fmt::format("b{} b{}\n", user, (user + 1) % users);
  }
  return {network_of(a), network_of(b)};
}

TEST(EmbeddingAligner, ScoresAreCosinesAndAUserWithoutAVectorScoresZero) {
  const NetworkPair networks = three_and_four();
  GivenVectors aligner(drawn_vectors());
  dalaup::Run run;
  aligner.fit(networks, LabelSet(3, 4), run);
  std::vector<float> row(4);
  aligner.score_row(Side::kA, 0, row);
  EXPECT_FLOAT_EQ(row[0], 1.0F);
  EXPECT_FLOAT_EQ(row[1], std::sqrt(0.5F));
  EXPECT_FLOAT_EQ(row[2], 0.0F);
  EXPECT_FLOAT_EQ(row[3], -1.0F);
  aligner.score_row(Side::kA, 2, row);
  EXPECT_EQ(row, std::vector<float>(4, 0.0F));
  EXPECT_FLOAT_EQ(aligner.score({1, 2}), 1.0F);
}

TEST(EmbeddingAligner, ListsLeaveOutKnownPartnersAndPairsAnsweredNo) {
  const NetworkPair networks = three_and_four();
  LabelSet labels = labels_of(networks, {{"a2", "b1"}});
  labels.add({0, 0}, Label::kNotAnchor);
  GivenVectors aligner(drawn_vectors());
  dalaup::Run run;
  aligner.fit(networks, labels, run);
  const std::vector<UserId> users{0, 1};
  const RankedLists lists = aligner.best_candidates(Side::kA, users, 2, run);
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].candidates[0].user, 2U);  // b0 was answered no, b1 belongs to a2
  EXPECT_EQ(lists[0].candidates[1].user, 3U);
  EXPECT_EQ(lists[1].candidates[0].user, 2U);
}

TEST(EmbeddingAligner, BlockedRanksListsAndSumsAgreeWithTheDefaultsOfTheInterface) {
  const NetworkPair networks = rings(75);
  LabelSet labels(75, 75);
  for (UserId user = 0; user < 10; ++user) labels.add({user, 74 - user}, Label::kAnchor);
  labels.add({20, 30}, Label::kNotAnchor);
  labels.add({3, 30}, Label::kNotAnchor);  // also implied: must not be taken off twice
  GivenVectors aligner(random_vectors(75, 75));
  dalaup::Run run;
  aligner.fit(networks, labels, run);
  std::vector<UserPair> pairs;
  for (UserId user = 10; user < 60; ++user) pairs.push_back({user, user});
  EXPECT_EQ(aligner.ranks(pairs, run), aligner.Aligner::ranks(pairs, run));
  const std::vector<UserId> users = unanchored_users(labels, Side::kB);
  const RankedLists fast = aligner.best_candidates(Side::kB, users, 7, run);
  const RankedLists slow = aligner.Aligner::best_candidates(Side::kB, users, 7, run);
  for (std::size_t i = 0; i < users.size(); ++i)
    for (std::size_t place = 0; place < 7; ++place)
      EXPECT_EQ(fast[i].candidates[place].user, slow[i].candidates[place].user);
  for (const Side side : {Side::kA, Side::kB}) {
    const auto sums = aligner.negative_information(side, run);
    const auto expected = aligner.Aligner::negative_information(side, run);
    for (std::size_t user = 0; user < sums.size(); ++user)
      EXPECT_NEAR(sums[user], expected[user], 1e-5 * (1.0 + expected[user]));
  }
}

TEST(EmbeddingAligner, CalibratesOnAnchorsHiddenFromTheTraining) {
  const NetworkPair networks = rings(40);
  LabelSet labels(40, 40);
  for (UserId user = 0; user < 20; ++user) labels.add({user, user}, Label::kAnchor);
  Embeddings vectors = random_vectors(40, 40);
  vectors.b = vectors.a;  // the right partner always has cosine 1
  GivenVectors aligner(vectors, 0.25);
  dalaup::Run run;
  aligner.fit(networks, labels, run);
  EXPECT_EQ(aligner.anchors_seen, (std::vector<std::size_t>{15, 20}));
  EXPECT_GT(aligner.probability({30, 30}), 0.7);
  EXPECT_LT(aligner.probability({30, 31}), 0.1);
  labels.add({20, 20}, Label::kAnchor);
  aligner.refit(labels, run);
  EXPECT_EQ(aligner.prepared, 1);
  EXPECT_EQ(aligner.anchors_seen.back(), 21U);
}

TEST(EmbeddingAligner, RefusesVectorsThatAreNotFinite) {
  const NetworkPair networks = three_and_four();
  Embeddings vectors = drawn_vectors();
  vectors.b(1, 1) = std::nanf("");
  GivenVectors aligner(vectors);
  dalaup::Run run;
  EXPECT_THROW(aligner.fit(networks, LabelSet(3, 4), run), StateError);
  EXPECT_THROW(static_cast<void>(aligner.networks()), StateError);
}

TEST(EmbeddingAligner, SavesAndLoadsWhatItAnswersWith) {
  const NetworkPair networks = rings(30);
  LabelSet labels(30, 30);
  for (UserId user = 0; user < 16; ++user) labels.add({user, user}, Label::kAnchor);
  GivenVectors saved(random_vectors(30, 30), 0.5);
  dalaup::Run run;
  saved.fit(networks, labels, run);
  MethodRegistry registry;
  registry.add({.name = "given", .summary = "", .fields = {}, .make = [](const Settings&) {
                  return std::make_unique<GivenVectors>(Embeddings{});
                }});
  const TemporaryFolder folder;
  save_model(folder / "model.dalaup", saved);
  const Model loaded = load_model(folder / "model.dalaup", registry);
  for (UserId user = 0; user < 30; ++user) {
    EXPECT_EQ(loaded.aligner->score({user, 3}), saved.score({user, 3}));
    EXPECT_EQ(loaded.aligner->probability({user, 3}), saved.probability({user, 3}));
  }
}

TEST(Calibration, FindsTheCurveThatMadeTheAnswers) {
  const PairCurve truth{.score = 6.0, .margin_a = 2.0, .margin_b = 9.0, .offset = -4.0};
  Random random(3);
  std::vector<PairEvidence> anchors;
  std::vector<PairEvidence> others;
  const auto draw_number = [&] { return static_cast<float>(2.0 * random.uniform() - 1.0); };
  for (int draw = 0; draw < 40000; ++draw) {
    const PairEvidence pair{draw_number(), draw_number(), draw_number()};
    (random.chance(truth.probability(pair)) ? anchors : others).push_back(pair);
  }
  const PairCurve found = fit_pair_curve(anchors, others);
  EXPECT_NEAR(found.score, truth.score, 0.25);
  EXPECT_NEAR(found.margin_a, truth.margin_a, 0.25);
  EXPECT_NEAR(found.margin_b, truth.margin_b, 0.3);
  EXPECT_NEAR(found.offset, truth.offset, 0.2);
}

TEST(Calibration, StaysFiniteWhenScoresSeparatePerfectly) {
  const PairCurve found = fit_pair_curve(std::vector<PairEvidence>(5, {.score = 0.9F}),
                                         std::vector<PairEvidence>(500, {.score = 0.1F}));
  EXPECT_TRUE(std::isfinite(found.score));
  EXPECT_GT(found.probability({.score = 0.9F}), 0.9);
  EXPECT_LT(found.probability({.score = 0.1F}), 0.01);
  EXPECT_LT(found.probability({.score = 1e9F}), 1.0);
  EXPECT_GT(found.probability({.score = -1e9F}), 0.0);
}

TEST(Calibration, APairThatStandsOutIsLikelierThanOneOfManyWithTheSameScore) {
  // Every user of A looks like one of B; the first twenty also like each other.
  const NetworkPair networks = rings(60);
  LabelSet labels(60, 60);
  for (UserId user = 0; user < 40; ++user) labels.add({user, user}, Label::kAnchor);
  Embeddings vectors = random_vectors(60, 60);
  for (Eigen::Index user = 0; user < 60; user += 2)
    vectors.a.row(user) = vectors.a.row(0) + 0.01F * vectors.a.row(user);
  vectors.b = vectors.a;
  GivenVectors aligner(vectors, 0.5);
  dalaup::Run run;
  aligner.fit(networks, labels, run);
  EXPECT_NEAR(aligner.score({51, 51}), aligner.score({50, 50}), 1e-6);
  EXPECT_GT(aligner.probability({51, 51}), 0.5);
  EXPECT_LT(aligner.probability({50, 50}), 0.3);
}

}  // namespace
}  // namespace dalaup
