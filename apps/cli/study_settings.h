#pragma once
// What new, label and export share: the settings a study keeps and the method they name.
#include <string>

#include "aligner/aligner.h"
#include "study/study.h"

namespace dalaup {

AlignerFactory method_of(const Settings& settings);
LabellingParams labelling_params_of(const Settings& settings);
// The seed the study was started with.
std::uint64_t seed_of(const Settings& settings);

// Lines about contradictions, at most `most`, as people read them.
std::string conflicts_in_words(const ImportReport& report, const NetworkPair& networks,
                               std::size_t most = 20);

}  // namespace dalaup
