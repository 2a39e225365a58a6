#pragma once
// The alternation of matching and evidence on the lists of a state.
#include "methods/propagation/fit.h"
#include "methods/propagation/round_checkpoint.h"

namespace dalaup {

class Rounds {
 public:
  // `state` has its lists when rounds begin.
  Rounds(const NetworkPair& networks, const NetworkWeights& weights, const LabelSet* barred,
         Propagated& state, Run& run);

  // Up to the last matching, of which nothing weaker than `least` is returned. Goes on from
  // `found`, what an earlier process or another run left, and keeps in `progression` how far it
  // comes. Advances the task by params.iterations.
  Rows<WeightedUser> match(const PropagationParams& params, double least, KeptRounds found,
                           Progression& progression, Task& task);
  // Instead of match, where an earlier process came to its end.
  void skip_to_end(const KeptRounds& found, const PropagationParams& params,
                   const Progression& progression);
  // The last evidence, for everybody, and the plan behind the ranking.
  void conclude(Rows<WeightedUser> matched, const PropagationParams& params);

 private:
  void take(const PropagationParams& params);
  Rows<WeightedUser> matched_now(double temperature, double least, const PropagationParams& params);
  void balance_by(const Rows<WeightedUser>& matched, const PropagationParams& params);
  void keep(const Agenda::State& agenda, const Rows<WeightedUser>& matched, KeptRounds& run) const;
  Rows<WeightedUser> listed_now() const;
  void list(const Rows<WeightedUser>& listed, const Progression& progression);

  Propagated& state_;
  Run& run_;
  RowBlocks blocks_a_;
  RowBlocks blocks_b_;
  Adjacency open_edges_b_;
  EvidenceInput input_;
};

}  // namespace dalaup
