// Every strategy against its slow obvious twin: all pairs of the pool by the formula itself.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <set>

#include "query/query.h"
#include "support/copied_society.h"
#include "support/support.h"
#include "support/table_aligner.h"

namespace dalaup {
namespace {

struct Setting {
  CopiedSociety society = copied_society(24, 5.0, 0.8, 7);
  LabelSet labels{24, 24};
  Pool pool{24, 24};
  Run run;

  Setting() {
    for (std::size_t i = 0; i < 4; ++i) labels.add(society.truth[i], Label::kAnchor);
    labels.add({5, 5}, Label::kNotAnchor);
    for (std::size_t i = 20; i < 24; ++i) pool.close(std::span(&society.truth[i], 1));
    pool.block({6, 6});
  }
  TableAligner aligner() const {
    TableAligner aligner(society.networks, labels);
    aligner.randomise(Random(3));
    return aligner;
  }
};

using Values = std::map<UserPair, double>;

// Repeatedly the best pair whose users are not in the batch yet.
std::vector<UserPair> greedy_by_hand(Values values, std::size_t count) {
  std::vector<UserPair> batch;
  while (batch.size() < count && !values.empty()) {
    auto best = values.begin();
    for (auto place = values.begin(); place != values.end(); ++place)
      if (place->second > best->second) best = place;
    const UserPair pair = best->first;
    batch.push_back(pair);
    std::erase_if(values, [&](const auto& entry) {
      return entry.first.a == pair.a || entry.first.b == pair.b;
    });
  }
  return batch;
}

template <class Formula>
Values values_of_pool(const Setting& setting, const Formula& formula) {
  Values values;
  for (UserId a = 0; a < 24; ++a)
    for (UserId b = 0; b < 24; ++b)
      if (setting.pool.may_ask({a, b}, setting.labels)) values[{a, b}] = formula(UserPair{a, b});
  return values;
}

template <class Formula>
void expect_batch(const std::string& strategy, const Formula& formula) {
  Setting setting;
  const TableAligner aligner = setting.aligner();
  const Values values =
      values_of_pool(setting, [&](UserPair pair) { return formula(setting, aligner, pair); });
  const auto expected = greedy_by_hand(values, 8);
  const auto batch =
      choose_questions(strategy, {aligner, setting.labels, setting.pool, 1}, {}, 8, setting.run);
  ASSERT_EQ(batch.size(), 8U) << strategy;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(batch[i].pair(), expected[i]) << strategy << ", question " << i;
    EXPECT_NEAR(batch[i].score, values.at(expected[i]), 1e-5 * (1.0 + std::abs(batch[i].score)));
    EXPECT_EQ(batch[i].strategy, strategy);
    EXPECT_DOUBLE_EQ(batch[i].probabilities[0], aligner.probability(expected[i]));
  }
}

TEST(Ie, AsksTheLeastCertainPairs) {
  expect_batch("ie", [](const Setting&, const TableAligner& aligner, UserPair pair) {
    const double p = aligner.probability(pair);
    return -p * std::log(p) - (1 - p) * std::log(1 - p);
  });
}

TEST(Cs, AsksThePairsThatScoreHighest) {
  expect_batch("cs", [](const Setting&, const TableAligner& aligner, UserPair pair) {
    // Of a score that is no cosine, below zero is worse, not better.
    return static_cast<double>(aligner.score(pair));
  });
}

// Scores that are cosines: from -1 (probability 0) to 1.
struct CosineTable : TableAligner {
  using TableAligner::TableAligner;
  bool scores_are_cosines() const override { return true; }
  float score(UserPair pair) const override {
    return static_cast<float>(2.0 * probability(pair) - 1.0);
  }
};

TEST(Cs, AsksThePairsOfTheLargestCosineWhateverItsSign) {
  Setting setting;
  CosineTable aligner(setting.society.networks, setting.labels);
  for (UserId a = 0; a < 24; ++a)
    for (UserId b = 0; b < 24; ++b) aligner.table(a, b) = 0.5 + 0.001 * a + 0.0001 * b;
  aligner.table(7, 8) = 0.9;    // cosine .8
  aligner.table(9, 10) = 0.02;  // cosine -.96, the last of every list
  aligner.table(11, 12) = 0.3;  // cosine -.4
  for (const int list_length : {2, 24}) {
    const auto batch = choose_questions("cs", {aligner, setting.labels, setting.pool, 1},
                                        {.list_length = list_length}, 3, setting.run);
    ASSERT_EQ(batch.size(), 3U);
    EXPECT_EQ(batch[0].pair(), (UserPair{9, 10}));
    EXPECT_EQ(batch[1].pair(), (UserPair{7, 8}));
    EXPECT_EQ(batch[2].pair(), (UserPair{11, 12}));
    EXPECT_NEAR(batch[0].score, 0.96, 1e-6);
    EXPECT_NEAR(batch[0].probabilities[0], 0.02, 1e-12);
  }
}

// The best pair of a heavy user may stand behind its list.
TEST(ShortLists, GiveTheBatchOfAllPairs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setting setting;
    TableAligner aligner(setting.society.networks, setting.labels);
    aligner.randomise(Random(seed));
    for (const char* strategy : {"saie", "ie", "degree", "coverage", "reach"}) {
      const auto batch_of = [&](int list_length) {
        return choose_questions(strategy, {aligner, setting.labels, setting.pool, 1},
                                {.list_length = list_length}, 8, setting.run);
      };
      const auto all = batch_of(24);
      const auto listed = batch_of(1);
      ASSERT_EQ(listed.size(), all.size()) << strategy;
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(listed[i].pair(), all[i].pair()) << strategy << ", question " << i;
        EXPECT_DOUBLE_EQ(listed[i].score, all[i].score) << strategy << ", question " << i;
      }
    }
  }
}

