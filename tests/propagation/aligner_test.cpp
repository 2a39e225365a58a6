#include <gmock/gmock.h>

#include <atomic>
#include <cmath>

#include "propagation/example.h"
#include "support/archive_parts.h"
#include "support/table_aligner.h"

namespace dalaup {
namespace {

std::unique_ptr<Aligner> fitted(const Example& example, const PropagationParams& params = {},
                                int threads = 1) {
  dalaup::Run run({.threads = threads});
  auto aligner = make_propagation(params);
  aligner->fit(example.networks, example.labels, run);
  return aligner;
}

// Enough where accuracy is not what is tested.
PropagationParams few_rounds() { return {.iterations = 4}; }

MethodRegistry propagation_only() {
  MethodRegistry registry;
  registry.add(
      {.name = "propagation", .summary = "", .fields = {}, .make = [](const Settings& settings) {
         PropagationParams params;
         apply_settings(params, settings);
         return make_propagation(params);
       }});
  return registry;
}

template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PropagationAligner, FindsMostPartnersInASmallSociety) {
  const Example example = small_society();
  const auto aligner = fitted(example);
  EXPECT_GT(precision_at(*aligner, example.tests, 1.0), 0.6);
  EXPECT_GT(precision_at(*aligner, example.tests, 30.0), 0.85);
}

// Knows who is who, and notes how many anchors it was shown at each fit.
class Oracle : public TableAligner {
 public:
  Oracle(const Example& example, std::vector<std::size_t>& fits)
      : TableAligner(example.networks, example.labels), example_(example), fits_(fits) {}
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    TableAligner::fit(networks, labels, run);
    fits_.push_back(labels.anchors().size());
  }
  std::optional<Embeddings> embeddings() const override {
    const auto users = static_cast<Eigen::Index>(example_.networks.a.user_count());
    Embeddings vectors{Matrix::Identity(users, users),
                       Matrix::Zero(example_.networks.b.user_count(), users)};
    for (const UserPair& test : example_.tests) vectors.b(test.b, test.a) = 1.0F;
    for (const UserPair& anchor : example_.labels.anchors()) vectors.b(anchor.b, anchor.a) = 1.0F;
    return vectors;
  }

 private:
  const Example& example_;
  std::vector<std::size_t>& fits_;
};

TEST(PropagationAligner, ALearnedPriorIsLearnedAgainForEachPartHiddenAndIsUsed) {
  const Example example = small_society();
  const std::size_t labels = example.labels.anchors().size();
  const double without = precision_at(*fitted(example), example.tests, 1.0);
  for (const char* const kind : {"aup", "both"}) {
    std::vector<std::size_t> fits;
    const auto aligner = make_propagation({.prior = kind, .calibration_folds = 3},
                                          [&] { return std::make_unique<Oracle>(example, fits); });
    dalaup::Run run;
    aligner->fit(example.networks, example.labels, run);
    EXPECT_GT(precision_at(*aligner, example.tests, 1.0), without + 0.05) << kind;
    EXPECT_THAT(fits, testing::ElementsAre(labels, labels - labels / 3, labels - labels / 3,
                                           labels - labels / 3));
  }
  EXPECT_EQ(error_of([] { make_propagation({.prior = "both"}); }),
            "prior: found \"both\" without a method to learn vectors with");
}

TEST(PropagationAligner, GivesTheSameBitsAtAnyThreadCount) {
  const Example example = small_society();
  const auto one = fitted(example, few_rounds(), 1);
  const auto three = fitted(example, few_rounds(), 3);
  for (const UserPair& test : example.tests) {
    EXPECT_EQ(one->score(test), three->score(test));
    EXPECT_EQ(one->probability(test), three->probability(test));
  }
}

TEST(PropagationAligner, RenamingAndReorderingUsersChangesNoRank) {
  const Example example = small_society();
  Example shuffled;
  Random random(3);
  const auto reordered = [&](const Network& network, std::string_view prefix,
                             std::vector<UserId>& ids) {
    std::vector<UserId> order(network.user_count());
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(std::span(order));
    NetworkBuilder builder;
    ids.resize(order.size());
    for (const UserId user : order) ids[user] = builder.add_user(fmt::format("{}{}", prefix, user));
    for (const UserId user : order)
      for (const UserId neighbour : network.neighbours(user))
        if (neighbour < user) builder.add_edge(ids[user], ids[neighbour]);
    return builder.build(false);
  };
  std::vector<UserId> ids_a;
  std::vector<UserId> ids_b;
  shuffled.networks.a = reordered(example.networks.a, "p", ids_a);
  shuffled.networks.b = reordered(example.networks.b, "q", ids_b);
  shuffled.labels = LabelSet(example.networks.a.user_count(), example.networks.b.user_count());
  for (const UserPair& anchor : example.labels.anchors())
    shuffled.labels.add({ids_a[anchor.a], ids_b[anchor.b]}, Label::kAnchor);
  for (const UserPair& test : example.tests)
    shuffled.tests.push_back({ids_a[test.a], ids_b[test.b]});
  dalaup::Run run;
  const auto before = fitted(example, few_rounds())->ranks(example.tests, run);
  const auto after = fitted(shuffled, few_rounds())->ranks(shuffled.tests, run);
  std::size_t different = 0;  // sums in another order may swap near ties
  for (std::size_t i = 0; i < before.size(); ++i)
    different += std::abs(before[i] - after[i]) > 1.0 ? 1 : 0;
  EXPECT_LE(different, before.size() / 50);
}

