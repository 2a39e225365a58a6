#pragma once
// Logistic regression with offsets, weights and a ridge.
#include <Eigen/Core>
#include <functional>
#include <span>

namespace dalaup {

double logistic(double log_odds);     // 1 / (1 + exp(-x)), without overflow
double log_odds(double probability);  // its inverse
double softplus(double x);            // log(1 + exp(x)), without overflow

struct LogisticExample {
  std::span<const double> features;
  bool is_positive = false;
  double offset = 0.0;  // known log-odds, added to what is learned
  double weight = 1.0;
};
// Hands every example to `add`, in the same order each time; examples need not be kept in memory.
using VisitExamples = std::function<void(const std::function<void(const LogisticExample&)>& add)>;

// The penalty is the sum of ridge * (coefficient - centre)^2 / 2.
struct LogisticPrior {
  Eigen::VectorXd centre;
  Eigen::VectorXd ridge;
};

struct LogisticFit {
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd inverse_hessian;  // of the penalised loss
};

// Maximum likelihood less the penalty, by Newton's method from `start`; a step that does not lower
// the loss is halved. Deterministic.
LogisticFit fit_logistic(const VisitExamples& visit, const LogisticPrior& prior,
                         Eigen::VectorXd start);

}  // namespace dalaup
