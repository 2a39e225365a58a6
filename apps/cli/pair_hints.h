#pragma once
// What one should know of two networks before aligning them, in sentences.
#include <string>
#include <vector>

#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

// Networks must have been read with direction.
std::vector<std::string> direction_hints(const NetworkPair& networks);
// Equal names, equal networks, one inside the other. `labels` may be null.
std::vector<std::string> likeness_hints(const NetworkPair& networks, const LabelSet* labels);
// A part of the labels is hidden and looked for with the default method. Nothing for few labels and
// for networks that are large.
std::vector<std::string> expected_accuracy(const NetworkPair& networks, const LabelSet& labels,
                                           Run& run);
// The same edges without direction.
Network undirected(const Network& network);

}  // namespace dalaup
