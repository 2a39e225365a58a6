#pragma once
// From labels to mini-batches: anchors, pairs that the interlock says are none, and answers "no".
#include <vector>

#include "labels/labels.h"
#include "methods/aup/network.h"

namespace dalaup {

struct LabelledPair {
  UserPair pair;
  bool is_anchor;
};

// The pairs of one epoch, each anchor followed by its negatives: in turn its a with a drawn b and
// its b with a drawn a, none of them the anchor itself. Answers "no" of the labels follow at the
// end.
std::vector<LabelledPair> epoch_pairs(const AupParams& params, std::span<const UserPair> anchors,
                                      const LabelSet& labels, int epoch, const Run& run);

// Cuts them into batches of pairs_per_batch in which each distinct user stands once.
std::vector<Batch> make_batches(std::span<const LabelledPair> pairs, std::size_t pairs_per_batch);

}  // namespace dalaup
