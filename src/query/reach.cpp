// Our own strategy. A yes is worth the evidence it brings to users that have little, so a pair
// counts its probability times the need of its two neighbourhoods, as if only answered pairs were
// matched. The batch is made as a whole: a chosen question lowers the need of the neighbourhoods it
// will probably serve, so the next question goes elsewhere.
#include <cmath>

#include "query/frontier.h"
#include "query/strategy.h"

namespace dalaup {
namespace {

class SharedNeed : public Discount {
 public:
  explicit SharedNeed(const Scene& scene) : networks_(scene.networks()) {
    for (const Side side : {Side::kA, Side::kB})
      mass_[index_of(side)] = mass_around(networks_.on(side), scene.matched[index_of(side)]);
  }

  void add(const Question& chosen) override {
    serve(chosen.side, chosen.user, chosen.yes_probability());
    for (std::size_t i = 0; i < chosen.candidates.size(); ++i)
      serve(other(chosen.side), chosen.candidates[i], chosen.probabilities[i]);
  }

  double value(const ScoredPair& scored) const override {
    const UserPair pair = scored.candidate.pair;
    return scored.value * std::sqrt(need(Side::kA, pair.a) * need(Side::kB, pair.b));
  }

 private:
  void serve(Side side, UserId user, double probability) {
    for (const UserId neighbour : networks_.on(side).neighbours(user))
      mass_[index_of(side)][neighbour] += probability;
  }
  double need(Side side, UserId user) const {
    double sum = 0.0;
    for (const UserId neighbour : networks_.on(side).neighbours(user))
      sum += 1.0 / (1.0 + mass_[index_of(side)][neighbour]);
    return sum;
  }

  const NetworkPair& networks_;
  std::vector<double> mass_[2];
};

}  // namespace

Strategy reach_strategy() {
  return {"reach", "likely pairs whose yes serves neighbourhoods in need; a diverse batch",
          [](const Scene& scene) {
            Proposal proposal = score_each(
                scene, [](const CandidatePair& candidate) { return candidate.probability; });
            proposal.discount = [&scene] { return std::make_unique<SharedNeed>(scene); };
            // The need of the first question; that of later ones is never higher.
            const auto need = [&](Side side) {
              const Network& network = scene.networks().on(side);
              return need_around(network, mass_around(network, scene.matched[index_of(side)]));
            };
            proposal.unlisted = unlisted_by_bound(
                {need(Side::kA), need(Side::kB), [](double probability, double a, double b) {
                   return probability * std::sqrt(a * b);
                 }});
            return proposal;
          }};
}

}  // namespace dalaup
