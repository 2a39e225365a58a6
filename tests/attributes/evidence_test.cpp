#include <gmock/gmock.h>

#include <cmath>

#include "attributes/example.h"

namespace dalaup {
namespace {

std::vector<UserPair> equal_pairs(UserId count) {
  std::vector<UserPair> pairs;
  for (UserId user = 0; user < count; ++user) pairs.push_back({user, user});
  return pairs;
}

std::shared_ptr<const AttributeGains> gains_of(const People& people) {
  dalaup::Run run;
  return attribute_gains(people.networks, run);
}

std::string city(int user) { return fmt::format("L{}", user % 5); }
std::string name(int user) { return fmt::format("{:x} {:x}", user * 2654435761U, user * 40503U); }
std::string other_name(int user) { return name(user + 1000); }

TEST(AttributeGains, OfACategoryIsOneOverItsFrequency) {
  People people(100);
  people.add_field("city", city, city);
  const auto gains = gains_of(people);
  EXPECT_FLOAT_EQ(gains->fields[0]->gain({3, 8}), 5.0F);  // L3 twice; a fifth of the users
  EXPECT_FLOAT_EQ(gains->fields[0]->gain({3, 9}), 0.0F);
  EXPECT_NEAR(gains->fields[0]->mean_gain(3), 1.0, 1e-6);
  EXPECT_EQ(gains->candidates(3).size(), 20U);
}

TEST(AttributeGains, OfAnyRowHaveMeanOne) {
  People people(80);
  people.add_field("name", name, name);
  people.add_field(
      "size", [](int i) { return fmt::format("{}.25", i * i); },
      [](int i) { return fmt::format("{}.75", i * i / 2); });
  const auto gains = gains_of(people);
  std::vector<float> row(80);
  for (const auto& field : gains->fields) {
    double sum = 0.0;
    for (UserId a = 0; a < 80; ++a) {
      field->gain_row(a, row);
      for (UserId b = 0; b < 80; ++b) {
        EXPECT_FLOAT_EQ(row[b], field->gain({a, b}));
        sum += row[b];
      }
    }
    // Row and column each have mean 1; their geometric mean stays below.
    EXPECT_LE(sum / (80.0 * 80.0), 1.0 + 1e-5) << field->name();
    EXPECT_GT(sum / (80.0 * 80.0), 0.5) << field->name();
  }
}

TEST(AttributeGains, ANameWithATypoStillFindsItsOwner) {
  People people(300);
  people.add_field("name", name, [](int user) {
    std::string typed = name(user);
    typed[1] = 'z';
    return typed;
  });
  const auto gains = gains_of(people);
  int found = 0;
  for (UserId a = 0; a < 300; ++a) {
    const auto candidates = gains->candidates(a);
    found += std::ranges::binary_search(candidates, a) ? 1 : 0;
    EXPECT_LE(candidates.size(), 400U);
  }
  EXPECT_GE(found, 295);
}

TEST(AttributeGains, TheNearestNumberGainsMost) {
  People people(50);
  people.add_field(
      "size", [](int i) { return fmt::format("{}.5", i); },
      [](int i) { return fmt::format("{}.4", i); });
  const auto gains = gains_of(people);
  const FieldGains& size = *gains->fields[0];
  EXPECT_GT(size.gain({20, 20}), 8.0F);
  EXPECT_GT(size.gain({20, 20}), size.gain({20, 21}));
  EXPECT_GT(size.gain({20, 21}), size.gain({20, 40}));
  EXPECT_LT(size.gain({0, 49}), 0.5F);
}

TEST(AttributeEvidence, LabelsOpenAFieldThatHelpsAndShutOneThatDoesNot) {
  People people(200);
  people.add_field("name", name, name);
  people.add_field("shuffled", other_name,
                   [](int user) { return other_name((user * 77 + 5) % 200); });
  dalaup::Run run;
  const AttributeEvidence evidence(gains_of(people), equal_pairs(30), run);
  EXPECT_TRUE(evidence.fields()[0].is_open);
  EXPECT_GT(evidence.fields()[0].reliability, 0.9);
  EXPECT_FALSE(evidence.fields()[1].is_open);
  EXPECT_GT(evidence.ratio({50, 50}), 2.0);
  EXPECT_LT(evidence.ratio({50, 51}), 0.0);
  EXPECT_EQ(evidence.ratio(1, {50, 50}), 0.0);
}

TEST(AttributeEvidence, WhatIsNotKnownSaysNothing) {
  People people(100);
  people.add_field(
      "name", [](int user) { return user == 60 ? std::string() : name(user); }, name);
  dalaup::Run run;
  const AttributeEvidence evidence(gains_of(people), equal_pairs(30), run);
  EXPECT_EQ(evidence.ratio({60, 60}), 0.0);
  EXPECT_EQ(evidence.ratio({60, 61}), 0.0);
  EXPECT_GT(evidence.ratio({61, 61}), 0.0);
}

TEST(AttributeEvidence, TheSameFieldTwiceCountsOnce) {
  People once(200);
  once.add_field(
      "city", [](int user) { return fmt::format("L{}", user % 20); },
      [](int user) { return fmt::format("L{}", user % 20); });
  People twice(200);
  for (const char* field : {"city", "town"})
    twice.add_field(
        field, [](int user) { return fmt::format("L{}", user % 20); },
        [](int user) { return fmt::format("L{}", user % 20); });
  dalaup::Run run;
  const AttributeEvidence single(gains_of(once), equal_pairs(50), run);
  const AttributeEvidence both(gains_of(twice), equal_pairs(50), run);
  ASSERT_TRUE(both.fields()[0].is_open && both.fields()[1].is_open);
  EXPECT_NEAR(both.ratio({7, 27}), single.ratio({7, 27}), 0.6);  // 2.96 and 3.47; 5.9 if added up
}

TEST(AttributeEvidence, FieldsThatSayDifferentThingsAddUp) {
  People people(400);
  const auto town = [](int user) { return fmt::format("L{}", user % 20); };
  const auto job = [](int user) { return fmt::format("J{}", (user / 20) % 20); };
  people.add_field("town", town, town);
  people.add_field("job", job, job);
  dalaup::Run run;
  const AttributeEvidence evidence(gains_of(people), equal_pairs(100), run);
  EXPECT_GT(evidence.fields()[0].share, 0.95);
  EXPECT_GT(evidence.fields()[1].share, 0.95);
}

TEST(AttributeEvidence, ASimilarityThatIsAbsentSaysNothing) {
  People people(100);
  people.attributes->similarity.begins.push_back(0);
  for (UserId user = 0; user < 100; ++user) {
    people.attributes->similarity.entries.push_back({user, 0.9F});
    people.attributes->similarity.begins.push_back(user + 1);
  }
  dalaup::Run run;
  const AttributeEvidence evidence(gains_of(people), equal_pairs(20), run);
  ASSERT_TRUE(evidence.is_open());
  EXPECT_GT(evidence.ratio({50, 50}), 2.0);
  EXPECT_EQ(evidence.ratio({50, 51}), 0.0);
}

// Rings of 200 users: the same ring on both sides, so true names agree with the edges.
TEST(StartWithoutLabels, NamesThatFitTheEdgesPassAndShuffledOnesDoNot) {
  People people(200);
  people.add_field("name", name, name);
  dalaup::Run run;
  EXPECT_GT(start_without_labels(people.networks, gains_of(people), run).score, kLeastStartScore);
  People shuffled(200);
  shuffled.add_field("name", name, [](int user) { return name((user * 77 + 5) % 200); });
  EXPECT_LT(start_without_labels(shuffled.networks, gains_of(shuffled), run).score,
            kLeastStartScore);
}

}  // namespace
}  // namespace dalaup
