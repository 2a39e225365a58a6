#pragma once
// Evidence of matched neighbours: a pair gains when neighbours of its two users are matched.
#include "methods/propagation/attribute_rows.h"
#include "methods/propagation/prior.h"
#include "methods/propagation/soft_matching.h"

namespace dalaup {

// Listed pairs of all users together that take next to no time.
inline constexpr std::size_t kCheapPairs = 100'000;

// Neighbours shared with everybody say little: 1 / sqrt(log(2 + degree)).
std::vector<float> neighbour_weights(const Network& network);

// evidence(a, b) = sum over matched (x, y), x next to a, y next to b, of w(x) T(x, y) w(y)
//                  / ((n(a) + damping)^(2 balance) (n(b) + damping)^(2 - 2 balance))
// with n(a)^2 = sum over x next to a of w(x)^2 * (row sum of T at x), n(b) alike.
struct EvidenceNorms {
  std::vector<float> a;  // n(a), of this rank's users
  std::vector<float> b;
};

// Share of A in the norm: high when edges of A are mostly found in B, low the other way round.
// Counted over edges among anchors; `damping` stands for the two counts' uncertainty.
double density_balance(const NetworkPair& networks, std::span<const UserPair> anchors);

struct EvidenceInput {
  const NetworkPair& networks;
  const RowBlocks& blocks_a;  // how users are dealt out to ranks
  const RowBlocks& blocks_b;
  const std::vector<float>& weights_a;  // neighbour_weights
  const std::vector<float>& weights_b;
  const Adjacency& open_neighbours_b;  // B's edges towards open users only
  const std::vector<std::uint8_t>& open_a;
  const std::vector<std::uint8_t>& open_b;
  const Prior& prior;
  const AttributeRows* attributes = nullptr;
  const LabelSet* barred = nullptr;  // its negative pairs are never listed
  double prior_weight = 0.1;
  double damping = 0.7;
  double balance = 0.5;
  // A match with a user of B that has more open neighbours adds to pairs that are listed for
  // another reason but lists none itself: everybody is next to such users, and the work would grow
  // with the square of their degrees.
  std::size_t hub_degree = 2000;
};

EvidenceNorms evidence_norms(const EvidenceInput& input, const Rows<WeightedUser>& matched,
                             Run& run);

// Which of the pairs that neighbours reach an update keeps.
enum class Reach : std::uint8_t {
  kStrong,  // those that may matter in a matching
  kAll,     // as many as the lists hold
};

// Replaces the lists of due users by the best pairs under `matched`: those of the prior and those
// reached by evidence. Weights of cut pairs are taken at `temperature`, that of the next matching.
void update_evidence(PairLists& lists, const EvidenceInput& input,
                     const Rows<WeightedUser>& matched, const EvidenceNorms& norms,
                     const std::vector<std::uint8_t>& is_due, double temperature, Reach reach,
                     Run& run);

// Fills rest_log: pairs neither listed nor reached have only their prior, known by its moments.
void describe_rest(PairLists& lists, const Prior& prior, const AttributeRows* attributes,
                   double temperature);

}  // namespace dalaup
