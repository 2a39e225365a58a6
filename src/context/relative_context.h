#pragma once
// Anchor-relative context: each user described by the anchors a short restarting walk from it
// meets. The anchors are the same people in both networks, so the descriptions are comparable.
#include <array>
#include <span>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "numeric/numeric.h"

namespace dalaup {

struct ContextAnchor {
  UserPair pair;
  float weight = 1.0F;  // how sure it is, 0..1
};

struct RelativeContextParams {
  double restart_probability = 0.6;
  int walk_steps = 3;
  double log_unit = 0.001;  // visits are scaled to log(1 + visits / unit): they span decades
  int most_entries = 32;    // strongest anchors kept per user and direction; of the sparse form
};

// One row per user of A and of B, one column per anchor in the given order; directed networks have
// such columns for both, out- and in-going edges. Columns that many users reach in both networks
// say little: each is divided by the root of the product of its root mean squares in A and B. An
// anchor that is only likely counts by the root of its weight on each side. A user's own column is
// 0: it would give the pair away, and users to be found have none. Each network's mean is
// subtracted. Throws ParameterError and StateError as structural_context does.
std::array<Matrix, 2> relative_contexts(const NetworkPair& networks,
                                        std::span<const ContextAnchor> anchors,
                                        const RelativeContextParams& params, Run& run);

struct ContextEntry {
  std::uint32_t anchor = 0;  // index, shifted by the direction of the edges walked
  float weight = 0.0F;
};

// The same for networks of any size: only the strongest entries, neither weighed nor centred,
// users' own included. Walk mass below 1e-4 is dropped, edge weights are not looked at. Rows are
// unit vectors (or empty); the dot product of a row of `a` with one of `b` is their similarity.
// With several ranks each has the rows of its own users of A (RowBlocks), and all of B.
struct AnchorContext {
  Rows<ContextEntry> a;
  Rows<ContextEntry> b;
  std::size_t vocabulary = 0;
};
AnchorContext sparse_relative_contexts(const NetworkPair& networks,
                                       std::span<const UserPair> anchors,
                                       const RelativeContextParams& params, Run& run);

}  // namespace dalaup
