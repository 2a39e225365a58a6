#include "methods/propagation/pair_model.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kWeights = PairModel::kWeights;
using Vector = Eigen::Matrix<double, static_cast<int>(kWeights), 1>;
using Square = Eigen::Matrix<double, static_cast<int>(kWeights), static_cast<int>(kWeights)>;

constexpr int kNewtonSteps = 30;
constexpr double kLongestStep = 2.0;     // in standard deviations of a feature
constexpr double kFreeOffset = 1e-3;     // the constant of "none" is hardly penalised
constexpr double kDegreeCaution = 10.0;  // few labels overrate how alike degrees are: shrunk more
constexpr double kConstant = 1e-6;       // features that vary less carry nothing

// Mean and deviation of each feature; a constant feature gets a huge scale and so no say.
void standardise(const ChoiceExamples& examples, std::span<double> means,
                 std::span<double> scales) {
  const auto moments = [](std::size_t count, const auto& value, double& mean, double& scale) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += value(i);
    mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) squares += (value(i) - mean) * (value(i) - mean);
    scale = count == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(count));
    if (scale < kConstant) scale = 1.0 / kConstant;
  };
  for (std::size_t feature = 0; feature < kPairFeatures; ++feature)
    moments(
        examples.pairs.size(), [&](std::size_t i) { return double{examples.pairs[i][feature]}; },
        means[feature], scales[feature]);
  for (std::size_t feature = 1; feature < kUserFeatures; ++feature)
    moments(
        examples.users.size(),
        [&](std::size_t i) { return double{examples.users[i].none[feature]}; },
        means[kPairFeatures + feature], scales[kPairFeatures + feature]);
  // Below the take-off these logarithms hardly vary in runs without some labels, and much in the
  // one with all: a weight learned in units of their small deviation would decide everything there.
  for (const std::size_t logarithm : {kColumnScaleFeature, kPlanShareFeature})
    scales[logarithm] = std::max(scales[logarithm], 1.0);
  means[kPairFeatures] = 0.0;
  scales[kPairFeatures] = 1.0;
}

}  // namespace

PairModel::PairModel() {
  scales_.fill(1.0);
  weights_[kPlanShareFeature] = 1.0;
}

void PairModel::train(const ChoiceExamples& examples, double shrinkage) {
  standardise(examples, means_, scales_);
  Vector start = Vector::Zero();
  start[kPlanShareFeature] =
      scales_[kPlanShareFeature] < 1.0 / kConstant ? scales_[kPlanShareFeature] : 0.0;
  Vector penalty = Vector::Constant(shrinkage);
  penalty.segment<kDegreeFeatures>(kPairFeatures - kDegreeFeatures) *= kDegreeCaution;
  penalty[kPairFeatures] = kFreeOffset;
  Vector weights = start;
  std::vector<Vector> rows;
  std::vector<double> chances;
  for (int step = 0; step < kNewtonSteps; ++step) {
    Vector gradient = -penalty.cwiseProduct(weights - start);
    Square curvature = penalty.asDiagonal();
    std::size_t first = 0;
    for (const ChoiceExamples::User& user : examples.users) {
      rows.assign(user.pairs + std::size_t{1}, Vector::Zero());
      for (std::size_t i = 0; i < user.pairs; ++i)
        for (std::size_t feature = 0; feature < kPairFeatures; ++feature)
          rows[i][static_cast<int>(feature)] =
              (examples.pairs[first + i][feature] - means_[feature]) / scales_[feature];
      for (std::size_t feature = 0; feature < kUserFeatures; ++feature)
        rows.back()[static_cast<int>(kPairFeatures + feature)] =
            (user.none[feature] - means_[kPairFeatures + feature]) /
            scales_[kPairFeatures + feature];
      first += user.pairs;

      chances.clear();
      double highest = -1e300;
      for (const Vector& row : rows) chances.push_back(row.dot(weights));
      for (const double chance : chances) highest = std::max(highest, chance);
      double total = 0.0;
      for (double& chance : chances) total += chance = std::exp(chance - highest);
      Vector expected = Vector::Zero();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double chance = chances[i] / total;
        if (chance < 1e-9) continue;
        expected += chance * rows[i];
        curvature.selfadjointView<Eigen::Lower>().rankUpdate(rows[i], chance);
      }
      curvature.selfadjointView<Eigen::Lower>().rankUpdate(expected, -1.0);
      gradient +=
          (user.chosen < 0 ? rows.back() : rows[static_cast<std::size_t>(user.chosen)]) - expected;
    }
    Vector move = curvature.selfadjointView<Eigen::Lower>().ldlt().solve(gradient);
    const double longest = move.cwiseAbs().maxCoeff();
    if (!std::isfinite(longest)) break;
    if (longest > kLongestStep) move *= kLongestStep / longest;
    weights += move;
    if (longest < 1e-5) break;
  }
  std::copy_n(weights.data(), kWeights, weights_.begin());
}

