#include "methods/aup/inputs.h"

#include <cmath>

#include "aligner/aligner.h"
#include "context/context.h"
#include "methods/aup/matrix_rows.h"
#include "methods/aup/soft_anchors.h"

namespace dalaup {
namespace {

void require_room(const AupParams& params, const NetworkPair& networks, std::size_t anchors,
                  std::size_t channels) {
  double bytes = 0.0;
  for (const Network* network : {&networks.a, &networks.b}) {
    const auto users = static_cast<double>(network->user_count());
    const double length =
        (params.coordinates == "users" ? users : static_cast<double>(anchors * channels));
    const double widest =
        params.convolution_layers == 0
            ? 1.0
            : static_cast<double>(params.channels << (params.convolution_layers - 1));
    const double dense = length * widest * (params.dense == "diagonal" ? 1 : params.embedding_dim);
    const double layers = params.reconstruction_weight > 0.0 ? 2.0 : 1.0;
    bytes += 4.0 * (users * length + 3.0 * layers * dense);
  }
  require_memory(static_cast<std::uint64_t>(1.2 * bytes),
                 "aup (contexts, parameters and optimiser state)",
                 params.coordinates == "users"
                     ? "give --coordinates anchors, lower --embedding-dim or --channels, or use "
                       "--method propagation"
                     : "lower --embedding-dim or --channels, or use --method propagation");
}

// Sums of a matrix's columns. Pieces of rows are added in order, so any number of threads gives the
// same bits.
struct ColumnSums {
  Eigen::ArrayXd values;
  Eigen::ArrayXd squares;
};

// Passes over the rows once: log(1 + value / unit) where a unit is given, and the sums after it.
ColumnSums scale_and_sum(Matrix& rows, double unit, Run& run) {
  constexpr std::size_t kRows = 128;
  const auto users = static_cast<std::size_t>(rows.rows());
  std::vector<ColumnSums> parts((users + kRows - 1) / kRows);
  run.for_pieces(users, kRows, [&](const Piece& piece) {
    ColumnSums& sums = parts[piece.begin / kRows];
    sums = {Eigen::ArrayXd::Zero(rows.cols()), Eigen::ArrayXd::Zero(rows.cols())};
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      auto row = rows.row(static_cast<Eigen::Index>(user)).array();
      if (unit > 0.0) row = (row * static_cast<float>(1.0 / unit)).log1p();
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
      auto row = rows.row(static_cast<Eigen::Index>(user)).array();
      row = row * factor.transpose() + shift.transpose();
    }
  });
}

Matrix anchor_contexts(const Network& network, Side side, std::span<const SoftAnchor> anchors,
                       const ContextParams& params, std::size_t channels, Run& run) {
  std::vector<UserId> chosen;
  for (const SoftAnchor& anchor : anchors) chosen.push_back(anchor.pair.on(side));
  Matrix rows = large_matrix(network.user_count(), chosen.size() * channels);
  const Adjacency* const steps[] = {&network.both(), &network.out(), &network.in()};
  for (std::size_t channel = 0; channel < channels; ++channel)
    context_of_chosen_into(*steps[channel], chosen, params, run, rows, channel * chosen.size());
  return rows;
}

// What each column of both networks is multiplied by. Columns that many users reach in both say
// little: with log scaling each is divided by the root of the product of its root mean squares in A
// and B. A pair that is only likely counts by the root of its weight on each side.
Eigen::ArrayXd column_factors(const AupInputs& inputs, const std::array<ColumnSums, 2>& sums,
                              std::span<const SoftAnchor> anchors, bool balances) {
  Eigen::ArrayXd factors = Eigen::ArrayXd::Ones(inputs.rows[0].cols());
  if (balances) {
    const auto mean_squares = [&](std::size_t side) {
      return sums[side].squares / static_cast<double>(inputs.rows[side].rows());
    };
    factors = ((mean_squares(0) * mean_squares(1)).sqrt() + 1e-6).rsqrt();
  }
  for (Eigen::Index column = 0; column < factors.size(); ++column)
    factors[column] *= std::sqrt(
        static_cast<double>(anchors[static_cast<std::size_t>(column) % anchors.size()].weight));
  return factors;
}

void scale_anchor_columns(AupInputs& inputs, std::span<const SoftAnchor> anchors,
                          const AupParams& params, Run& run) {
  const bool is_log = params.scaling == "log";
  std::array<ColumnSums, 2> sums;
  for (std::size_t side = 0; side < 2; ++side)
    sums[side] = scale_and_sum(inputs.rows[side], is_log ? params.log_unit : 0.0, run);
  const Eigen::ArrayXd factors = column_factors(inputs, sums, anchors, is_log);
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = inputs.rows[index_of(side)];
    Eigen::ArrayXd& totals = sums[index_of(side)].values;
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {  // nobody sees its own
      const UserPair& pair = anchors[static_cast<std::size_t>(column) % anchors.size()].pair;
      float& own = rows(pair.on(side), column);
      totals[column] -= static_cast<double>(own);
      own = 0.0F;
    }
    Eigen::ArrayXd shifts = Eigen::ArrayXd::Zero(rows.cols());
    if (params.centring) shifts = -factors * totals / static_cast<double>(rows.rows());
    scale_and_shift(rows, factors, shifts, run);
  }
}

