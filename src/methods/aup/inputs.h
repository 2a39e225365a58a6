#pragma once
// What the network sees of each user: its structural context (eqs. 1 and 2).
#include <array>
#include <vector>

#include "base/base.h"
#include "methods/aup/aup.h"
#include "networks/networks.h"

namespace dalaup {

// Users in the order in which the coordinates of A and of B stand; empty: that of the networks.
using UserOrders = std::array<std::vector<UserId>, 2>;
// As params.order says.
UserOrders draw_orders(const AupParams& params, const NetworkPair& networks, const Run& run);

// One row per user of A and of B. Throws StateError when contexts, parameters and optimiser state
// will not fit into memory.
std::array<Matrix, 2> make_inputs(const AupParams& params, const NetworkPair& networks,
                                  const UserOrders& orders, Run& run);

}  // namespace dalaup
