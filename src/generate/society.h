#pragma once
// The hidden society: people, and ties between them as sorted keys (lower person << 32 | higher).
#include <cstdint>
#include <functional>
#include <vector>

#include "base/base.h"
#include "generate/generate.h"

namespace dalaup {

using Person = std::uint32_t;
using Tie = std::uint64_t;
constexpr Tie tie_of(Person left, Person right) {
  return left < right ? (Tie{left} << 32) | right : (Tie{right} << 32) | left;
}
constexpr Person lower_of(Tie tie) { return static_cast<Person>(tie >> 32); }
constexpr Person higher_of(Tie tie) { return static_cast<Person>(tie); }

// Whether enough ties have been drawn, told from all of them.
struct TieGoal {
  std::uint64_t first_guess = 0;
  // How many more ties would be needed; 0 when done.
  std::function<std::uint64_t(const std::vector<Tie>&)> missing;
};

// Draws ties until the goal is met. Throws ParameterError when the people cannot hold that many.
std::vector<Tie> draw_society(Person people, const TieGoal& goal, const GeneratorParams& params,
                              Run& run);

}  // namespace dalaup
