#pragma once
// Lists of a few users from the file of a fitted propagation. Private to the module.
#include <optional>

#include "aligner/aligner.h"
#include "methods/propagation/pair_model.h"
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

// Of a model file, or of a part of one; earlier versions wrote no bound.
template <typename File>
OddsCorrection stored_odds(File& file, const std::string& prefix) {
  OddsCorrection odds{.slope = file.number(prefix + "odds_slope"),
                      .offset = file.number(prefix + "odds_offset")};
  if (file.has(prefix + "odds_most")) odds.most = file.number(prefix + "odds_most");
  return odds;
}

}  // namespace dalaup
