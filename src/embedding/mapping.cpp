#include "embedding/mapping.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>

namespace dalaup {
namespace {

// U V' of a square matrix U diag(s) V': the rotation nearest to it.
Eigen::MatrixXd nearest_rotation(const Eigen::MatrixXd& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> parts(
      matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return parts.matrixU() * parts.matrixV().transpose();
}

// Solves matrix * x = right for a symmetric positive definite matrix.
Eigen::MatrixXd solved(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right) {
  const Eigen::LLT<Eigen::MatrixXd> factors(matrix);
  if (factors.info() != Eigen::Success)
    throw StateError("pale: the mapping is not determined by the anchors",
                     "a larger mapping_regularisation determines it");
  return factors.solve(right);
}

// Centred on the network's mean, each row of length 1: what a user has beyond what all have.
Eigen::MatrixXd centred_and_scaled(const Matrix& vectors) {
  Eigen::MatrixXd result = vectors.cast<double>();
  result.rowwise() -= result.colwise().mean().eval();
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    const double length = result.row(row).norm();
    if (length > 0.0) result.row(row) /= length;
  }
  return result;
}

struct Pairs {
  Eigen::MatrixXd a;
  Eigen::MatrixXd b;
};
Pairs rows_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
              std::span<const UserPair> anchors) {
  const auto count = static_cast<Eigen::Index>(anchors.size());
  Pairs pairs{Eigen::MatrixXd(count, a.cols()), Eigen::MatrixXd(count, b.cols())};
  for (Eigen::Index i = 0; i < count; ++i) {
    pairs.a.row(i) = a.row(anchors[static_cast<std::size_t>(i)].a);
    pairs.b.row(i) = b.row(anchors[static_cast<std::size_t>(i)].b);
  }
  return pairs;
}

Embeddings as_floats(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return {a.cast<float>(), b.cast<float>()};
}

// A matrix that follows its gradients.
class Learned {
 public:
  void follow(Eigen::Ref<Eigen::MatrixXd> values, const Eigen::MatrixXd& gradient,
              const AdamStep& step) {
    if (means_.size() == 0) {
      means_ = Eigen::ArrayXXd::Zero(values.rows(), values.cols());
      squares_ = means_;
    }
    values = step.moved<double, Eigen::ArrayXXd>(values.array(), gradient.array(), means_, squares_,
                                                 [](const auto& x) { return x.sqrt(); })
                 .matrix();
  }

 private:
  Eigen::ArrayXXd means_;
  Eigen::ArrayXXd squares_;
};

constexpr double kMappingRate = 0.005;

}  // namespace

Embeddings turned_onto(const Embeddings& vectors, std::span<const UserPair> anchors) {
  const Eigen::MatrixXd a = centred_and_scaled(vectors.a);
  const Eigen::MatrixXd b = centred_and_scaled(vectors.b);
  const Pairs known = rows_of(a, b, anchors);
  return as_floats(a * nearest_rotation(known.a.transpose() * known.b), b);
}

Embeddings mapped_linearly(const Embeddings& vectors, std::span<const UserPair> anchors,
                           double regularisation) {
  const Eigen::MatrixXd a = centred_and_scaled(vectors.a);
  const Eigen::MatrixXd b = centred_and_scaled(vectors.b);
  const Pairs known = rows_of(a, b, anchors);
  const Eigen::RowVectorXd mean_a = known.a.colwise().mean();
  const Eigen::RowVectorXd mean_b = known.b.colwise().mean();
  const Eigen::MatrixXd x = known.a.rowwise() - mean_a;
  const Eigen::MatrixXd y = known.b.rowwise() - mean_b;
  Eigen::MatrixXd normal = x.transpose() * x;
  normal.diagonal().array() += regularisation + 1e-9;
  const Eigen::MatrixXd map = solved(normal, x.transpose() * y);
  return as_floats(((a.rowwise() - mean_a) * map).rowwise() + mean_b, b);
}

Eigen::MatrixXd HiddenLayer::operator()(const Eigen::MatrixXd& inputs) const {
  const Eigen::MatrixXd hidden =
      ((inputs * first).rowwise() + first_offset).array().tanh().matrix();
  return (hidden * second).rowwise() + second_offset;
}

double HiddenLayer::loss(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& targets,
                         double regularisation, HiddenLayer& gradient) const {
  const auto count = static_cast<double>(inputs.rows());
  const Eigen::MatrixXd hidden =
      ((inputs * first).rowwise() + first_offset).array().tanh().matrix();
  const Eigen::MatrixXd error = ((hidden * second).rowwise() + second_offset) - targets;
  const Eigen::MatrixXd by_output = 2.0 / count * error;
  const Eigen::MatrixXd by_hidden =
      ((by_output * second.transpose()).array() * (1.0 - hidden.array().square())).matrix();
  const double decay = regularisation / count;
  gradient.second = hidden.transpose() * by_output + 2.0 * decay * second;
  gradient.second_offset = by_output.colwise().sum();
  gradient.first = inputs.transpose() * by_hidden + 2.0 * decay * first;
  gradient.first_offset = by_hidden.colwise().sum();
  return error.squaredNorm() / count + decay * (first.squaredNorm() + second.squaredNorm());
}

Embeddings mapped_by_hidden_layer(const Embeddings& vectors, std::span<const UserPair> anchors,
                                  const HiddenLayerPlan& plan, Random random, const Run& run) {
  const Eigen::MatrixXd a = centred_and_scaled(vectors.a);
  const Eigen::MatrixXd b = centred_and_scaled(vectors.b);
  const Pairs known = rows_of(a, b, anchors);
  const auto random_matrix = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd matrix(rows, columns);
    const double scale = std::sqrt(2.0 / static_cast<double>(rows + columns));
    for (Eigen::Index row = 0; row < rows; ++row)
      for (Eigen::Index column = 0; column < columns; ++column)
        matrix(row, column) = scale * random.normal();
    return matrix;
  };
  HiddenLayer layer{random_matrix(a.cols(), plan.units), Eigen::RowVectorXd::Zero(plan.units),
                    random_matrix(plan.units, b.cols()), Eigen::RowVectorXd::Zero(b.cols())};
  HiddenLayer gradient;
  Learned first;
  Learned first_offset;
  Learned second;
  Learned second_offset;
  for (int epoch = 1; epoch <= plan.epochs; ++epoch) {
    run.throw_if_cancelled();
    layer.loss(known.a, known.b, plan.regularisation, gradient);
    const AdamStep step(kMappingRate * (1.0 - static_cast<double>(epoch - 1) / plan.epochs), epoch);
    first.follow(layer.first, gradient.first, step);
    first_offset.follow(layer.first_offset, gradient.first_offset, step);
    second.follow(layer.second, gradient.second, step);
    second_offset.follow(layer.second_offset, gradient.second_offset, step);
  }
  return as_floats(layer(a), b);
}

}  // namespace dalaup
