#pragma once
// What the last fit, as a study file keeps it, says of the study.
#include <string>
#include <vector>

#include "study/labelling_params.h"

namespace dalaup {

// What a kept model says of the study's progress; empty when it cannot be read.
struct KeptProgress {
  std::vector<RoundProgress> rounds = {};
  AuditWords audit = {};
};
KeptProgress kept_progress(const std::string& bytes);

}  // namespace dalaup
