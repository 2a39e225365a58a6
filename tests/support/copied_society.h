#pragma once
// Two noisy copies of one random society, with its truth.
#include <vector>

#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

struct CopiedSociety {
  NetworkPair networks;
  std::vector<UserPair> truth;
};

// `people` users, about `degree` friends each, every friendship kept in each copy with chance
// `kept`. B is numbered backwards, so that equal ids say nothing.
inline CopiedSociety copied_society(UserId people, double degree, double kept, std::uint64_t seed) {
  Random random(seed);
  NetworkBuilder a;
  NetworkBuilder b;
  for (UserId person = 0; person < people; ++person) {
    a.add_user("a" + std::to_string(person));
    b.add_user("b" + std::to_string(people - 1 - person));
  }
  CopiedSociety society;
  for (UserId one = 0; one < people; ++one) {
    society.truth.push_back({one, people - 1 - one});
    for (UserId two = one + 1; two < people; ++two) {
      if (!random.chance(degree / people)) continue;
      if (random.chance(kept)) a.add_edge(one, two);
      if (random.chance(kept)) b.add_edge(people - 1 - one, people - 1 - two);
    }
  }
  society.networks.a = a.build(false);
  society.networks.b = b.build(false);
  return society;
}

}  // namespace dalaup
