#include "methods/anchor_context/coordinates.h"

#include "methods/anchor_context/soft_anchors.h"

namespace dalaup {

std::array<Matrix, 2> make_coordinates(const AnchorContextParams& params,
                                       const NetworkPair& networks, const LabelSet& labels,
                                       Run& run) {
  constexpr std::size_t kListed = 50;  // candidates that share a user among them
  const RelativeContextParams context{.restart_probability = params.restart_probability,
                                      .walk_steps = params.walk_steps,
                                      .log_unit = params.log_unit};
  std::vector<ContextAnchor> anchors;
  for (const UserPair& pair : labels.anchors()) anchors.push_back({pair});
  std::array<Matrix, 2> rows = relative_contexts(networks, anchors, context, run);
  CandidateFilter filter{open_users(labels, Side::kB), nullptr};
  filter.is_refused = [&](UserId a, UserId b) { return labels.is_negative({a, b}); };
  for (int round = 0; round < params.soft_rounds; ++round) {
    const RankedLists lists =
        best_by_cosine(rows[0], rows[1], unanchored_users(labels, Side::kA), kListed, filter, run);
    const auto soft = soft_anchors(
        lists, labels.user_count(Side::kB),
        {.temperature = params.soft_temperature, .least_weight = params.soft_least_weight});
    anchors.resize(labels.anchors().size());
    anchors.insert(anchors.end(), soft.begin(), soft.end());
    rows = {};  // both generations at once would be the most memory of all
    rows = relative_contexts(networks, anchors, context, run);
  }
  return rows;
}

}  // namespace dalaup
