#pragma once
// Entries of sparse rows shared by the files of this module.
#include "networks/networks.h"
#include "numeric/numeric.h"

namespace dalaup {

struct WeightedUser {
  UserId user = kNoUser;
  float weight = 0.0F;
  bool operator==(const WeightedUser&) const = default;
};

// A pair kept with the user of A it belongs to.
struct ListedPair {
  UserId partner = kNoUser;
  float prior = 0.0F;       // of contexts, learned vectors or both, 0..1
  float evidence = 0.0F;    // of matched neighbours, damped and normalised
  float attributes = 0.0F;  // log-likelihood ratio
};

}  // namespace dalaup
