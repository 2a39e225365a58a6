#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/base.h"
#include "numeric/numeric.h"

namespace dalaup {
namespace {

struct Row {
  std::array<double, 2> features;
  bool is_positive;
  double offset = 0.0;
  double weight = 1.0;
};

LogisticFit fit(const std::vector<Row>& rows, double ridge, const Eigen::Vector2d& centre) {
  const auto visit = [&](const std::function<void(const LogisticExample&)>& add) {
    for (const Row& row : rows)
      add({.features = row.features,
           .is_positive = row.is_positive,
           .offset = row.offset,
           .weight = row.weight});
  };
  return fit_logistic(visit, {.centre = centre, .ridge = Eigen::Vector2d::Constant(ridge)},
                      Eigen::Vector2d::Zero());
}

std::vector<Row> noisy_rows() {
  Random random(4);
  std::vector<Row> rows;
  for (int i = 0; i < 200; ++i) {
    const double x = random.normal();
    rows.push_back(
        {.features = {x, 1.0}, .is_positive = random.uniform() < logistic(2.0 * x - 1.0)});
  }
  return rows;
}

TEST(Logistic, SharesOfYesGiveTheLogOddsOfAConstant) {
  const std::vector<Row> rows{
      {{0.0, 1.0}, true}, {{0.0, 1.0}, false}, {{0.0, 1.0}, false}, {{0.0, 1.0}, false}};
  const LogisticFit found = fit(rows, 1e-9, Eigen::Vector2d::Zero());
  EXPECT_NEAR(found.coefficients[1], log_odds(0.25), 1e-6);
  EXPECT_NEAR(found.coefficients[0], 0.0, 1e-9);
}

TEST(Logistic, StandsWhereThePenalisedSlopeIsZero) {
  const std::vector<Row> rows = noisy_rows();
  const Eigen::Vector2d centre{0.5, -0.5};
  const Eigen::VectorXd found = fit(rows, 3.0, centre).coefficients;
  Eigen::Vector2d slope = 3.0 * (found - centre);
  for (const Row& row : rows) {
    const double p = logistic(found[0] * row.features[0] + found[1]);
    slope +=
        (p - (row.is_positive ? 1.0 : 0.0)) * Eigen::Vector2d{row.features[0], row.features[1]};
  }
  EXPECT_LT(slope.norm(), 1e-3);
}

TEST(Logistic, AWeightOfTwoIsAnExampleTwice) {
  std::vector<Row> weighted = noisy_rows();
  std::vector<Row> repeated = weighted;
  for (std::size_t i = 0; i < 50; ++i) {
    weighted[i].weight = 2.0;
    repeated.push_back(repeated[i]);
  }
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  EXPECT_LT((fit(weighted, 1.0, zero).coefficients - fit(repeated, 1.0, zero).coefficients).norm(),
            1e-6);
}

TEST(Logistic, KnownOffsetsAreNotLearnedAgain) {
  std::vector<Row> rows = noisy_rows();
  const Eigen::VectorXd alone = fit(rows, 1e-6, Eigen::Vector2d::Zero()).coefficients;
  for (Row& row : rows) row.offset = alone[0] * row.features[0] + alone[1];
  EXPECT_LT(fit(rows, 1e-6, Eigen::Vector2d::Zero()).coefficients.norm(), 1e-3);
}

TEST(Logistic, SeparableExamplesStayFiniteWithARidge) {
  const std::vector<Row> rows{{{1.0, 1.0}, true}, {{-1.0, 1.0}, false}};
  const LogisticFit found = fit(rows, 1e-3, Eigen::Vector2d::Zero());
  EXPECT_TRUE(found.coefficients.allFinite());
  EXPECT_TRUE(found.inverse_hessian.allFinite());
  EXPECT_GT(found.coefficients[0], 3.0);
}

TEST(Logistic, HasNoOverflowInItsTails) {
  EXPECT_EQ(logistic(800.0), 1.0);
  EXPECT_EQ(logistic(-800.0), 0.0);
  EXPECT_EQ(softplus(800.0), 800.0);
  EXPECT_NEAR(log_odds(logistic(3.0)), 3.0, 1e-12);
}

}  // namespace
}  // namespace dalaup
