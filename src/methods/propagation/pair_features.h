#pragma once
// What the probability model sees of a listed pair, beside the other pairs of its two users.
#include <array>

#include "methods/propagation/column_ranks.h"
#include "methods/propagation/fit.h"

namespace dalaup {

inline constexpr std::size_t kPairFeatures = 21;
inline constexpr std::size_t kDegreeFeatures = 2;      // the last of the pair's
inline constexpr std::size_t kAttributeFeatures = 2;   // before these
inline constexpr std::size_t kColumnScaleFeature = 3;  // log of the plan's scale of the user of B
inline constexpr std::size_t kPlanShareFeature = 13;   // log of the pair's share of its row's plan
inline constexpr std::size_t kUserFeatures = 5;        // of the alternative "none of the listed"
using PairFeatures = std::array<float, kPairFeatures>;
using UserFeatures = std::array<float, kUserFeatures>;

// How sociable a user and its neighbours are beside all others of the network, so that networks of
// different densities compare.
struct Sociability {
  float rank = 0.0F;        // share of users of lower degree
  float neighbours = 0.0F;  // mean logarithm of their degrees, in standard deviations
};
std::vector<Sociability> sociability(const Network& network, Run& run);

class FeatureMaker {
 public:
  FeatureMaker(const NetworkPair& networks, const NetworkWeights& weights, const Propagated& state,
               Run& run);
  // One entry per listed pair of the user of A, who must be one of this rank's. Thread-safe.
  void describe(UserId user, std::vector<PairFeatures>& pairs, UserFeatures& none) const;

 private:
  struct Column {  // of a user of B
    ColumnBest rivals;
    double log_scale = 0.0;  // logarithm of the plan's column scale
    double log_degree = 0.0;
    double log_norm = 0.0;
    double norm_power = 0.0;  // the user's part of the norm of evidence
  };
  std::vector<float> directed_evidence(const Adjacency& edges_a, const Adjacency& edges_b,
                                       const Adjacency& reverse_b, const NetworkWeights& weights,
                                       Run& run) const;

  const NetworkPair& networks_;
  const Propagated& state_;
  std::vector<Sociability> sociability_a_;
  std::vector<Sociability> sociability_b_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> column_ranks_;  // beside the listed pairs
  std::vector<double> log_ranks_;            // log(1 + rank)
  std::vector<float> out_evidence_;          // beside the listed pairs; empty when undirected
  std::vector<float> in_evidence_;
};

}  // namespace dalaup
