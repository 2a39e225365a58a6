#include "methods/aup/inputs.h"

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

}  // namespace

std::array<Matrix, 2> make_inputs(const AupParams& params, const NetworkPair& networks, Run& run) {
  require_room(params, networks);
  const ContextParams context{.restart_probability = params.restart_probability,
                              .walk_steps = params.walk_steps};
  return {structural_context(networks.a, context, run),
          structural_context(networks.b, context, run)};
}

}  // namespace dalaup
