#include "baselines/mapping.h"

#include <algorithm>
#include <cmath>
#include <vector>

// LAPACK, which comes with the serial OpenBLAS; Eigen's SVD compiles for minutes.
extern "C" {
void dgesdd_(const char* job, const int* rows, const int* columns, double* matrix,
             const int* stride, double* values, double* left, const int* left_stride, double* right,
             const int* right_stride, double* work, const int* work_size, int* whole_work,
             int* info);
void dposv_(const char* half, const int* size, const int* columns, double* matrix,
            const int* stride, double* right, const int* right_stride, int* info);
}

namespace dalaup {
namespace {

// U V' of a square matrix U diag(s) V': the rotation nearest to it.
Eigen::MatrixXd nearest_rotation(Eigen::MatrixXd matrix) {
  const auto size = static_cast<int>(matrix.rows());
  Eigen::MatrixXd left(size, size);
  Eigen::MatrixXd right(size, size);
  Eigen::VectorXd values(size);
  std::vector<int> whole_work(8 * static_cast<std::size_t>(size));
  double best_size = 0.0;
  int work_size = -1;  // asks for the best size first
  int info = 0;
  std::vector<double> work(1);
  for (int pass = 0; pass < 2; ++pass) {
    dgesdd_("A", &size, &size, matrix.data(), &size, values.data(), left.data(), &size,
            right.data(), &size, pass == 0 ? &best_size : work.data(), &work_size,
            whole_work.data(), &info);
    work_size = static_cast<int>(best_size);
    work.resize(static_cast<std::size_t>(std::max(1, work_size)));
  }
  if (info != 0) throw StateError("procrustes: the singular values did not converge");
  return left * right;
}

// Solves matrix * x = right for a symmetric positive definite matrix.
Eigen::MatrixXd solved(Eigen::MatrixXd matrix, Eigen::MatrixXd right) {
  const auto size = static_cast<int>(matrix.rows());
  const auto columns = static_cast<int>(right.cols());
  int info = 0;
  dposv_("U", &size, &columns, matrix.data(), &size, right.data(), &size, &info);
  if (info != 0)
    throw StateError("pale: the mapping is not determined by the anchors",
                     "a larger mapping_regularisation determines it");
  return right;
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

// Adam (Kingma, Ba 2015) for one matrix.
class Adam {
 public:
  void step(Eigen::Ref<Eigen::MatrixXd> values, const Eigen::MatrixXd& gradient, double rate,
            int time) {
    if (mean_.size() == 0) {
      mean_ = Eigen::MatrixXd::Zero(values.rows(), values.cols());
      square_ = mean_;
    }
    mean_ = 0.9 * mean_ + 0.1 * gradient;
    square_ = 0.999 * square_ + 0.001 * gradient.cwiseAbs2();
    const double correction = std::sqrt(1.0 - std::pow(0.999, time)) / (1.0 - std::pow(0.9, time));
    values.array() -= rate * correction * mean_.array() / (square_.array().sqrt() + 1e-8);
  }

 private:
  Eigen::MatrixXd mean_;
  Eigen::MatrixXd square_;
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
  Adam first;
  Adam first_offset;
  Adam second;
  Adam second_offset;
  for (int epoch = 1; epoch <= plan.epochs; ++epoch) {
    run.throw_if_cancelled();
    layer.loss(known.a, known.b, plan.regularisation, gradient);
    const double rate = kMappingRate * (1.0 - static_cast<double>(epoch - 1) / plan.epochs);
    first.step(layer.first, gradient.first, rate, epoch);
    first_offset.step(layer.first_offset, gradient.first_offset, rate, epoch);
    second.step(layer.second, gradient.second, rate, epoch);
    second_offset.step(layer.second_offset, gradient.second_offset, rate, epoch);
  }
  return as_floats(layer(a), b);
}

}  // namespace dalaup
