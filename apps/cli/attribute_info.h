#pragma once
// What `info` says of attributes: which fields help, and whether one may start without labels.
#include "cli/command_line.h"
#include "labels/labels.h"

namespace dalaup {

// Prints and adds to the summary; nothing when there are no attributes. Without labels `labels` is
// empty.
void describe_attributes(const NetworkPair& networks, const LabelSet& labels, Session& session);

}  // namespace dalaup
