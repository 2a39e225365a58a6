#include <unordered_set>

#include "query/strategy.h"

namespace dalaup {
namespace {

// Pairs drawn evenly from the whole pool, not from the likely ones.
Proposal random_pairs(const Scene& scene) {
  const Aligner& aligner = scene.situation.aligner;  // clang 14 captures no structured bindings
  const LabelSet& labels = scene.situation.labels;
  const Pool& pool = scene.situation.pool;
  const std::vector<UserId> users_a = pool.users(Side::kA, labels);
  const std::vector<UserId> users_b = pool.users(Side::kB, labels);
  Random random = scene.run.random("query random", scene.situation.round);
  Proposal proposal;
  if (users_a.empty() || users_b.empty()) return proposal;
  const auto add = [&](UserPair pair) {
    proposal.pairs.push_back(
        {{pair, 0.0F, clamp_probability(aligner.probability(pair))}, random.uniform()});
  };
  const std::size_t wanted = 4 * scene.batch_size + 16;  // some will share a user
  if (std::uint64_t{users_a.size()} * users_b.size() <= 16 * wanted) {
    for (const UserId a : users_a)
      for (const UserId b : users_b)
        if (pool.may_ask({a, b}, labels)) add({a, b});
    return proposal;
  }
  std::unordered_set<std::uint64_t> drawn;
  for (std::size_t attempt = 0; attempt < 4 * wanted && drawn.size() < wanted; ++attempt) {
    const UserPair pair{users_a[random.below(users_a.size())],
                        users_b[random.below(users_b.size())]};
    if (pool.may_ask(pair, labels) && drawn.insert(key_of(pair)).second) add(pair);
  }
  return proposal;
}

// Users drawn evenly; each is shown with its best candidates.
Proposal random_users(const Scene& scene) {
  const std::uint64_t round = scene.situation.round;
  return score_each(scene, [&](const CandidatePair& candidate) {
    Random random(scene.run.seed() + round, "query random user", candidate.pair.a);
    return random.uniform();
  });
}

}  // namespace

Strategy random_strategy() {
  return {"random", "pairs drawn evenly from all that may be asked", [](const Scene& scene) {
            return scene.picks() ? random_users(scene) : random_pairs(scene);
          }};
}

}  // namespace dalaup
