#pragma once
// What the network sees of each user: its structural context.
#include <array>

#include "base/base.h"
#include "labels/labels.h"
#include "methods/aup/aup.h"
#include "networks/networks.h"

namespace dalaup {

struct AupInputs {
  std::array<Matrix, 2> rows;  // A, B: one row per user, channels one after another
  int channels = 1;
  std::array<std::size_t, 2> lengths() const {
    return {static_cast<std::size_t>(rows[0].cols()) / static_cast<std::size_t>(channels),
            static_cast<std::size_t>(rows[1].cols()) / static_cast<std::size_t>(channels)};
  }
};

// coordinates = users: eqs. 1 and 2. coordinates = anchors: only the columns of the labelled pairs,
// in the same order in both networks, so that a column means the same person; directed networks
// give one channel each for both, out- and in-going edges. A labelled user's own column is set to
// 0: it would give the pair away, and users to be found have none. With soft_rounds the contexts so
// made find likely pairs of unlabelled users, which become weaker coordinates of the next round.
// With centring each network's mean context is subtracted. Throws StateError when contexts,
// parameters and optimiser state will not fit into memory.
AupInputs make_inputs(const AupParams& params, const NetworkPair& networks, const LabelSet& labels,
                      Run& run);

}  // namespace dalaup
