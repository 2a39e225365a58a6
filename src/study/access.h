#pragma once
// How a study file is opened.
#include <cstdint>

#include "base/base.h"

namespace dalaup {

// Another process labels the study.
class StudyInUse : public InputError {
 public:
  using InputError::InputError;
};

enum class Access : std::uint8_t {
  kCreate,  // the file must not exist
  kLabel,   // reads and writes; one process at a time
  kRead,    // only reads; works while another process labels
  kPeople,  // reads, and writes who may answer; works while another process labels
};

}  // namespace dalaup
