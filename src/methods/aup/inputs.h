#pragma once
// What the network sees of each user: its structural context (eqs. 1 and 2).
#include <array>

#include "base/base.h"
#include "methods/aup/aup.h"
#include "networks/networks.h"

namespace dalaup {

// One row per user of A and of B. Throws StateError when contexts, parameters and optimiser state
// will not fit into memory.
std::array<Matrix, 2> make_inputs(const AupParams& params, const NetworkPair& networks, Run& run);

}  // namespace dalaup
