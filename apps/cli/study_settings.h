#pragma once
// What new, label and export share: the settings a study keeps and the method they name.
#include <string>

#include "aligner/aligner.h"
#include "study/study.h"
#include "web/web.h"

namespace dalaup {

AlignerFactory method_of(const Settings& settings);
// What the page says besides: the settings of the study, then what was given now.
PageParams page_params_of(const Settings& study, const Settings& given);
// The text of a file of guidelines; throws InputError when there is too much of it.
std::string read_guidelines(const std::string& path);
// A text setting; empty when there is none.
std::string text_setting(const Settings& settings, const std::string& name);
LabellingParams labelling_params_of(const Settings& settings);
// The seed the study was started with.
std::uint64_t seed_of(const Settings& settings);

// Lines about contradictions, at most `most`, as people read them.
std::string conflicts_in_words(const ImportReport& report, const NetworkPair& networks,
                               std::size_t most = 20);

}  // namespace dalaup
