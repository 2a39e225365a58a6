#include "methods/anchor_context/coordinate_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

Matrix rows_of(const Matrix& all, std::span<const UserId> users) {
  Matrix rows(index(users.size()), all.cols());
  for (std::size_t i = 0; i < users.size(); ++i) rows.row(index(i)) = all.row(users[i]);
  return rows;
}

// Weighing centred rows leaves them centred, so the rows of the pairs suffice.
double mean_reciprocal_rank(const std::array<Matrix, 2>& coordinates,
                            std::span<const float> weights, std::span<const UserPair> pairs,
                            const LabelSet& labels, Run& run) {
  std::vector<UserId> users;
  std::vector<UserPair> places;
  for (const UserPair& pair : pairs) {
    places.push_back({static_cast<UserId>(users.size()), pair.b});
    users.push_back(pair.a);
  }
  double sum = 0.0;
  for (const double rank :
       ranks_by_cosine(weighed(rows_of(coordinates[0], users), weights),
                       weighed(coordinates[1], weights), places, open_users(labels, Side::kB), run))
    sum += 1.0 / rank;
  return sum / static_cast<double>(pairs.size());
}

// Training steps on one batch after another.
class WeightStep {
 public:
  WeightStep(const AnchorContextParams& params, const std::array<Matrix, 2>& coordinates)
      : params_(params),
        coordinates_(coordinates),
        optimiser_(make_optimiser({.kind = "adam"}, tensors_of(coordinates))) {
    weights.assign(static_cast<std::size_t>(coordinates[0].cols()), 1.0F);
  }

  double run_batch(const Batch& batch) {
    const FlushDenormals fast;
    std::array<Matrix, 2> rows;
    std::array<Matrix, 2> vectors;
    for (std::size_t side = 0; side < 2; ++side) {
      rows[side] = rows_of(coordinates_[side], batch.users[side]);
      vectors[side] = weighed(rows[side], weights);
    }
    std::array<Matrix, 2> gradients;
    const double loss = softmax_contrast(batch.pairs, params_.temperature, vectors, gradients);
    if (!std::isfinite(loss))
      throw StateError("anchor_context: found a loss that is not finite",
                       "lower learning_rate, or start again with another seed");
    std::vector<double> sums(weights.size(), 0.0);
    for (std::size_t side = 0; side < 2; ++side)
      for (Eigen::Index user = 0; user < rows[side].rows(); ++user)
        for (std::size_t p = 0; p < sums.size(); ++p)
          sums[p] += static_cast<double>(gradients[side](user, index(p))) *
                     static_cast<double>(rows[side](user, index(p)));
    const std::vector<float> gradient(sums.begin(), sums.end());
    optimiser_->begin_step(params_.learning_rate);
    optimiser_->update(0, 0, weights, gradient.data());
    return loss;
  }

  std::vector<float> weights;

 private:
  static Tensors tensors_of(const std::array<Matrix, 2>& coordinates) {
    Tensors tensors;
    tensors.add("weights", static_cast<std::size_t>(coordinates[0].cols()));
    return tensors;
  }

  const AnchorContextParams& params_;
  const std::array<Matrix, 2>& coordinates_;
  std::unique_ptr<Optimiser> optimiser_;
};

}  // namespace

Matrix weighed(const Matrix& rows, std::span<const float> weights) {
  const FlushDenormals fast;
  return (rows.array().rowwise() *
          Eigen::Map<const Eigen::RowVectorXf>(weights.data(), rows.cols()).array())
      .matrix();
}