// Probabilities that have nothing to do with scores, as eq. 6 beside the cosine.
struct UnrelatedTable : TableAligner {
  using TableAligner::TableAligner;
  bool probabilities_follow_scores() const override { return false; }
  float score(UserPair pair) const override {
    return static_cast<float>((pair.a * 7 + pair.b * 13) % 24);
  }
};

TEST(ShortLists, GiveTheBatchOfAllPairsWhereScoresSayNothingOfProbabilities) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setting setting;
    UnrelatedTable aligner(setting.society.networks, setting.labels);
    aligner.randomise(Random(seed));
    for (const char* strategy : {"saie", "ie", "degree"}) {
      const auto batch_of = [&](int list_length) {
        return choose_questions(strategy, {aligner, setting.labels, setting.pool, 1},
                                {.list_length = list_length}, 8, setting.run);
      };
      const auto all = batch_of(24);
      const auto listed = batch_of(2);
      ASSERT_EQ(listed.size(), all.size()) << strategy;
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(listed[i].pair(), all[i].pair()) << strategy << ", question " << i;
    }
  }
}

TEST(Saie, AddsTheInformationOfEveryPairThatAYesRulesOut) {
  expect_batch("saie", [](const Setting& setting, const TableAligner& aligner, UserPair pair) {
    const double p = aligner.probability(pair);
    double ruled_out = 0.0;
    for (UserId a = 0; a < 24; ++a)
      for (UserId b = 0; b < 24; ++b) {
        const bool shares_one = (a == pair.a) != (b == pair.b);
        if (shares_one && !setting.labels.answer({a, b}))
          ruled_out -= std::log(1 - aligner.probability({a, b}));
      }
    return p * (-std::log(p) + ruled_out) - (1 - p) * std::log(1 - p);
  });
}

TEST(Degree, WeighsTheProbabilityByBothDegrees) {
  expect_batch("degree", [](const Setting& setting, const TableAligner& aligner, UserPair pair) {
    return aligner.probability(pair) * std::sqrt(1.0 * setting.society.networks.a.degree(pair.a) *
                                                 setting.society.networks.b.degree(pair.b));
  });
}

// How surely a user is matched, and what its neighbourhood still needs, user by user.
double matched_by_hand(const Setting& setting, const TableAligner& aligner, Side side,
                       UserId user) {
  if (setting.labels.is_anchored(side, user)) return 1.0;
  double best = 0.0;
  for (UserId partner = 0; partner < 24; ++partner) {
    const UserPair pair = pair_of(side, user, partner);
    if (!setting.labels.answer(pair)) best = std::max(best, aligner.probability(pair));
  }
  return best;
}
double need_by_hand(const Setting& setting, const TableAligner& aligner, Side side, UserId user) {
  const Network& network = setting.society.networks.on(side);
  double need = 0.0;
  for (const UserId neighbour : network.neighbours(user)) {
    double mass = 0.0;
    for (const UserId second : network.neighbours(neighbour))
      mass += matched_by_hand(setting, aligner, side, second);
    need += 1.0 / (1.0 + mass);
  }
  return need;
}

TEST(Coverage, WeighsTheVarianceByTheNeedOfBothNeighbourhoods) {
  expect_batch("coverage", [](const Setting& setting, const TableAligner& aligner, UserPair pair) {
    const double p = aligner.probability(pair);
    return p * (1 - p) *
           std::sqrt(need_by_hand(setting, aligner, Side::kA, pair.a) *
                     need_by_hand(setting, aligner, Side::kB, pair.b));
  });
}

