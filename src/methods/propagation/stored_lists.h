#pragma once
// Lists of a few users from the file of a fitted propagation. Private to the module.
#include <optional>

#include "aligner/aligner.h"
#include "methods/propagation/sparse.h"

namespace dalaup {

struct StoredPair {  // of a model file; attributes stand in an entry of their own
  UserId partner;
  float prior;
  float evidence;
};

// Entries by user of B, made of the rows of all users of A: so a row can be answered by itself.
inline constexpr const char* kExpectedEntry = "propagation.expected_b";  // sum of single chances
inline constexpr const char* kTakenEntry = "propagation.taken_b";        // ... when settled
inline constexpr const char* kUnlistedEntry = "propagation.unlisted_b";  // score beyond the floor

}  // namespace dalaup
