#pragma once
// The logistic head that expected error reduction refits; private to query.
#include "numeric/numeric.h"

namespace dalaup {

// Pairs as rows of features with the log-odds the aligner gives them.
struct HeadSample {
  Eigen::MatrixXd features;
  Eigen::VectorXd offsets;
};

// p = logistic(offset + weights . features): weights 0 are the aligner's own probabilities. Trained
// on labelled pairs with the penalty ridge * |weights|^2 / 2.
class LogisticHead {
 public:
  LogisticHead(const HeadSample& labelled, const Eigen::VectorXd& targets, double ridge);

  const Eigen::VectorXd& weights() const { return weights_; }
  // The change of the weights by one Newton step after adding a pair with its label. The Hessian
  // gains a rank-one term, so its inverse follows from Sherman-Morrison.
  Eigen::VectorXd step(const Eigen::VectorXd& features, double offset, double target) const;
  const Eigen::MatrixXd& inverse_hessian() const { return inverse_hessian_; }

 private:
  Eigen::VectorXd weights_;
  Eigen::MatrixXd inverse_hessian_;
};

}  // namespace dalaup
