#include "numeric/logistic.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

ConstVector vector_of(const LogisticExample& example) {
  return {example.features.data(), static_cast<Eigen::Index>(example.features.size())};
}

double loss_at(const VisitExamples& visit, const LogisticPrior& prior,
               const Eigen::VectorXd& coefficients) {
  double loss = 0.5 * prior.ridge.dot((coefficients - prior.centre).cwiseAbs2());
  visit([&](const LogisticExample& example) {
    const double x = example.offset + coefficients.dot(vector_of(example));
    loss += example.weight * softplus(example.is_positive ? -x : x);
  });
  return loss;
}

struct Curvature {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;  // lower half
};

Curvature curvature_at(const VisitExamples& visit, const LogisticPrior& prior,
                       const Eigen::VectorXd& coefficients) {
  Curvature result{prior.ridge.cwiseProduct(coefficients - prior.centre), prior.ridge.asDiagonal()};
  visit([&](const LogisticExample& example) {
    const ConstVector features = vector_of(example);
    const double p = logistic(example.offset + coefficients.dot(features));
    result.gradient += example.weight * (p - (example.is_positive ? 1.0 : 0.0)) * features;
    result.hessian.selfadjointView<Eigen::Lower>().rankUpdate(features,
                                                              example.weight * p * (1.0 - p));
  });
  return result;
}

}  // namespace

double logistic(double log_odds) {
  return log_odds >= 0.0 ? 1.0 / (1.0 + std::exp(-log_odds))
                         : std::exp(log_odds) / (1.0 + std::exp(log_odds));
}
double log_odds(double probability) { return std::log(probability) - std::log1p(-probability); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

LogisticFit fit_logistic(const VisitExamples& visit, const LogisticPrior& prior,
                         Eigen::VectorXd start) {
  constexpr int kMostSteps = 100;
  LogisticFit fit{std::move(start), {}};
  const auto identity = Eigen::MatrixXd::Identity(fit.coefficients.size(), fit.coefficients.size());
  double loss = loss_at(visit, prior, fit.coefficients);
  for (int step = 0; step < kMostSteps; ++step) {
    const Curvature here = curvature_at(visit, prior, fit.coefficients);
    const Eigen::LDLT<Eigen::MatrixXd, Eigen::Lower> solver(here.hessian);
    if (solver.info() != Eigen::Success || !solver.isPositive()) break;
    const Eigen::VectorXd move = solver.solve(here.gradient);
    if (!move.allFinite()) break;
    double share = 1.0;
    double next = loss_at(visit, prior, fit.coefficients - move);
    while (!(next <= loss) && share > 1e-6) {
      share *= 0.5;
      next = loss_at(visit, prior, fit.coefficients - share * move);
    }
    if (!(next < loss)) break;
    const bool is_settled = loss - next < 1e-10 * (1.0 + loss);
    fit.coefficients -= share * move;
    loss = next;
    if (is_settled) break;
  }
  fit.inverse_hessian = curvature_at(visit, prior, fit.coefficients)
                            .hessian.selfadjointView<Eigen::Lower>()
                            .ldlt()
                            .solve(identity);
  return fit;
}

}  // namespace dalaup
