#pragma once
// Contexts relative to the labelled pairs and to likely pairs of unlabelled users.
#include <array>

#include "context/context.h"
#include "labels/labels.h"
#include "methods/anchor_context/anchor_context.h"

namespace dalaup {

// Every round the contexts so far find likely pairs, which become weaker coordinates of the next.
std::array<Matrix, 2> make_coordinates(const AnchorContextParams& params,
                                       const NetworkPair& networks, const LabelSet& labels,
                                       Run& run);

}  // namespace dalaup
