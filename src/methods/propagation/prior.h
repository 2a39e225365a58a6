#pragma once
// The prior: candidates of each user of A by anchor-relative context, by learned vectors, or both.
#include <algorithm>
#include <memory>

#include "context/context.h"
#include "methods/propagation/propagation.h"
#include "methods/propagation/sparse.h"

namespace dalaup {

// Contexts as they look without some of the anchors. Each anchor's column is a walk of its own, so
// hiding an anchor is leaving its column out and bringing rows back to their length.
struct ContextView {
  std::shared_ptr<const AnchorContext> context;
  std::vector<std::uint8_t> is_hidden;  // by the entries' anchor
  std::vector<float> scale_a;           // length of the row / length of what is seen; 0: nothing is
  std::vector<float> scale_b;
};

struct PriorRow {
  float mean = 0.0F;  // of the prior over the open users of B that are not among the best
  float mean_square = 0.0F;
};

// Of the users of A that are this rank's own.
struct Prior {
  ContextView view;  // its scale_a carries the weight of the context
  // Vectors whose product, where positive, is added to the context's; null: none.
  std::shared_ptr<const Embeddings> learned;
  BoundedRows<WeightedUser> best;  // the strongest candidates of each open user of A
  std::vector<PriorRow> rows;      // what is known of the others
};

// What the learned vectors add to the prior of a pair.
inline float learned_prior(const Embeddings& learned, UserId a, UserId b) {
  return std::max(0.0F, learned.a.row(a).dot(learned.b.row(b)));
}

// The prior with all anchors known, then one for each set of hidden anchors, in a single pass.
// Users of known anchors are not open: they get no candidates and are none. No anchor is hidden
// twice. `learned` holds vectors for each of these priors, learned without what it hides; it is
// empty when params.prior is "context". Contexts are relative to anchors and pseudo-anchors; users
// of pseudo-anchors are open, and their own column is cut: it would confirm the pair.
std::vector<Prior> make_priors(const NetworkPair& networks, std::span<const UserPair> anchors,
                               std::span<const std::vector<UserPair>> hidden_sets,
                               std::vector<Embeddings> learned, const PropagationParams& params,
                               Run& run, std::span<const UserPair> pseudo_anchors = {});

}  // namespace dalaup
