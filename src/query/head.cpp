#include "query/head.h"

#include <cmath>

namespace dalaup {

double logistic(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }
double log_odds(double probability) { return std::log(probability) - std::log1p(-probability); }

LogisticHead::LogisticHead(const HeadSample& labelled, const Eigen::VectorXd& targets,
                           double ridge) {
  constexpr int kMostSteps = 50;
  const Eigen::Index size = labelled.features.cols();
  weights_ = Eigen::VectorXd::Zero(size);
  const auto loss = [&](const Eigen::VectorXd& weights) {
    const Eigen::VectorXd margins = labelled.offsets + labelled.features * weights;
    double sum = 0.5 * ridge * weights.squaredNorm();
    for (Eigen::Index i = 0; i < margins.size(); ++i) {
      const double margin = targets[i] > 0.5 ? margins[i] : -margins[i];
      sum += margin > 0.0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    }
    return sum;
  };
  for (int round = 0; round < kMostSteps; ++round) {
    const Eigen::VectorXd p =
        (labelled.offsets + labelled.features * weights_).unaryExpr(&logistic);
    const Eigen::VectorXd curvature = p.array() * (1.0 - p.array());
    Eigen::MatrixXd hessian =
        labelled.features.transpose() * curvature.asDiagonal() * labelled.features;
    hessian.diagonal().array() += ridge;
    const Eigen::LLT<Eigen::MatrixXd> solver(hessian);
    inverse_hessian_ = solver.solve(Eigen::MatrixXd::Identity(size, size));
    const Eigen::VectorXd gradient =
        labelled.features.transpose() * (targets - p) - ridge * weights_;
    const Eigen::VectorXd step = solver.solve(gradient);
    if (step.norm() < 1e-10) break;
    double length = 1.0;
    const double before = loss(weights_);
    while (length > 1e-6 && loss(weights_ + length * step) > before) length *= 0.5;
    weights_ += length * step;
  }
}

Eigen::VectorXd LogisticHead::step(const Eigen::VectorXd& features, double offset,
                                   double target) const {
  const double p = logistic(offset + weights_.dot(features));
  const Eigen::VectorXd direction = inverse_hessian_ * features;
  return direction * ((target - p) / (1.0 + p * (1.0 - p) * features.dot(direction)));
}

}  // namespace dalaup
