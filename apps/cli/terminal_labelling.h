#pragma once
// The labelling loop in a terminal: single keys, the same questions and evidence as the page.
#include <string>

#include "study/study.h"
#include "web/web.h"

namespace dalaup {

// Returns when the person quits, when nothing is left to ask, or at the end of the input. Keys come
// from standard input, one at a time; without a terminal they are read as they are, uncoloured.
void label_in_terminal(LabellingSession& session, const std::string& annotator,
                       const PageParams& page, const Run& run);

}  // namespace dalaup
