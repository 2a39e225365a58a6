#pragma once
// The bandit that chooses a query strategy each round (section 3.3 of the paper). It knows arms and
// rewards, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/base.h"

namespace dalaup {

struct Arm {
  std::string name;
  std::int64_t times_chosen = 0;  // n in the paper
  double mean_reward = 0.0;       // Q in the paper
  bool operator==(const Arm&) const = default;
};

class Bandit {
 public:
  Bandit() = default;
  // Throws ParameterError without arms or when a name comes twice.
  explicit Bandit(const std::vector<std::string>& arms);

  struct Choice {
    std::size_t arm = 0;
    double exploration_probability = 0.0;  // drawn from Beta(0.1, round)
    bool explored = false;
  };
  // With the drawn probability any arm, else the one of the highest mean reward; ties are broken at
  // random. Rounds count from 1. The state does not change. With tries_each an arm that was never
  // chosen comes before any other: the paper's bandit can stay for good with the first arm that
  // pays.
  Choice choose(std::int64_t round, Random random, bool tries_each = false) const;
  // Eq. 15: the mean reward of the arm now includes this reward.
  void reward(std::size_t arm, double reward);

  const std::vector<Arm>& arms() const { return arms_; }
  std::string to_json() const;
  static Bandit from_json(const std::string& text);  // throws InputError
  bool operator==(const Bandit&) const = default;

 private:
  std::vector<Arm> arms_;
};

}  // namespace dalaup