TEST(PropagationAligner, ProbabilitiesOfAUserAndOfHavingNoPartnerAddUpToOne) {
  const Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  dalaup::Run run;
  for (const Side side : {Side::kA, Side::kB}) {
    const auto users = unanchored_users(example.labels, side);
    for (const RankedList& list : aligner->best_candidates(side, users, 1000, run)) {
      double sum = aligner->no_partner_probability(side, list.user).value();
      for (const Candidate& candidate : list.candidates) {
        const double probability = aligner->probability(pair_of(side, list.user, candidate.user));
        EXPECT_GT(probability, 0.0);
        EXPECT_LT(probability, 1.0);
        if (probability > 1e-4) sum += probability;
      }
      EXPECT_NEAR(sum, 1.0, 0.1);
    }
  }
}

TEST(PropagationAligner, ListsEveryOpenUserAndOnlyOpenCandidatesBestFirst) {
  const Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  dalaup::Run run;
  const auto users = unanchored_users(example.labels, Side::kA);
  for (const RankedList& list : aligner->best_candidates(Side::kA, users, 30, run)) {
    ASSERT_EQ(list.candidates.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_FALSE(example.labels.is_anchored(Side::kB, list.candidates[i].user));
      EXPECT_TRUE(std::isfinite(list.candidates[i].score));
      if (i > 0) {
        EXPECT_LE(list.candidates[i].score, list.candidates[i - 1].score);
      }
      EXPECT_EQ(aligner->score({list.user, list.candidates[i].user}), list.candidates[i].score);
    }
  }
}

TEST(PropagationAligner, APairAnsweredNoIsNeverListed) {
  Example example = small_society();
  dalaup::Run run;
  const UserId user = example.tests[0].a;
  const auto before =
      fitted(example, few_rounds())->best_candidates(Side::kA, std::span(&user, 1), 1, run);
  const UserPair refused{user, before[0].candidates[0].user};
  example.labels.add(refused, Label::kNotAnchor);
  for (const bool trust_no : {false, true}) {
    const auto aligner = fitted(example, {.iterations = 4, .trust_no = trust_no});
    for (const RankedList& list :
         aligner->best_candidates(Side::kA, std::span(&user, 1), 1000, run))
      for (const Candidate& candidate : list.candidates) EXPECT_NE(candidate.user, refused.b);
    EXPECT_LT(aligner->probability(refused), 1e-6);
  }
}

TEST(PropagationAligner, AWarmRefitRanksAsWellAsAFreshFit) {
  Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  for (std::size_t i = 0; i < 10; ++i) example.labels.add(example.tests[i], Label::kAnchor);
  example.tests.erase(example.tests.begin(), example.tests.begin() + 10);
  dalaup::Run run;
  aligner->refit(example.labels, run);
  const double fresh = precision_at(*fitted(example, few_rounds()), example.tests, 10.0);
  EXPECT_NEAR(precision_at(*aligner, example.tests, 10.0), fresh, 0.04);
}

TEST(PropagationAligner, ALoadedModelRefitsAsTheOneThatWasSaved) {
  Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  const TemporaryFolder folder;
  save_model(folder / "small.dalaup", *aligner);
  const std::string saved = content_of(folder / "small.dalaup");
  EXPECT_THAT(saved, testing::HasSubstr("propagation.opinions"));
  EXPECT_THAT(saved, testing::HasSubstr("propagation.second_model"));
  const Model model = load_model(folder / "small.dalaup", propagation_only());
  for (std::size_t i = 0; i < 5; ++i) example.labels.add(example.tests[i], Label::kAnchor);
  dalaup::Run run;
  aligner->refit(example.labels, run);
  model.aligner->refit(example.labels, run);
  for (const UserPair& test : example.tests)
    EXPECT_EQ(model.aligner->score(test), aligner->score(test));
}

