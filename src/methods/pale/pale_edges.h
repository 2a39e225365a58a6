#pragma once
// PALE's extended structural information.
#include <compare>
#include <vector>

#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

struct Edge {
  UserId left;
  UserId right;
  auto operator<=>(const Edge&) const = default;
};

// The undirected edges of a side, left < right; with `extend` also those that the other network has
// between the partners of two anchors. Sorted, each once.
std::vector<Edge> extended_edges(const NetworkPair& networks, const LabelSet& labels, Side side,
                                 bool extend);

}  // namespace dalaup