// Expected error reduction with the head refitted to convergence for each pair and answer, where
// the strategy takes one Newton step.
struct Refit {
  Eigen::MatrixXd features;
  Eigen::VectorXd offsets;
  Eigen::VectorXd targets;
  Eigen::VectorXd weights(double ridge) const {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(features.cols());
    for (int step = 0; step < 200; ++step) {
      const Eigen::VectorXd p =
          (1.0 / (1.0 + (-(offsets + features * weights)).array().exp())).matrix();
      const Eigen::VectorXd curvature = p.array() * (1.0 - p.array());
      Eigen::MatrixXd hessian = features.transpose() * curvature.asDiagonal() * features;
      hessian.diagonal().array() += ridge;
      weights += 0.5 * hessian.ldlt().solve(features.transpose() * (targets - p) - ridge * weights);
    }
    return weights;
  }
};

TEST(Eer, RanksPairsAsFullRefitsOfTheHeadDo) {
  Setting setting;
  setting.labels = LabelSet(24, 24);  // the head then begins at the aligner's own probabilities
  const TableAligner aligner = setting.aligner();
  const QueryParams params{
      .list_length = 24, .eer_candidates = 400, .eer_sample = 400, .eer_ridge = 20.0};
  std::vector<UserPair> pairs;
  for (const auto& [pair, value] : values_of_pool(setting, [](UserPair) { return 0.0; }))
    pairs.push_back(pair);
  ASSERT_EQ(pairs.size(), 399U);

  const auto count = static_cast<Eigen::Index>(pairs.size());
  Eigen::MatrixXd raw(count, 3);
  Eigen::VectorXd offsets(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto features = aligner.pair_features(pairs[static_cast<std::size_t>(i)]);
    for (Eigen::Index k = 0; k < 3; ++k) raw(i, k) = features[static_cast<std::size_t>(k)];
    const double p = aligner.probability(pairs[static_cast<std::size_t>(i)]);
    offsets[i] = std::log(p) - std::log(1 - p);
  }
  Eigen::MatrixXd features(count, 4);
  features.col(0).setOnes();
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Eigen::VectorXd centred = raw.col(k).array() - raw.col(k).mean();
    features.col(k + 1) = centred / std::sqrt(centred.squaredNorm() / static_cast<double>(count));
  }
  Values exact;
  for (Eigen::Index asked = 0; asked < count; ++asked) {
    double expected = 0.0;
    for (const double answer : {0.0, 1.0}) {
      const Eigen::VectorXd weights = Refit{features.row(asked), offsets.segment(asked, 1),
                                            Eigen::VectorXd::Constant(1, answer)}
                                          .weights(params.eer_ridge);
      const Eigen::VectorXd margins = offsets + features * weights;
      double certainty = 0.0;
      for (Eigen::Index i = 0; i < count; ++i)
        if (i != asked) certainty += 2.0 * std::abs(1.0 / (1.0 + std::exp(-margins[i])) - 0.5);
      const double p = aligner.probability(pairs[static_cast<std::size_t>(asked)]);
      expected += (answer > 0.5 ? p : 1 - p) * certainty;
    }
    exact[pairs[static_cast<std::size_t>(asked)]] = expected;
  }
  const auto batch =
      choose_questions("eer", {aligner, setting.labels, setting.pool, 1}, params, 10, setting.run);
  ASSERT_EQ(batch.size(), 10U);
  double lowest = 1e300;
  double highest = 0.0;
  for (const auto& [pair, value] : exact) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  for (const Question& question : batch)
    EXPECT_NEAR(question.score, exact.at(question.pair()), 0.02 * (highest - lowest));
  EXPECT_EQ(batch[0].pair(), greedy_by_hand(exact, 1)[0]);
}

// Each candidate is left out of its own sum. (It was left out only when the sample held it, so that
// candidates outside of the sample won and the sample decided.)
TEST(Eer, ChoosesMuchTheSameWhateverTheSampleSize) {
  Setting setting;
  const TableAligner aligner = setting.aligner();
  const auto batch_of = [&](int candidates, int sample, std::uint64_t round) {
    std::set<UserPair> pairs;
    for (const Question& question :
         choose_questions("eer", {aligner, setting.labels, setting.pool, round},
                          {.list_length = 24, .eer_candidates = candidates, .eer_sample = sample},
                          8, setting.run))
      pairs.insert(question.pair());
    return pairs;
  };
  int common = 0;
  for (std::uint64_t round = 1; round <= 5; ++round) {
    const auto all = batch_of(1000, 1000, round);
    ASSERT_EQ(all.size(), 8U);
    EXPECT_EQ(batch_of(1000, 10, round), all) << "every pair is a candidate";
    const auto some = batch_of(100, 1000, round);
    for (const int sample : {40, 80, 120})  // of the 154 other pairs
      for (const UserPair& pair : batch_of(100, sample, round))
        common += some.contains(pair) ? 1 : 0;
  }
  EXPECT_GE(common, 5 * 3 * 8 * 3 / 4);
}