TEST(PropagationAligner, TakingALabelBackIsTheSameAsNeverGivingIt) {
  Example example = small_society();
  const auto fresh = fitted(example, few_rounds());
  LabelSet more = example.labels;
  more.add(example.tests[0], Label::kAnchor);
  dalaup::Run run;
  auto aligner = make_propagation(few_rounds());
  aligner->fit(example.networks, more, run);
  aligner->refit(example.labels, run);
  for (const UserPair& test : example.tests) EXPECT_EQ(aligner->score(test), fresh->score(test));
}

TEST(PropagationAligner, AnswersTheSameAfterSavingAndLoading) {
  const Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  const TemporaryFolder folder;
  save_model(folder / "small.dalaup", *aligner);
  const Model model = load_model(folder / "small.dalaup", propagation_only());
  for (const UserPair& test : example.tests) {
    EXPECT_EQ(model.aligner->score(test), aligner->score(test));
    EXPECT_EQ(model.aligner->probability(test), aligner->probability(test));
    EXPECT_EQ(model.aligner->explain(test, 3).words, aligner->explain(test, 3).words);
  }
  EXPECT_EQ(model.aligner->settings(), aligner->settings());
}

// A study saves and loads its model before every refit. Versions before self-training wrote one
// probability model.
TEST(PropagationAligner, AModelOfAnEarlierVersionRefitsTheSameAfterItWasSavedAgain) {
  const Example example = small_society();
  LabelSet more = example.labels;
  for (std::size_t i = 0; i < 5; ++i) more.add(example.tests[i], Label::kAnchor);
  const TemporaryFolder folder;
  dalaup::Run run;
  const auto refitted = [&](Aligner& aligner) {
    aligner.refit(more, run);
    std::vector<double> answers;
    for (const UserPair& test : example.tests) answers.push_back(aligner.probability(test));
    return answers;
  };
  const std::string path = folder / "m.dalaup";
  const auto reloaded = [&] { return load_model(path, propagation_only()); };
  save_model(path, *fitted(example, few_rounds()));
  ArchiveParts old = archive_parts(content_of(path));
  std::erase_if(old.parts, [](const ArchivePart& part) {
    return part.name.starts_with("propagation.first_") ||
           part.name.starts_with("propagation.second_");
  });
  write_file(path, archive_of(old));
  const auto expected = refitted(*reloaded().aligner);
  save_model(path, *reloaded().aligner);
  EXPECT_EQ(refitted(*reloaded().aligner), expected);
}

// Large networks have so many labels that one fold hides enough of them.
TEST(PropagationAligner, AFitThatGoesOnFromASingleFoldFindsAsMuchAsOneFromTheBeginning) {
  const Example example = small_society();
  const auto near =
      fitted(example, {.consensus = "no", .calibration_labels = 11, .self_training = "no"});
  const auto whole = fitted(example, {.consensus = "no", .calibration_folds = 0});
  EXPECT_NEAR(precision_at(*near, example.tests, 1.0), precision_at(*whole, example.tests, 1.0),
              0.06);
  EXPECT_NEAR(precision_at(*near, example.tests, 10.0), precision_at(*whole, example.tests, 10.0),
              0.04);
}

// With users without partner and refused pairs.
TEST(PropagationAligner, ItsFileAloneAnswersAsItDoes) {
  Example example = small_society();
  example.labels.add(no_partner(Side::kA, example.tests[0].a), Label::kNotAnchor);
  example.labels.add(no_partner(Side::kB, example.tests[1].b), Label::kNotAnchor);
  for (std::size_t i = 2; i < 20; ++i)
    example.labels.add({example.tests[i].a, example.tests[i + 1].b}, Label::kNotAnchor);
  const TemporaryFolder folder;
  for (const int listed : {10, 100}) {
    const auto aligner = fitted(example, {.listed_candidates = listed, .iterations = 6});
    save_model(folder / "m.dalaup", *aligner);
    const auto stored = StoredModel::open(folder / "m.dalaup");
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->method(), "propagation");
    std::vector<UserId> users;
    for (UserId user = 300; user-- > 0;) users.push_back(user);
    dalaup::Run run;
    const auto lists = propagation_lists_in(*stored, users, 30);
    ASSERT_TRUE(lists.has_value());
    const RankedLists expected = aligner->best_candidates(Side::kA, users, 30, run);
    EXPECT_TRUE(lists->candidates == expected);
    for (std::size_t i = 0; i < users.size(); ++i)
      for (std::size_t place = 0; place < expected[i].candidates.size(); ++place)
        EXPECT_EQ(lists->probabilities[i].candidates[place].score,
                  static_cast<float>(
                      aligner->probability({users[i], expected[i].candidates[place].user})));
    std::vector<std::string> names;
    stored->for_names(Side::kB, [&](UserId, std::string_view name) { names.emplace_back(name); });
    ASSERT_EQ(names.size(), 280U);
    EXPECT_EQ(names[279], example.networks.b.name(279));
  }
}