double softmax_contrast(std::span<const BatchPair> pairs, double temperature,
                        const std::array<Matrix, 2>& vectors, std::array<Matrix, 2>& gradients) {
  const auto inverse_norms = [](const Matrix& rows) {
    return rows.rowwise().norm().array().max(1e-12F).inverse().matrix().eval();
  };
  const auto inverse_a = inverse_norms(vectors[0]);
  const auto inverse_b = inverse_norms(vectors[1]);
  const Matrix unit_a = inverse_a.asDiagonal() * vectors[0];
  const Matrix unit_b = inverse_b.asDiagonal() * vectors[1];
  const Matrix similarity = unit_a * unit_b.transpose();
  Matrix slope = Matrix::Zero(similarity.rows(), similarity.cols());
  const auto anchors = static_cast<double>(std::ranges::count_if(pairs, &BatchPair::is_anchor));
  const double share = 0.5 / std::max(1.0, anchors);
  double loss = 0.0;
  const auto one_direction = [&](const auto& row, auto&& slope_row, Eigen::Index own) {
    const double highest = static_cast<double>(row.maxCoeff());
    double sum = 0.0;
    for (Eigen::Index i = 0; i < row.size(); ++i)
      sum += std::exp((static_cast<double>(row[i]) - highest) / temperature);
    loss += share * (std::log(sum) - (static_cast<double>(row[own]) - highest) / temperature);
    for (Eigen::Index i = 0; i < row.size(); ++i) {
      const double probability =
          std::exp((static_cast<double>(row[i]) - highest) / temperature) / sum;
      slope_row[i] += static_cast<float>(share * (probability - (i == own ? 1.0 : 0.0)));
    }
  };
  for (const BatchPair& pair : pairs) {
    if (!pair.is_anchor) continue;
    one_direction(similarity.row(pair.row_a), slope.row(pair.row_a), pair.row_b);
    one_direction(similarity.col(pair.row_b), slope.col(pair.row_b), pair.row_a);
  }
  slope *= static_cast<float>(1.0 / temperature);
  const auto gradient_of = [](const Matrix& unit, const auto& inverse,
                              const Matrix& unit_gradient) -> Matrix {
    const auto along = unit.cwiseProduct(unit_gradient).rowwise().sum().eval();
    return inverse.asDiagonal() * (unit_gradient - along.asDiagonal() * unit);
  };
  gradients[0] = gradient_of(unit_a, inverse_a, slope * unit_b);
  gradients[1] = gradient_of(unit_b, inverse_b, slope.transpose() * unit_a);
  return loss;
}

WeightTraining learn_weights(const AnchorContextParams& params,
                             const std::array<Matrix, 2>& coordinates, const LabelSet& labels,
                             const HeldOut& parts, int epochs, Run& run) {
  const bool validates = !parts.hidden.empty();
  const auto mrr = [&](const std::vector<float>& weights) {
    return mean_reciprocal_rank(coordinates, weights, parts.hidden, labels, run);
  };
  WeightStep step(params, coordinates);
  WeightTraining kept{step.weights, 0};
  double best = validates ? mrr(step.weights) : 0.0;  // training must beat what it starts from
  int best_epoch = -1;
  Task task(run, "training", static_cast<std::uint64_t>(epochs));
  int epoch = 0;
  for (bool is_finished = false; !is_finished && epoch < epochs; ++epoch) {
    const auto batches =
        make_batches(epoch_pairs({.negatives_per_anchor = params.negatives_per_anchor},
                                 parts.anchors, labels, epoch, run),
                     static_cast<std::size_t>(params.pairs_per_batch));
    double loss = 0.0;
    for (const Batch& batch : batches) {
      run.throw_if_cancelled();
      loss += step.run_batch(batch);
    }
    loss *= 1.0 / static_cast<double>(batches.size());
    task.advance(1, fmt::format("loss {:.4g}", loss));
    if (validates) {
      if ((epoch + 1) % params.validation_every != 0 && epoch + 1 != epochs) continue;
      const double reached = mrr(step.weights);
      if (reached > best) {
        best = reached;
        best_epoch = epoch;
        kept = {step.weights, epoch + 1};
      }
    } else if (epoch == 0 || loss < best - params.tolerance * std::abs(best)) {
      best = loss;
      best_epoch = epoch;
    }
    is_finished = epoch - best_epoch >= params.patience;
  }
  if (!validates) kept = {step.weights, epoch};
  return kept;
}

}  // namespace dalaup
