#include "methods/aup/inputs.h"

#include <algorithm>
#include <numeric>

#include "context/context.h"

namespace dalaup {
namespace {

void require_room(const AupParams& params, const NetworkPair& networks) {
  double bytes = 0.0;
  for (const Network* network : {&networks.a, &networks.b}) {
    const auto users = static_cast<double>(network->user_count());
    const double widest =
        params.convolution_layers == 0
            ? 1.0
            : static_cast<double>(params.channels << (params.convolution_layers - 1));
    const double dense = users * widest * params.embedding_dim;
    const double layers = params.reconstruction_weight > 0.0 ? 2.0 : 1.0;
    bytes += 4.0 * (users * users + 3.0 * layers * dense);
  }
  require_memory(
      static_cast<std::uint64_t>(1.2 * bytes), "aup (contexts, parameters and optimiser state)",
      "lower --embedding-dim or --channels, or use --method anchor_context or propagation");
}

void put_in_order(Matrix& rows, std::span<const UserId> order, double factor, Run& run) {
  run.for_pieces(static_cast<std::size_t>(rows.rows()), 64, [&](const Piece& piece) {
    std::vector<float> row(static_cast<std::size_t>(rows.cols()));
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      auto values = rows.row(static_cast<Eigen::Index>(user));
      if (factor != 1.0) values *= static_cast<float>(factor);
      if (order.empty()) continue;
      for (std::size_t place = 0; place < row.size(); ++place)
        row[place] = values[static_cast<Eigen::Index>(order[place])];
      std::ranges::copy(row, values.data());
    }
  });
}

}  // namespace

UserOrders draw_orders(const AupParams& params, const NetworkPair& networks, const Run& run) {
  UserOrders orders;
  if (params.order == "file") return orders;
  for (const Side side : {Side::kA, Side::kB}) {
    auto& order = orders[index_of(side)];
    order.resize(networks.on(side).user_count());
    std::iota(order.begin(), order.end(), UserId{0});
    run.random("aup order of users", index_of(side)).shuffle(std::span(order));
  }
  return orders;
}

std::array<Matrix, 2> make_inputs(const AupParams& params, const NetworkPair& networks,
                                  const UserOrders& orders, Run& run) {
  require_room(params, networks);
  const ContextParams context{.restart_probability = params.restart_probability,
                              .walk_steps = params.walk_steps};
  std::array<Matrix, 2> inputs{structural_context(networks.a, context, run),
                               structural_context(networks.b, context, run)};
  const double factor = params.contexts == "mean" ? 1.0 / params.walk_steps : 1.0;
  for (std::size_t side = 0; side < 2; ++side)
    put_in_order(inputs[side], orders[side], factor, run);
  return inputs;
}

}  // namespace dalaup