// ann - bob - cid in A, x - y - z in B, bob = y known: bob is all that speaks for ann = x.
TEST(PropagationAligner, ExplainsAPairByItsMatchedNeighbours) {
  Example example{{network_of("ann bob\nbob cid"), network_of("x y\ny z")}, {}, {}, {}};
  example.labels = labels_of(example.networks, {{"bob", "y"}});
  const auto aligner = fitted(example);
  const Explanation explanation =
      aligner->explain({example.networks.a.find("ann"), example.networks.b.find("x")}, 5);
  ASSERT_EQ(explanation.parts.size(), 1U);
  EXPECT_EQ(explanation.parts[0].neighbours.a, example.networks.a.find("bob"));
  EXPECT_EQ(explanation.parts[0].neighbours.b, example.networks.b.find("y"));
  EXPECT_TRUE(explanation.parts[0].is_label);
  EXPECT_DOUBLE_EQ(explanation.parts[0].contribution, 1.0);
  EXPECT_THAT(
      explanation.words,
      testing::StartsWith("1 pair of neighbours is matched with each other, 1 of them known."));
}

TEST(PropagationAligner, OneLabelGivesAWarningAndFiniteScores) {
  Example example{{network_of("ann bob\nbob cid\ndee"), network_of("x y\ny z")}, {}, {}, {}};
  example.labels = labels_of(example.networks, {{"bob", "y"}});
  std::string warning;
  dalaup::Run run({.on_warning = [&](const std::string& text) { warning = text; }});
  auto aligner = make_propagation();
  aligner->fit(example.networks, example.labels, run);
  EXPECT_THAT(warning, testing::StartsWith("only 1 anchor pair"));
  std::vector<float> scores(example.networks.b.user_count());
  for (UserId user = 0; user < example.networks.a.user_count(); ++user) {
    aligner->score_row(Side::kA, user, scores);
    for (const float score : scores) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(PropagationAligner, SaysWhatIsMissingWhenThereIsNothingToLearnFrom) {
  const NetworkPair networks{network_of("ann bob\nloner"), network_of("x y\nhermit")};
  const NetworkPair bare{network_of("ann\nbob"), network_of("x y")};
  dalaup::Run run;
  const auto fit = [&](const NetworkPair& pair, const LabelSet& labels) {
    return error_of([&] { make_propagation()->fit(pair, labels, run); });
  };
  EXPECT_THAT(fit(networks, labels_of(networks, {})), testing::HasSubstr("no anchor pair"));
  LabelSet negative = labels_of(networks, {});
  negative.add({0, 0}, Label::kNotAnchor);
  EXPECT_THAT(fit(networks, negative), testing::HasSubstr("1 negative label"));
  EXPECT_THAT(fit(networks, labels_of(networks, {{"loner", "hermit"}})),
              testing::HasSubstr("none of users with edges in both networks"));
  EXPECT_THAT(fit(bare, labels_of(bare, {{"ann", "x"}})), testing::HasSubstr("no edges"));
  EXPECT_THAT(error_of([] { make_propagation({.iterations = 0}); }),
              testing::HasSubstr("iterations"));
}

TEST(PropagationAligner, StopsWhenAskedTo) {
  const Example example = small_society();
  const std::atomic<bool> cancelled = true;
  dalaup::Run run({.cancelled = &cancelled});
  EXPECT_THROW(make_propagation()->fit(example.networks, example.labels, run), Cancelled);
}

TEST(PropagationAligner, TheOrderOfLabelsChangesNothing) {
  Example example = small_society();
  const auto aligner = fitted(example, few_rounds());
  std::vector<UserPair> anchors(example.labels.anchors().begin(), example.labels.anchors().end());
  example.labels = LabelSet(example.networks.a.user_count(), example.networks.b.user_count());
  for (auto anchor = anchors.rbegin(); anchor != anchors.rend(); ++anchor)
    example.labels.add(*anchor, Label::kAnchor);
  const auto reversed = fitted(example, few_rounds());
  for (const UserPair& test : example.tests) {
    EXPECT_EQ(reversed->score(test), aligner->score(test));
    EXPECT_EQ(reversed->probability(test), aligner->probability(test));
  }
}

TEST(PropagationAligner, ASparseNetworkInsideADenseOneIsAligned) {
  SKIP_WITH_SANITIZERS();
  const Example example = generated_example({.users_a = 1000,
                                             .users_b = 1000,
                                             .anchors = 1000,
                                             .edges_a = 41000,
                                             .edges_b = 4600,
                                             .overlap = 0.97},
                                            5);
  EXPECT_GE(precision_at(*fitted(example), example.tests, 30.0), 0.90);
}

}  // namespace
}  // namespace dalaup
