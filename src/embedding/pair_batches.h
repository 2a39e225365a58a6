#pragma once
// From labels to mini-batches: anchors, pairs that the interlock says are none, and answers "no".
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"

namespace dalaup {

struct LabelledPair {
  UserPair pair;
  bool is_anchor;
};

struct EpochOptions {
  int negatives_per_anchor = 2;
  bool resample_negatives = true;  // draw them anew each epoch
  bool shuffle = true;             // a new order of the anchors each epoch
};
// The pairs of one epoch, each anchor followed by its negatives: in turn its a with a drawn b and
// its b with a drawn a, none of them the anchor itself. Answers "no" of the labels stand between
// them, evenly spread and in random order; at most as many as drawn negatives (undersampled, others
// in the next epoch), so that they cannot outweigh the anchors.
std::vector<LabelledPair> epoch_pairs(const EpochOptions& options,
                                      std::span<const UserPair> anchors, const LabelSet& labels,
                                      int epoch, const Run& run);

// A labelled pair, as rows of the batch's distinct users.
struct BatchPair {
  std::uint32_t row_a;
  std::uint32_t row_b;
  bool is_anchor;
};
// What a batch trains on: its pairs, and each distinct user once with the number of its pairs.
struct Batch {
  std::array<std::vector<UserId>, 2> users;
  std::array<std::vector<double>, 2> copies;
  std::vector<BatchPair> pairs;
};
// Cuts pairs into batches of pairs_per_batch.
std::vector<Batch> make_batches(std::span<const LabelledPair> pairs, std::size_t pairs_per_batch);

}  // namespace dalaup
