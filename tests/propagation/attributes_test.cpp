#include <gmock/gmock.h>

#include "aligner/aligner.h"
#include "propagation/example.h"

// Attributes, starting without labels, and users without a partner.
namespace dalaup {
namespace {

GeneratorParams society_with_attributes() {
  return {.users_a = 300,
          .users_b = 280,
          .anchors = 220,
          .edges_a = 1800,
          .edges_b = 1700,
          .overlap = 0.7,
          .attributes = true};
}

double share_first(const Aligner& aligner, std::span<const UserPair> pairs) {
  dalaup::Run run;
  double first = 0.0;
  for (const double rank : aligner.ranks(pairs, run)) first += rank <= 1.0 ? 1.0 : 0.0;
  return first / static_cast<double>(pairs.size());
}

std::unique_ptr<Aligner> fitted(const NetworkPair& networks, const LabelSet& labels,
                                const PropagationParams& params = {}) {
  dalaup::Run run;
  auto aligner = make_propagation(params);
  aligner->fit(networks, labels, run);
  return aligner;
}

// The same networks and labels with other attributes.
NetworkPair with_attributes(const Example& example, GeneratorParams params,
                            std::span<const UserPair> truth) {
  dalaup::Run run;
  NetworkPair networks = example.networks;
  networks.attributes = draw_attributes(networks, truth, params, run);
  return networks;
}

TEST(PropagationWithAttributes, FindsMoreThanStructureAlone) {
  SKIP_WITH_SANITIZERS();
  const Example example = generated_example(society_with_attributes(), 10);
  NetworkPair bare = example.networks;
  bare.attributes = nullptr;
  const double structure = share_first(*fitted(bare, example.labels), example.tests);
  const double both = share_first(*fitted(example.networks, example.labels), example.tests);
  EXPECT_GT(both, structure + 0.1);
  EXPECT_GT(both, 0.85);
}

TEST(PropagationWithAttributes, ShuffledAttributesChangeNoScore) {
  const Example example = generated_example(society_with_attributes(), 5);
  NetworkPair bare = example.networks;
  bare.attributes = nullptr;
  std::vector<UserPair> wrong = example.truth;  // everybody has the attributes of the next
  for (std::size_t i = 0; i < wrong.size(); ++i)
    wrong[i].b = example.truth[(i + 1) % wrong.size()].b;
  const NetworkPair shuffled = with_attributes(example, society_with_attributes(), wrong);
  const auto without = fitted(bare, example.labels, {.iterations = 4});
  const auto with = fitted(shuffled, example.labels, {.iterations = 4});
  std::vector<float> expected(bare.b.user_count());
  std::vector<float> found(bare.b.user_count());
  for (const UserPair& pair : example.tests) {
    without->score_row(Side::kA, pair.a, expected);
    with->score_row(Side::kA, pair.a, found);
    ASSERT_EQ(expected, found);
  }
}

TEST(PropagationWithAttributes, HiddenHalvesAndWrongValuesDoNotHurt) {
  SKIP_WITH_SANITIZERS();
  const Example example = generated_example(society_with_attributes(), 5);
  NetworkPair bare = example.networks;
  bare.attributes = nullptr;
  const double structure = share_first(*fitted(bare, example.labels), example.tests);
  GeneratorParams hidden = society_with_attributes();
  hidden.missing_share = 0.5;
  GeneratorParams wrong = society_with_attributes();
  wrong.wrong_values_share = 0.3;
  for (const GeneratorParams& params : {hidden, wrong}) {
    const NetworkPair networks = with_attributes(example, params, example.truth);
    EXPECT_GT(share_first(*fitted(networks, example.labels), example.tests), structure - 0.005);
  }
}

TEST(PropagationWithAttributes, StartsWithoutAnyLabel) {
  const Example example = generated_example(society_with_attributes(), 10);
  const LabelSet none(example.networks.a.user_count(), example.networks.b.user_count());
  const auto aligner = fitted(example.networks, none);
  EXPECT_GT(share_first(*aligner, example.truth), 0.85);
  // Nobody checked them, but likely pairs can be told: most partners are above one half, none is
  // sure.
  double claimed = 0.0;
  std::size_t likely = 0;
  for (const UserPair& pair : example.truth) {
    const double probability = aligner->probability(pair);
    claimed = std::max(claimed, probability);
    likely += probability >= 0.5 ? 1 : 0;
  }
  EXPECT_GT(likely, example.truth.size() / 2);
  EXPECT_LT(claimed, 0.95);
}

TEST(PropagationWithAttributes, RefusesToStartFromAttributesThatTheEdgesDoNotSupport) {
  const Example example = generated_example(society_with_attributes(), 10);
  std::vector<UserPair> wrong = example.truth;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    wrong[i].b = example.truth[(i * 7 + 3) % wrong.size()].b;
  const NetworkPair shuffled = with_attributes(example, society_with_attributes(), wrong);
  const LabelSet none(shuffled.a.user_count(), shuffled.b.user_count());
  try {
    fitted(shuffled, none);
    ADD_FAILURE() << "started";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the networks do not support"));
    EXPECT_THAT(error.hint(), testing::HasSubstr("--labels"));
  }
}

TEST(PropagationWithAttributes, ModelFilesKeepAttributesAndExplainTheirFields) {
  const Example example = generated_example(society_with_attributes(), 10);
  const auto aligner = fitted(example.networks, example.labels);
  const TemporaryFolder folder;
  save_model(folder / "m.dalaup", *aligner);
  MethodRegistry registry;
  registry.add({"propagation", "", describe_fields(PropagationParams{}),
                [](const Settings&) { return make_propagation(); }});
  const Model model = load_model(folder / "m.dalaup", registry);
  for (const UserPair& pair : std::span(example.tests).first(20)) {
    EXPECT_FLOAT_EQ(model.aligner->score(pair), aligner->score(pair));
    const Explanation expected = aligner->explain(pair, 5);
    const Explanation found = model.aligner->explain(pair, 5);
    ASSERT_EQ(found.fields.size(), expected.fields.size());
    for (std::size_t i = 0; i < found.fields.size(); ++i) {
      EXPECT_EQ(found.fields[i].name, expected.fields[i].name);
      EXPECT_NEAR(found.fields[i].ratio, expected.fields[i].ratio, 1e-9);
    }
    EXPECT_EQ(found.words, expected.words);
  }
  EXPECT_EQ(model.aligner->attribute_fields().size(), 3U);
  dalaup::Run run;
  model.aligner->refit(example.labels, run);  // needs the attributes again
  EXPECT_FLOAT_EQ(model.aligner->score(example.tests[0]), aligner->score(example.tests[0]));
}

TEST(UsersWithoutPartner, AreNobodysCandidates) {
  SKIP_WITH_SANITIZERS();
  Example example = generated_example(society_with_attributes(), 4);
  example.networks.attributes = nullptr;
  std::vector<std::uint8_t> is_anchored(example.networks.b.user_count(), 0);
  for (const UserPair& pair : example.truth) is_anchored[pair.b] = 1;
  UserId alone = 0;
  while (is_anchored[alone]) ++alone;
  ASSERT_FALSE(example.labels.add(no_partner(Side::kB, alone), Label::kNotAnchor));
  const auto aligner = fitted(example.networks, example.labels);
  dalaup::Run run;
  const auto users = unanchored_users(example.labels, Side::kA);
  for (const auto& list : aligner->best_candidates(Side::kA, users, 300, run))
    for (const Candidate& candidate : list.candidates) ASSERT_NE(candidate.user, alone);
  EXPECT_GT(*aligner->no_partner_probability(Side::kB, alone), 0.99);
  EXPECT_LT(aligner->probability({users[0], alone}), 0.001);
}

TEST(UsersWithoutPartner, TeachTheProbabilities) {
  SKIP_WITH_SANITIZERS();
  Example example = generated_example(society_with_attributes(), 4);
  example.networks.attributes = nullptr;
  std::vector<std::uint8_t> is_anchored(example.networks.a.user_count(), 0);
  for (const UserPair& pair : example.truth) is_anchored[pair.a] = 1;
  std::vector<UserId> strangers;
  for (UserId user = 0; user < is_anchored.size(); ++user)
    if (!is_anchored[user]) strangers.push_back(user);
  const auto mean_taken = [&](const Aligner& aligner) {
    double sum = 0.0;
    for (std::size_t i = strangers.size() / 2; i < strangers.size(); ++i)
      sum += 1.0 - *aligner.no_partner_probability(Side::kA, strangers[i]);
    return sum;
  };
  const double before = mean_taken(*fitted(example.networks, example.labels));
  for (std::size_t i = 0; i < strangers.size() / 2; ++i)
    example.labels.add(no_partner(Side::kA, strangers[i]), Label::kNotAnchor);
  EXPECT_LT(mean_taken(*fitted(example.networks, example.labels)), before);
}

}  // namespace
}  // namespace dalaup
