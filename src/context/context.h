#pragma once
// Structural context: whom a restarting random walk from each user tends to visit.
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/base.h"
#include "context/relative_context.h"
#include "networks/networks.h"
#include "numeric/numeric.h"

namespace dalaup {

struct ContextParams {
  double restart_probability = 0.6;  // chance of jumping home at each step (c in the paper)
  int walk_steps = 3;                // steps added up (S in the paper, which gives no value)
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, ContextParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("restart_probability|restart", params.restart_probability, 0.01, 0.99,
        "chance of jumping home at each step of the walk");
  visit("walk_steps|steps", params.walk_steps, 1, 100, "steps of the walk added up");
}

// One row per user: visit probabilities summed over steps 1..walk_steps (eqs. 1 and 2), so every
// row sums to walk_steps. Steps follow the undirected edges in proportion to their weights; a user
// without neighbours stays where it is. Throws ParameterError when a parameter is out of range and
// StateError when the matrix will not fit into memory.
Matrix structural_context(const Network& network, const ContextParams& params, Run& run);
// The same into a matrix that is reused: its memory is kept when it has the right size already.
void structural_context_into(const Network& network, const ContextParams& params, Run& run,
                             Matrix& result);

// The columns of `chosen` users only (anchor-relative context): row u, column k holds how often a
// walk from u visits chosen[k]. Steps follow `steps`: both(), out() or in() of a network; a user
// whose row is empty stays where it is. chosen may repeat users. Written into the columns of
// `result` from `first_column` on; the others are left alone. Throws as above.
void context_of_chosen_into(const Adjacency& steps, std::span<const UserId> chosen,
                            const ContextParams& params, Run& run, Matrix& result,
                            std::size_t first_column);

}  // namespace dalaup
