#pragma once
// Structural context: whom a restarting random walk from each user tends to visit.
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/base.h"
#include "networks/networks.h"

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
// whose row is empty stays where it is. chosen may repeat users. Throws as above.
Matrix context_of_chosen(const Adjacency& steps, std::span<const UserId> chosen,
                         const ContextParams& params, Run& run);
// The same into the columns of `result` from `first_column` on; the others are left alone.
void context_of_chosen_into(const Adjacency& steps, std::span<const UserId> chosen,
                            const ContextParams& params, Run& run, Matrix& result,
                            std::size_t first_column);

// Rows of (column, value), columns rising.
struct SparseRows {
  std::vector<std::uint64_t> begins{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  std::size_t row_count() const { return begins.size() - 1; }
  std::span<const std::uint32_t> columns_of(std::size_t row) const {
    return std::span(columns).subspan(begins[row], begins[row + 1] - begins[row]);
  }
  std::span<const float> values_of(std::size_t row) const {
    return std::span(values).subspan(begins[row], begins[row + 1] - begins[row]);
  }
};

struct SparseContextParams {
  double restart_probability = 0.6;
  int walk_steps = 3;
  double smallest_mass = 1e-4;  // entries below it are dropped after each step
  int most_entries = 0;         // kept a row, the largest ones; 0 keeps all
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, SparseContextParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("restart_probability|restart", params.restart_probability, 0.01, 0.99,
        "chance of jumping home at each step of the walk");
  visit("walk_steps|steps", params.walk_steps, 1, 100, "steps of the walk added up");
  visit("smallest_mass", params.smallest_mass, 0.0, 1.0, "walk mass below it is dropped");
  visit("most_entries", params.most_entries, 0, 1'000'000'000, "entries kept a user; 0 keeps all");
}

// context_of_chosen for networks whose dense contexts would not fit: the same numbers, less what
// was dropped. With smallest_mass 0 and most_entries 0 nothing is lost.
SparseRows sparse_context_of_chosen(const Adjacency& steps, std::span<const UserId> chosen,
                                    const SparseContextParams& params, Run& run);

}  // namespace dalaup
