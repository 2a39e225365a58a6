#include "aup/inputs.h"

#include <cmath>

#include "aligner/aligner.h"
#include "aup/soft_anchors.h"
#include "context/context.h"

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

void scale_logarithmically(Matrix& rows, double unit, Run& run) {
  const auto factor = static_cast<float>(1.0 / unit);
  const auto columns = static_cast<std::size_t>(rows.cols());
  run.for_pieces(static_cast<std::size_t>(rows.rows()), 16, [&](const Piece& piece) {
    for (std::size_t place = piece.begin * columns; place < piece.end * columns; ++place)
      rows.data()[place] = std::log1p(rows.data()[place] * factor);
  });
}

// Columns that many users reach in both networks say little: each is divided by the root of the
// product of its root mean squares in A and B.
void balance_columns(Matrix& a, Matrix& b) {
  const auto mean_squares = [](const Matrix& rows) {
    return (rows.array().square().cast<double>().colwise().sum() / static_cast<double>(rows.rows()))
        .eval();
  };
  const auto factors = ((mean_squares(a) * mean_squares(b)).sqrt() + 1e-6).rsqrt().eval();
  for (Matrix* rows : {&a, &b})
    rows->array().rowwise() *= factors.matrix().array().template cast<float>();
}

Matrix anchor_contexts(const Network& network, Side side, std::span<const SoftAnchor> anchors,
                       const ContextParams& params, std::size_t channels, Run& run) {
  std::vector<UserId> chosen;
  for (const SoftAnchor& anchor : anchors) chosen.push_back(anchor.pair.on(side));
  const auto length = static_cast<Eigen::Index>(chosen.size());
  Matrix rows(network.user_count(), length * static_cast<Eigen::Index>(channels));
  const Adjacency* const steps[] = {&network.both(), &network.out(), &network.in()};
  for (std::size_t channel = 0; channel < channels; ++channel)
    rows.middleCols(static_cast<Eigen::Index>(channel) * length, length) =
        context_of_chosen(*steps[channel], chosen, params, run);
  return rows;
}

// A pair that is only likely counts by the root of its weight on each side; nobody sees its own.
void weigh_columns(Matrix& rows, Side side, std::span<const SoftAnchor> anchors,
                   std::size_t channels) {
  for (std::size_t column = 0; column < anchors.size() * channels; ++column) {
    const SoftAnchor& anchor = anchors[column % anchors.size()];
    const auto place = static_cast<Eigen::Index>(column);
    if (anchor.weight < 1.0F) rows.col(place) *= std::sqrt(anchor.weight);
    rows(anchor.pair.on(side), place) = 0.0F;
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
    const Network& network = networks.on(side);
    Matrix& rows = inputs.rows[side == Side::kA ? 0 : 1];
    rows = by_anchor ? anchor_contexts(network, side, anchors, context, channels, run)
                     : structural_context(network, context, run);
    if (params.scaling == "log") scale_logarithmically(rows, params.log_unit, run);
  }
  if (by_anchor && params.scaling == "log") balance_columns(inputs.rows[0], inputs.rows[1]);
  for (const Side side : {Side::kA, Side::kB}) {
    Matrix& rows = inputs.rows[side == Side::kA ? 0 : 1];
    if (by_anchor) weigh_columns(rows, side, anchors, channels);
    if (params.centring) rows.rowwise() -= rows.colwise().mean().eval();
  }
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
