#pragma once
// Anchor-relative context: each user described by the known anchors a short restarting walk from it
// meets. The anchors are the same people in both networks, so the descriptions are comparable.
#include <span>

#include "labels/labels.h"
#include "methods/propagation/propagation.h"
#include "methods/propagation/sparse.h"
#include "networks/networks.h"

namespace dalaup {

struct ContextEntry {
  std::uint32_t anchor = 0;  // index, shifted by the direction of the edges walked
  float weight = 0.0F;
};

// Rows are unit vectors (or empty); the dot product of a row of `a` with one of `b` is the prior.
struct AnchorContext {
  Rows<ContextEntry> a;
  Rows<ContextEntry> b;
  std::size_t vocabulary = 0;
};

AnchorContext anchor_context(const NetworkPair& networks, std::span<const UserPair> anchors,
                             const PropagationParams& params, Run& run);

}  // namespace dalaup