double PairModel::log_weight(const PairFeatures& pair) const {
  double sum = 0.0;
  for (std::size_t feature = 0; feature < kPairFeatures; ++feature)
    sum += weights_[feature] * (pair[feature] - means_[feature]) / scales_[feature];
  return sum;
}

double PairModel::log_none(const UserFeatures& none) const {
  double sum = 0.0;
  for (std::size_t feature = 0; feature < kUserFeatures; ++feature) {
    const std::size_t i = kPairFeatures + feature;
    sum += weights_[i] * (none[feature] - means_[i]) / scales_[i];
  }
  return sum;
}

std::vector<double> PairModel::to_values() const {
  std::vector<double> values(weights_.begin(), weights_.end());
  values.insert(values.end(), means_.begin(), means_.end());
  values.insert(values.end(), scales_.begin(), scales_.end());
  return values;
}

void PairModel::from_values(std::span<const double> values) {
  // Models from before degrees, and from before attributes, do not have these features, the last of
  // a pair.
  constexpr std::size_t kBeforeDegrees = kWeights - kDegreeFeatures;
  constexpr std::size_t kBeforeAttributes = kBeforeDegrees - kAttributeFeatures;
  const std::size_t stored = values.size() / 3;
  if (values.size() % 3 != 0 ||
      (stored != kWeights && stored != kBeforeDegrees && stored != kBeforeAttributes))
    throw InputError("the model's probability part has a size this version does not know");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    throw InputError("the model's probability part holds infinity or no number");
  const std::size_t pair_features = stored - kUserFeatures;
  const auto take = [&](std::span<const double> part, std::array<double, kWeights>& whole) {
    std::ranges::copy(part.first(pair_features), whole.begin());
    std::ranges::copy(part.last(kUserFeatures), whole.begin() + kPairFeatures);
  };
  *this = PairModel();
  take(values.subspan(0, stored), weights_);
  take(values.subspan(stored, stored), means_);
  take(values.subspan(2 * stored, stored), scales_);
  if (!std::ranges::all_of(scales_, [](double scale) { return scale > 0.0; }))
    throw InputError("the model's probability part holds scales that are not positive");
}

// The lesser of the two at the power of -2: a few parts in a thousand off where they are far apart.
double OddsCorrection::operator()(double log_odds) const {
  const double straight = slope * log_odds + offset;
  if (most >= kNoBound) return straight;
  return std::min(straight, most) - 0.5 * std::log1p(std::exp(-2.0 * std::abs(straight - most)));
}

// Unit penalties towards the uncorrected odds keep few examples harmless.
OddsCorrection fit_odds(std::span<const OddsExample> examples) {
  constexpr double kLeastSlope = 0.05;
  constexpr double kMostSlope = 1.0;  // surer than the model itself: never
  const bool some_tell_less = !std::ranges::all_of(examples, &OddsExample::tells_slope);
  // A slope of 0: learn it too.
  const auto fit = [&](double fixed_slope, bool all) {
    const Eigen::Index size = fixed_slope > 0.0 ? 1 : 2;
    const auto visit = [&](const std::function<void(const LogisticExample&)>& add) {
      for (const OddsExample& example : examples) {
        if (!all && !example.tells_slope) continue;
        const double features[2] = {1.0, example.log_odds};
        add({.features = {features, static_cast<std::size_t>(size)},
             .is_positive = example.is_anchor,
             .offset = fixed_slope * example.log_odds,
             .weight = example.weight});
      }
    };
    const Eigen::VectorXd centre = Eigen::Vector2d{0.0, 1.0}.head(size);
    return fit_logistic(visit, {.centre = centre, .ridge = Eigen::VectorXd::Ones(size)}, centre)
        .coefficients;
  };
  const Eigen::VectorXd free = fit(0.0, true);
  double slope = std::clamp(free[1], kLeastSlope, kMostSlope);
  if (some_tell_less)
    slope = 0.5 * (slope + std::clamp(fit(0.0, false)[1], kLeastSlope, kMostSlope));
  const auto right = std::ranges::count_if(examples, &OddsExample::is_anchor);
  return {.slope = slope,
          .offset = slope == free[1] ? free[0] : fit(slope, true)[0],
          .most = 2.0 * std::log(0.5 * (static_cast<double>(right) + 0.5))};
}

}  // namespace dalaup
