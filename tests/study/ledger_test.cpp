#include <cmath>

#include "study_support.h"

namespace dalaup {
namespace {

TEST(Kappa, IsTheTextbookExample) {
  // 20 both yes, 15 both no, 5 yes/no, 10 no/yes: observed 0.7, expected 0.5, kappa 0.4.
  std::vector<std::pair<int, int>> answers;
  answers.insert(answers.end(), 20, {1, 1});
  answers.insert(answers.end(), 5, {1, 0});
  answers.insert(answers.end(), 10, {0, 1});
  answers.insert(answers.end(), 15, {0, 0});
  EXPECT_NEAR(cohens_kappa(answers).value(), 0.4, 1e-12);
  EXPECT_FALSE(cohens_kappa({}));
  EXPECT_FALSE(cohens_kappa({{1, 1}, {1, 1}})) << "always the same answer says nothing";
}

//   x - ann - y        X - ANN - Y      x = X and z = Z are known, z is no contact of ann
//        |                  |
//        w                  Z
TEST(EvidenceFor, CountsPeopleWhoAreContactsOfBoth) {
  const NetworkPair networks{network_of("ann x\nann y\nann w\nz q"),
                             network_of("ANN X\nANN Y\nANN Z\nQ X")};
  const LabelSet labels = labels_of(networks, {{"x", "X"}, {"z", "Z"}});
  const Evidence evidence =
      evidence_for({networks.a.find("ann"), networks.b.find("ANN")}, networks, labels, {}, 10);
  EXPECT_EQ(evidence.shared, 1U);
  EXPECT_EQ(evidence.matched, 2U);
  EXPECT_EQ(evidence.words, "1 of their 2 matched contacts is the same person.");
  ASSERT_EQ(evidence.contacts_a.size(), 3U);
  EXPECT_EQ(evidence.contacts_a[0].kind, Contact::Kind::kShared);
  EXPECT_EQ(evidence.contacts_a[0].person, evidence.contacts_b[0].person);
  EXPECT_EQ(networks.b.name(evidence.contacts_b[0].user), "X");
  EXPECT_EQ(evidence.contacts_b[1].kind, Contact::Kind::kElsewhere);
}

TEST(EvidenceFor, ListsAtMostAsManyContactsAsAskedForButCountsAll) {
  std::string a;
  std::string b;
  for (int user = 0; user < 50; ++user) {
    a += fmt::format("hub a{}\n", user);
    b += fmt::format("HUB b{}\n", user);
  }
  const NetworkPair networks{network_of(a), network_of(b)};
  LabelSet labels(51, 51);
  for (UserId user = 1; user < 41; ++user) labels.add({user, user}, Label::kAnchor);
  const Evidence evidence = evidence_for({0, 0}, networks, labels, {}, 12);
  EXPECT_EQ(evidence.shared, 40U);
  EXPECT_EQ(evidence.contacts_a.size(), 12U);
  EXPECT_EQ(evidence.contacts_b.size(), 12U);
  EXPECT_EQ(evidence.words, "All of their 40 matched contacts are the same people.");
}

Round round_of(std::int64_t answers, double precision, double agreement, double yes_chance) {
  Round round;
  round.answers = answers;
  round.validation_size = 300;
  round.precision_at_30 = precision;
  round.agreement = agreement;
  round.yes_chance = yes_chance;
  return round;
}

TEST(Advise, IsSilentAtFirstAndSaysStopOnAFlatCurve) {
  EXPECT_EQ(advise({}, {}).stage, Advice::Stage::kTooEarly);
  EXPECT_EQ(advise({round_of(0, 0.3, 1.0, 0.5)}, {}).stage, Advice::Stage::kTooEarly);
  std::vector<Round> rising;
  std::vector<Round> flat;
  for (int place = 0; place < 8; ++place) {
    rising.push_back(round_of(20 * place, 0.3 + 0.05 * place, 0.8, 0.6));
    flat.push_back(round_of(1000 + 20 * place, 0.7, 0.9995, 0.01));
  }
  EXPECT_EQ(advise(rising, {100, 60}).stage, Advice::Stage::kContinue);
  const Advice stop = advise(flat, {100, 1});
  EXPECT_EQ(stop.stage, Advice::Stage::kMayStop) << stop.words;
  EXPECT_NEAR(stop.yes->value, 100.0 * 1.7 / 121.0,
              1e-9);  // (20 * 0.01 + 1 + 0.5) / (20 + 100 + 1)
}

TEST(Advise, IsNeverCertainAndPromisesNoMoreThanThereIs) {
  std::vector<Round> rounds;
  for (int place = 0; place < 3; ++place) rounds.push_back(round_of(4 * place, 0.5, 0.97, 1.0));
  const Advice advice = advise(rounds, {.answers = 12, .yes = 12, .most_yes = 94});
  EXPECT_EQ(advice.yes->value, 94.0);
  EXPECT_GT(advice.yes->deviation, 1.0);
  EXPECT_NEAR(advice.changes->value, 1.0 - std::exp(-0.75), 1e-9);
  EXPECT_GT(advice.changes->deviation, 0.1);
}

}  // namespace
}  // namespace dalaup
