#pragma once
#include <span>
#include <string>

#include "aligner/aligner.h"

namespace dalaup {

// " Attributes say +3.4: same rare city (+2.1), similar name (+1.3)."; empty when none speaks.
std::string field_words(std::span<const Explanation::FieldPart> fields);

}  // namespace dalaup
