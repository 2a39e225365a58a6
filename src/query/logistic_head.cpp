#include "query/logistic_head.h"

namespace dalaup {

LogisticHead::LogisticHead(const HeadSample& labelled, const Eigen::VectorXd& targets,
                           double ridge) {
  const Eigen::Index size = labelled.features.cols();
  const Eigen::MatrixXd rows = labelled.features.transpose();  // a pair's features side by side
  const auto visit = [&](const std::function<void(const LogisticExample&)>& add) {
    for (Eigen::Index i = 0; i < rows.cols(); ++i)
      add({.features = {rows.col(i).data(), static_cast<std::size_t>(size)},
           .is_positive = targets[i] > 0.5,
           .offset = labelled.offsets[i]});
  };
  const LogisticPrior prior{.centre = Eigen::VectorXd::Zero(size),
                            .ridge = Eigen::VectorXd::Constant(size, ridge)};
  LogisticFit fit = fit_logistic(visit, prior, Eigen::VectorXd::Zero(size));
  weights_ = std::move(fit.coefficients);
  inverse_hessian_ = std::move(fit.inverse_hessian);
}

Eigen::VectorXd LogisticHead::step(const Eigen::VectorXd& features, double offset,
                                   double target) const {
  const double p = logistic(offset + weights_.dot(features));
  const Eigen::VectorXd direction = inverse_hessian_ * features;
  return direction * ((target - p) / (1.0 + p * (1.0 - p) * features.dot(direction)));
}

}  // namespace dalaup
