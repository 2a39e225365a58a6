#pragma once
// One run of the propagation: from anchors to listed pairs, without probabilities.
#include "methods/propagation/neighbour_evidence.h"
#include "methods/propagation/round_checkpoint.h"

namespace dalaup {

// What does not depend on the labels; shared by all runs on a pair of networks.
struct NetworkWeights {
  std::vector<float> a;
  std::vector<float> b;
};

// What is known besides anchors and refused pairs.
struct SideInformation {
  std::shared_ptr<const AttributeEvidence> attributes;  // null: none that help
  std::vector<UserId> without_partner[2];               // users of A, of B
};

// With several ranks each has the prior, the lists and all else that is kept by user of A of its
// own users only (RowBlocks); what is kept by user of B, and who is matched, all of them have.
struct Propagated {
  std::vector<UserPair> anchors;
  std::vector<std::uint8_t> open_a;  // no known partner
  std::vector<std::uint8_t> open_b;
  Prior prior;                                      // while rounds run
  std::shared_ptr<const AttributeRows> attributes;  // null: none that help
  double balance = 0.5;                             // of the densities in the norm of the evidence
  double damping = 0.7;
  Rows<WeightedUser> matched;  // behind the evidence of `lists`
  EvidenceNorms norms;
  PairLists lists;
  TransportPlan plan;  // on `lists`, at the ranking temperature
};

// How weak a match may be and still give evidence, and how strongly evidence is damped. Where most
// users have one clear match, weak ones are noise; where hardly anybody has, many of them together
// say more. A consensus runs with each of its members and takes its last evidence from the mean of
// their matchings: what only one of them believes counts little.
struct MatchSettings {
  double least_match = 0.1;
  double evidence_damping = 0.7;
};
// What the params say, and the usual values where they leave it open.
MatchSettings usual_settings(const PropagationParams& params);
// The usual settings, and others where the params leave them open; a single one: nothing is open.
std::vector<MatchSettings> consensus_members(const PropagationParams& params);

// `prior` is the one with just these anchors and pseudo-anchors known. A consensus only
// if the params say "yes". Advances the task by params.iterations for each member. Goes on from
// where `progression` is, and keeps there how far it comes. Pseudo-anchors count as anchors while
// rounds run; then their users are open like others. `near`, when given, is the last matching of a
// run that knew nearly the same anchors: a run that is no consensus then leaves out the rounds that
// would find it again.
Propagated propagate(const NetworkPair& networks, const NetworkWeights& weights,
                     std::span<const UserPair> anchors, Prior prior, const LabelSet* barred,
                     const PropagationParams& params, Task& task, Run& run,
                     const SideInformation& side = {}, Progression progression = {},
                     std::span<const UserPair> pseudo_anchors = {},
                     const Rows<WeightedUser>* near = nullptr);

}  // namespace dalaup
