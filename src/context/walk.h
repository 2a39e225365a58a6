#pragma once
// What the dense and the sparse form share: the walk itself, and along which edges it goes.
#include <vector>

#include "context/context.h"

namespace dalaup {

// sum over s = 1..S of P_s, with P_0 = I and P_s = (1-c) D P_{s-1} + c I, is a polynomial in D:
// sum over k = 0..S of weight[k] D^k, where weight[k] = (S-k) c (1-c)^k, plus (1-c)^k for k > 0.
std::vector<float> power_weights(double restart_probability, int walk_steps);

// The walk of every form of contexts: the sum above, evaluated from the highest power down
// (Horner), so that every product but the last meets a sparse matrix. A form keeps X, as it likes:
// begin(weight) makes it weight * I, step(weight) makes it D * X + weight * I, finish(weight) does
// so for the last time.
template <class Form>
void take_walk(Form& form, double restart_probability, int walk_steps) {
  const std::vector<float> weights = power_weights(restart_probability, walk_steps);
  form.begin(weights.back());
  for (std::size_t power = weights.size() - 2; power > 0; --power) form.step(weights[power]);
  form.finish(weights.front());
}

// Anchor-relative walks go along all edges; in two directed networks also along and against the
// arrows.
inline std::size_t direction_count(const NetworkPair& networks) {
  return networks.a.is_directed() && networks.b.is_directed() ? 3 : 1;
}
inline const Adjacency& steps_of(const Network& network, std::size_t direction) {
  return direction == 0 ? network.both() : direction == 1 ? network.out() : network.in();
}

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