TEST(RandomStrategy, DrawsFromTheWholePoolEvenlyAndDiffersByRound) {
  Setting setting;
  const TableAligner aligner = setting.aligner();
  std::map<UserId, int> times;
  std::vector<Question> first;
  for (std::uint64_t round = 1; round <= 400; ++round) {
    const auto batch = choose_questions("random", {aligner, setting.labels, setting.pool, round},
                                        {}, 4, setting.run);
    ASSERT_EQ(batch.size(), 4U);
    for (const Question& question : batch) {
      EXPECT_TRUE(setting.pool.may_ask(question.pair(), setting.labels));
      ++times[question.user];
    }
    if (round == 1) first = batch;
    if (round == 2) {
      EXPECT_NE(batch[0].pair(), first[0].pair());
    }
  }
  EXPECT_EQ(times.size(), 16U);  // 24 users less 4 anchored and 4 closed
  for (const auto& [user, count] : times) EXPECT_NEAR(count, 100, 40) << "user " << user;
}

TEST(Reach, SpendsItsFirstQuestionAsTheFormulaSaysAndTheNextOnesElsewhere) {
  // Two equal stars in A and B: 0..2 around 3, and 4..6 around 7. Pairs in the first star are
  // slightly likelier, yet the second question goes to the other star.
  const char* const edges = "a3 a0\na3 a1\na3 a2\na7 a4\na7 a5\na7 a6";
  NetworkPair networks{network_of(edges), network_of(edges)};
  const LabelSet labels(8, 8);
  const Pool pool(8, 8);
  TableAligner aligner(networks, labels);
  const auto user = [&](const char* name) { return networks.a.find(name); };
  aligner.table(user("a0"), user("a0")) = 0.52;
  aligner.table(user("a1"), user("a1")) = 0.515;
  aligner.table(user("a4"), user("a4")) = 0.50;
  aligner.table(user("a5"), user("a5")) = 0.51;
  dalaup::Run run;
  const auto batch = choose_questions("reach", {aligner, labels, pool, 1}, {}, 2, run);
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch[0].pair(), (UserPair{user("a0"), user("a0")}));
  EXPECT_EQ(batch[1].pair(), (UserPair{user("a5"), user("a5")}));
  const auto by_degree = choose_questions("degree", {aligner, labels, pool, 1}, {}, 2, run);
  EXPECT_EQ(by_degree[1].pair(), (UserPair{user("a1"), user("a1")}));
}

TEST(Reach, LazyGreedyChoosesWhatAFullRescoringChooses) {
  Setting setting;
  const TableAligner aligner = setting.aligner();
  const NetworkPair& networks = setting.society.networks;
  std::vector<double> mass[2];
  for (const Side side : {Side::kA, Side::kB})
    for (UserId user = 0; user < 24; ++user) {
      double sum = 0.0;
      for (const UserId neighbour : networks.on(side).neighbours(user))
        sum += matched_by_hand(setting, aligner, side, neighbour);
      mass[side == Side::kA ? 0 : 1].push_back(sum);
    }
  std::vector<UserPair> expected;
  std::vector<UserPair> open;
  for (const auto& [pair, value] : values_of_pool(setting, [](UserPair) { return 0.0; }))
    open.push_back(pair);
  while (expected.size() < 8) {
    UserPair best;
    double best_value = -1.0;
    for (const UserPair pair : open) {
      double need[2] = {0.0, 0.0};
      for (const UserId n : networks.a.neighbours(pair.a)) need[0] += 1.0 / (1.0 + mass[0][n]);
      for (const UserId n : networks.b.neighbours(pair.b)) need[1] += 1.0 / (1.0 + mass[1][n]);
      const double value = aligner.probability(pair) * std::sqrt(need[0] * need[1]);
      if (value > best_value) best = pair, best_value = value;
    }
    expected.push_back(best);
    const double p = aligner.probability(best);
    for (const UserId n : networks.a.neighbours(best.a)) mass[0][n] += p;
    for (const UserId n : networks.b.neighbours(best.b)) mass[1][n] += p;
    std::erase_if(open, [&](UserPair pair) { return pair.a == best.a || pair.b == best.b; });
  }
  const auto batch =
      choose_questions("reach", {aligner, setting.labels, setting.pool, 1}, {}, 8, setting.run);
  ASSERT_EQ(batch.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(batch[i].pair(), expected[i]) << i;
}

}  // namespace
}  // namespace dalaup