AupInputs inputs_of(const AupParams& params, const NetworkPair& networks,
                    std::span<const SoftAnchor> anchors, Run& run) {
  const ContextParams context{.restart_probability = params.restart_probability,
                              .walk_steps = params.walk_steps};
  const bool by_anchor = params.coordinates == "anchors";
  const bool directed = networks.a.is_directed() && networks.b.is_directed();
  const std::size_t channels = by_anchor && directed ? 3 : 1;
  require_room(params, networks, anchors.size(), channels);
  AupInputs inputs;
  inputs.channels = static_cast<int>(channels);
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = inputs.rows[index_of(side)];
    if (by_anchor) {
      rows = anchor_contexts(networks.on(side), side, anchors, context, channels, run);
      continue;
    }
    rows = structural_context(networks.on(side), context, run);
    const ColumnSums sums =
        scale_and_sum(rows, params.scaling == "log" ? params.log_unit : 0.0, run);
    if (params.centring)
      scale_and_shift(rows, Eigen::ArrayXd::Ones(rows.cols()),
                      -sums.values / static_cast<double>(rows.rows()), run);
  }
  if (by_anchor) scale_anchor_columns(inputs, anchors, params, run);
  return inputs;
}

std::vector<UserId> open_ids(const LabelSet& labels, Side side) {
  std::vector<UserId> users;
  for (UserId user = 0; user < labels.user_count(side); ++user)
    if (!labels.is_anchored(side, user)) users.push_back(user);
  return users;
}

}  // namespace

AupInputs make_inputs(const AupParams& params, const NetworkPair& networks, const LabelSet& labels,
                      Run& run) {
  constexpr std::size_t kListed = 50;  // candidates that share a user among them
  std::vector<SoftAnchor> anchors;
  for (const UserPair& pair : labels.anchors()) anchors.push_back({pair});
  AupInputs inputs = inputs_of(params, networks, anchors, run);
  if (params.coordinates != "anchors") return inputs;
  CandidateFilter filter{open_users(labels, Side::kB), nullptr};
  filter.is_refused = [&](UserId a, UserId b) { return labels.is_negative({a, b}); };
  for (int round = 0; round < params.soft_rounds; ++round) {
    const RankedLists lists = best_by_cosine(inputs.rows[0], inputs.rows[1],
                                             open_ids(labels, Side::kA), kListed, filter, run);
    const auto soft = soft_anchors(
        lists, labels.user_count(Side::kB),
        {.temperature = params.soft_temperature, .least_weight = params.soft_least_weight});
    anchors.resize(labels.anchors().size());
    anchors.insert(anchors.end(), soft.begin(), soft.end());
    inputs = {};  // both generations at once would be the most memory of all
    inputs = inputs_of(params, networks, anchors, run);
  }
  return inputs;
}

}  // namespace dalaup
