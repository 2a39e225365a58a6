#include <fmt/format.h>

#include <cmath>

#include "evaluation/evaluation.h"
#include "support/support.h"

namespace dalaup {
namespace {

TEST(Metrics, FollowTheFormulasOnFourRanks) {
  const Metrics metrics = metrics_of(std::vector<double>{1.0, 4.0, 30.5, kMissed}, 30);
  EXPECT_EQ(metrics.tests, 4U);
  EXPECT_EQ(metrics.missed, 1U);
  EXPECT_DOUBLE_EQ(metrics.precision, 0.5);
  EXPECT_DOUBLE_EQ(metrics.map, (1.0 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(metrics.hits_1, 0.25);
  EXPECT_DOUBLE_EQ(metrics.hits_10, 0.5);
  EXPECT_DOUBLE_EQ(metrics.mrr, (1.0 + 0.25 + 1 / 30.5) / 4);
  EXPECT_DOUBLE_EQ(metrics.map_linear, (30.0 + 27.0 + 0.5) / 30 / 4);
}

TEST(Metrics, NamesCarryTheCutoff) {
  const auto values = named_values(metrics_of(std::vector<double>{7.0}, 5));
  EXPECT_EQ(values[0].first, "precision@5");
  EXPECT_EQ(values[0].second, 0.0);
  EXPECT_EQ(values[5].first, "map-linear@5");
}

TEST(Metrics, RefuseNoRanksNotANumberAndRanksBelowOne) {
  EXPECT_THROW(metrics_of({}, 30), StateError);
  EXPECT_THROW(metrics_of(std::vector<double>{std::nan("")}, 30), StateError);
  EXPECT_THROW(metrics_of(std::vector<double>{0.5}, 30), StateError);
}

TEST(Spread, GivesStudentsInterval) {
  // Mean 3, standard deviation sqrt(2.5), t(4 degrees, 95 %) = 2.7764.
  const Spread spread = spread_of(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(spread.mean, 3.0);
  EXPECT_NEAR(spread.standard_deviation, std::sqrt(2.5), 1e-12);
  EXPECT_NEAR(spread.high - 3.0, 2.776445 * std::sqrt(2.5 / 5), 1e-5);
  EXPECT_NEAR(spread.low + spread.high, 6.0, 1e-12);
}

TEST(Student, AgreesWithTables) {
  EXPECT_NEAR(student_p(2.776445, 4), 0.05, 1e-6);
  EXPECT_NEAR(student_p(3.249836, 9), 0.01, 1e-6);
  EXPECT_NEAR(student_p(0.0, 3), 1.0, 1e-12);
  EXPECT_NEAR(student_p(1.0, 1), 0.5, 1e-12);  // Cauchy
  EXPECT_NEAR(student_quantile(0.95, 1e6), 1.95997, 1e-4);
}

TEST(PairedTest, FollowsAHandComputedExample) {
  // Differences 1, 2, 3, 2: mean 2, standard deviation sqrt(2/3), t = 2 / (0.8165/2) = 4.899.
  const PairedTest test =
      paired_test(std::vector<double>{1, 1, 1, 1}, std::vector<double>{2, 3, 4, 3});
  EXPECT_DOUBLE_EQ(test.difference.mean, 2.0);
  EXPECT_NEAR(test.p_value, 0.01628, 1e-4);
  EXPECT_DOUBLE_EQ(test.sign_flip_p, 2.0 / 16.0);
}

TEST(PairedTest, SaysNothingOfEqualResultsAndIsSymmetric) {
  const std::vector<double> first = {0.1, 0.2, 0.3};
  const std::vector<double> second = {0.2, 0.25, 0.31};
  EXPECT_EQ(paired_test(first, first).p_value, 1.0);
  EXPECT_DOUBLE_EQ(paired_test(first, second).p_value, paired_test(second, first).p_value);
  EXPECT_THROW(paired_test(first, std::vector<double>{1.0}), ParameterError);
}

TEST(PairedTest, TwoEqualDifferencesProveNothing) {
  const PairedTest test =
      paired_test(std::vector<double>{0.25, 0.5}, std::vector<double>{0.5, 0.75});
  EXPECT_DOUBLE_EQ(test.p_value, 0.5);  // both rise, or both fall: two of four patterns of signs
}

TEST(ShareBounds, AreWilsons) {
  const auto [low, high] = share_bounds(5, 10);
  EXPECT_NEAR(low, 0.2366, 1e-4);
  EXPECT_NEAR(high, 0.7634, 1e-4);
  EXPECT_EQ(share_bounds(0, 10).first, 0.0);
}

TEST(Calibration, MeasuresTheGapOfEachBin) {
  // Bin 0.9-1: mean .95, one of two right. Bin 0.1-0.2: mean .15, none of two.
  const Calibration calibration =
      calibration_of(std::vector<double>{0.9, 1.0, 0.1, 0.2 - 1e-9}, {true, false, false, false});
  EXPECT_NEAR(calibration.expected_error, 0.5 * 0.45 + 0.5 * 0.15, 1e-8);
  EXPECT_EQ(calibration.bins[9].count, 2U);
  EXPECT_THROW(calibration_of(std::vector<double>{1.5}, {true}), StateError);
}

TEST(MatchingQuality, CountsFromTheThresholdUp) {
  const MatchingQuality quality =
      matching_quality(std::vector<double>{0.9, 0.5, 0.4}, {true, false, true}, 4, 0.5);
  EXPECT_EQ(quality.proposed, 2U);
  EXPECT_DOUBLE_EQ(quality.precision, 0.5);
  EXPECT_DOUBLE_EQ(quality.recall, 0.25);
}

// Places 0 1 2 3 4 of A with places 1 0 2 3 4 of B: squared differences 1 + 1, so 1 - 6*2/(5*24).
TEST(FileOrder, IsSpearmansCorrelationOfPlacesAmongThePairsGiven) {
  const NetworkPair networks{network_of("a b\nc d\ne f"), network_of("x b\nc y\nz f")};
  const std::vector<UserPair> pairs{{3, 4}, {0, 1}, {1, 0}, {2, 2}, {5, 5}};
  const FileOrder order = file_order(networks, pairs);
  EXPECT_EQ(order.pairs, 5U);
  EXPECT_NEAR(order.rank_correlation, 0.9, 1e-12);
  EXPECT_NEAR(order.beyond_degrees, 0.9, 1e-12) << "all degrees are equal";
  EXPECT_NEAR(order.chance, 1.0, 1e-12) << "five pairs say nothing";
  EXPECT_EQ(order.equal_names, 2U) << "c at place 2 and f at place 5 of both";
  EXPECT_FALSE(order.tells_partners());
  EXPECT_FALSE(order.names_tell_partners());
}

// Hubs stand first in both files, otherwise orders are unrelated: that is what degrees say.
TEST(FileOrder, LeavesOutWhatDegreesSay) {
  std::string edges;
  for (int hub = 0; hub < 15; ++hub)
    for (int leaf = 0; leaf < 30 - 2 * hub; ++leaf) edges += fmt::format("h{} l{}\n", hub, leaf);
  const NetworkPair networks{network_of(edges), network_of(edges)};
  std::vector<UserPair> pairs;
  for (int hub = 0; hub < 15; ++hub) {
    const UserId user = networks.a.find(fmt::format("h{}", hub));
    pairs.push_back({user, user});
  }
  const FileOrder order = file_order(networks, pairs);
  EXPECT_NEAR(order.rank_correlation, 1.0, 1e-12);
  EXPECT_NEAR(order.beyond_degrees, 0.0, 1e-6);
  EXPECT_FALSE(order.tells_partners());
}

}  // namespace
}  // namespace dalaup
