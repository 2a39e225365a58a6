#include <cmath>
#include <vector>

#include "context/walk.h"

namespace dalaup {
namespace {

// Sums of a matrix's columns. Pieces of rows are added in order, so any number of threads gives the
// same bits.
struct ColumnSums {
  Eigen::ArrayXd values;
  Eigen::ArrayXd squares;
};

// Passes over the rows once: log(1 + value / unit), and the sums after it.
ColumnSums scale_and_sum(Matrix& rows, double unit, Run& run) {
  constexpr std::size_t kRows = 128;
  const auto users = static_cast<std::size_t>(rows.rows());
  std::vector<ColumnSums> parts((users + kRows - 1) / kRows);
  run.for_pieces(users, kRows, [&](const Piece& piece) {
    ColumnSums& sums = parts[piece.begin / kRows];
    sums = {Eigen::ArrayXd::Zero(rows.cols()), Eigen::ArrayXd::Zero(rows.cols())};
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      auto row = rows.row(index(user)).array();
      row = (row * static_cast<float>(1.0 / unit)).log1p();
      sums.values += row.cast<double>().transpose();
      sums.squares += row.square().cast<double>().transpose();
    }
  });
  ColumnSums all{Eigen::ArrayXd::Zero(rows.cols()), Eigen::ArrayXd::Zero(rows.cols())};
  for (const ColumnSums& part : parts) {
    all.values += part.values;
    all.squares += part.squares;
  }
  return all;
}

void scale_and_shift(Matrix& rows, const Eigen::ArrayXd& factors, const Eigen::ArrayXd& shifts,
                     Run& run) {
  const Eigen::ArrayXf factor = factors.cast<float>();
  const Eigen::ArrayXf shift = shifts.cast<float>();
  run.for_pieces(static_cast<std::size_t>(rows.rows()), 16, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      auto row = rows.row(index(user)).array();
      row = row * factor.transpose() + shift.transpose();
    }
  });
}

Matrix visits_of_anchors(const Network& network, Side side, std::span<const ContextAnchor> anchors,
                         const ContextParams& params, std::size_t directions, Run& run) {
  std::vector<UserId> chosen;
  for (const ContextAnchor& anchor : anchors) chosen.push_back(anchor.pair.on(side));
  Matrix rows = large_matrix(network.user_count(), chosen.size() * directions);
  for (std::size_t direction = 0; direction < directions; ++direction)
    context_of_chosen_into(steps_of(network, direction), chosen, params, run, rows,
                           direction * chosen.size());
  return rows;
}

}  // namespace

std::array<Matrix, 2> relative_contexts(const NetworkPair& networks,
                                        std::span<const ContextAnchor> anchors,
                                        const RelativeContextParams& params, Run& run) {
  const ContextParams walk{.restart_probability = params.restart_probability,
                           .walk_steps = params.walk_steps};
  const std::size_t directions = direction_count(networks);
  const std::size_t columns = anchors.size() * directions;
  require_memory(5 * columns * (networks.a.user_count() + networks.b.user_count()),
                 "contexts relative to anchors",
                 "use --method propagation, which keeps few of them");
  const auto anchor_of = [&](Eigen::Index column) -> const ContextAnchor& {
    return anchors[static_cast<std::size_t>(column) % anchors.size()];
  };
  std::array<Matrix, 2> contexts;
  std::array<ColumnSums, 2> sums;
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = contexts[index_of(side)];
    rows = visits_of_anchors(networks.on(side), side, anchors, walk, directions, run);
    sums[index_of(side)] = scale_and_sum(rows, params.log_unit, run);
  }
  const auto mean_squares = [&](std::size_t side) {
    return sums[side].squares / static_cast<double>(contexts[side].rows());
  };
  Eigen::ArrayXd factors = ((mean_squares(0) * mean_squares(1)).sqrt() + 1e-6).rsqrt();
  for (Eigen::Index column = 0; column < factors.size(); ++column)
    factors[column] *= std::sqrt(static_cast<double>(anchor_of(column).weight));
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = contexts[index_of(side)];
    Eigen::ArrayXd& totals = sums[index_of(side)].values;
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {  // nobody sees its own
      float& own = rows(anchor_of(column).pair.on(side), column);
      totals[column] -= static_cast<double>(own);
      own = 0.0F;
    }
    scale_and_shift(rows, factors, -factors * totals / static_cast<double>(rows.rows()), run);
  }
  return contexts;
}

}  // namespace dalaup
