#pragma once
// What the dense and the sparse form share: one step of the walk, and how much each step counts.
#include <vector>

#include "context/context.h"

namespace dalaup {

// sum over s = 1..S of P_s, with P_0 = I and P_s = (1-c) D P_{s-1} + c I, is a polynomial in D:
// sum over k = 0..S of weight[k] D^k, where weight[k] = (S-k) c (1-c)^k, plus (1-c)^k for k > 0.
// Evaluated from the highest power down (Horner), every product but the last meets a sparse matrix.
std::vector<float> power_weights(double restart_probability, int walk_steps);

// D, the row-normalised matrix of steps, with its columns at hand. An entry of row i is
// share * scale[i]: share is 1 without weights and scale 1 with them. An empty row stands for a
// step home: the entry 1 on the diagonal, which `rows` and `columns` do not hold.
class Walk {
 public:
  // is_symmetric: `steps` is its own transpose, as both() of a network is; it must outlive the
  // walk.
  Walk(const Adjacency& steps, bool is_symmetric);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  UserId user_count() const { return static_cast<UserId>(scale.size()); }
  bool has_weights() const { return !rows.weights.empty(); }
  bool stays_home(UserId user) const { return rows.begins[user] == rows.begins[user + 1]; }

 private:
  Adjacency shares_;      // rows with shares for weights; unused without weights
  Adjacency transposed_;  // unused when the steps are symmetric and have no weights

 public:
  const Adjacency& rows;
  const Adjacency& columns;
  std::vector<float> scale;
};

// Throws ParameterError for a chosen user that does not exist.
void check_chosen(const Adjacency& steps, std::span<const UserId> chosen);

}  // namespace dalaup
