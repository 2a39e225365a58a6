#include "methods/propagation/neighbour_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "methods/propagation/accumulator.h"

namespace dalaup {
namespace {

constexpr std::size_t kEvidencePerPiece = 32;
constexpr double kCutShare = 0.01;             // of a row's mass that a round may leave out
constexpr std::size_t kFewestPairs = 8;        // not worth shortening
constexpr std::size_t kShortRow = 16;          // every row may keep so many
constexpr std::size_t kAdditionsPerPair = 96;  // of evidence, that take as long as a listed pair
constexpr std::size_t kCachedUsers = 50'000;   // up to here fetching in advance gains nothing
constexpr float kWindow = 5.0F;       // temperatures below the best beyond which no pair is listed
constexpr float kNegligible = 12.0F;  // ... beyond which the mass of all pairs is nothing
constexpr float kWeakening = 0.85F;   // evidence the weakest listed pair may lose in a round

// Of the users of this rank.
std::vector<float> norms_of(const Network& network, RowRange own, std::span<const float> weights,
                            std::span<const float> matched_mass, Run& run) {
  std::vector<float> norms(network.user_count());
  for_rows(run, own, 1024, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      double sum = 0.0;
      for (const UserId neighbour : network.neighbours(static_cast<UserId>(user)))
        sum += double{weights[neighbour]} * weights[neighbour] * matched_mass[neighbour];
      norms[user] = static_cast<float>(std::sqrt(sum));
    }
  });
  return norms;
}

bool is_edge(const Network& network, UserId from, UserId to) {
  return std::ranges::binary_search(network.neighbours(from), to);
}

// Four sums instead of one, so that additions need not wait for each other.
float product(std::span<const ContextEntry> sparse, const float* dense) {
  std::array<float, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= sparse.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += dense[sparse[i + lane].anchor] * sparse[i + lane].weight;
  for (; i < sparse.size(); ++i) sums[0] += dense[sparse[i].anchor] * sparse[i].weight;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Scratch of one worker.
struct RowWork {
  Accumulator sums;                // raw, then normalised evidence
  std::vector<float> context;      // the user's context, spread out
  std::vector<float> known_prior;  // -1: not known
  std::vector<float> known_ratio;  // of the user's attribute candidates; 0: none
  std::vector<ListedPair> found;
  std::vector<UserId> touched;     // sums set by hand
  std::vector<WeightedUser> hubs;  // matches of the user's neighbours with hubs of B
};

// The most pairs a row keeps in a round: so many that the lists take a small part of the time that
// evidence takes, and more in networks so small that they take no time.
std::size_t most_pairs(const PairLists& lists, const EvidenceInput& input,
                       const Rows<WeightedUser>& matched) {
  std::size_t additions = 0;
  for (std::size_t user = 0; user < matched.size(); ++user)
    for (const WeightedUser& match : matched.of(user))
      additions += input.networks.a.degree(static_cast<UserId>(user)) *
                   std::min(input.hub_degree, input.open_neighbours_b.of(match.user).size());
  const auto rows = static_cast<std::size_t>(std::ranges::count(input.open_a, 1));
  return std::clamp(
      std::max(kCheapPairs, additions / kAdditionsPerPair) / std::max<std::size_t>(1, rows),
      std::min(kShortRow, lists.limit()), lists.limit());
}

class RowUpdate {
 public:
  // Rows go to `updated`, which may be those of the lists.
  RowUpdate(PairLists& lists, BoundedRows<ListedPair>& updated, std::size_t capacity,
            const EvidenceInput& input, const Rows<WeightedUser>& matched,
            std::span<const float> factor_a, std::span<const float> factor_b, double temperature,
            Reach reach)
      : lists_(lists),
        updated_(updated),
        input_(input),
        matched_(matched),
        factor_a_(factor_a),
        factor_b_(factor_b),
        temperature_(static_cast<float>(temperature)),
        reach_(reach),
        capacity_(capacity) {}

  void operator()(UserId user, RowWork& work) const {
    scatter(user, work);
    work.sums.collect_lines();
    const float highest = work.sums.scale(factor_b_.data());
    const auto prior_best = input_.prior.best.of(user);
    const auto prior_weight = static_cast<float>(input_.prior_weight);
    const float prior_reach = prior_best.empty() ? 0.0F : prior_weight * prior_best.front().weight;
    const float window =
        reach_ == Reach::kAll
            ? 0.0F
            : std::max(0.0F,
                       highest - (kWindow + attribute_reach(user)) * temperature_ - prior_reach);
    double cut =
        work.sums.mass(highest, temperature_, std::max(0.0F, highest - kNegligible * temperature_));
    if (reach_ == Reach::kAll)
      take_most(capacity_, highest, 0.0F, work);
    else
      take_heaviest(capacity_, highest, window, (1.0 - cut_share(user)) * cut, lists_.weakest[user],
                    work);
    for (const ListedPair& pair : work.found)
      cut -= fast_exp((pair.evidence - highest) / temperature_);
    add_prior(user, work, highest, cut);
    work.sums.clear();
    add_hubs(work);
    add_attributes(user, work);
    if (input_.barred != nullptr)
      std::erase_if(work.found, [&](const ListedPair& pair) {
        return input_.barred->is_negative({user, pair.partner});
      });

    const auto score = [&](const ListedPair& pair) { return score_of(pair); };
    float best = 0.0F;
    for (const ListedPair& pair : work.found) best = std::max(best, score(pair));
    cut = std::max(0.0, cut) *
          std::exp((highest + prior_weight * input_.prior.rows[user].mean - best) / temperature_ +
                   log_rest(user));
    if (reach_ == Reach::kStrong && work.found.size() > kFewestPairs)
      cut += cut_light_pairs(best, cut, work);
    if (work.found.size() > capacity_) {
      const auto middle = work.found.begin() + static_cast<std::ptrdiff_t>(capacity_);
      std::ranges::nth_element(work.found, middle,
                               [&](const ListedPair& left, const ListedPair& right) {
                                 const float left_score = score(left);
                                 const float right_score = score(right);
                                 return left_score != right_score ? left_score > right_score
                                                                  : left.partner < right.partner;
                               });
      for (auto pair = middle; pair != work.found.end(); ++pair)
        cut += fast_exp((score(*pair) - best) / temperature_);
      work.found.resize(capacity_);
    }
    updated_.assign(user, work.found);
    lists_.cut_mass[user] = static_cast<float>(cut);
    work.found.clear();
  }

 private:
  // Evidence of every pair reached, before the share of b in its norm.
  void scatter(UserId user, RowWork& work) const {
    const auto neighbours = input_.networks.a.neighbours(user);
    if (matched_.size() > kCachedUsers) fetch_partners(neighbours);
    std::size_t additions = 0;
    for (const UserId neighbour : neighbours)
      for (const WeightedUser& match : matched_.of(neighbour)) {
        const std::size_t partners = input_.open_neighbours_b.of(match.user).size();
        if (partners <= input_.hub_degree) additions += partners;
      }
    work.sums.expect(additions);
    for (const UserId neighbour : neighbours) {
      const float weight = input_.weights_a[neighbour] * factor_a_[user];
      for (const WeightedUser& match : matched_.of(neighbour)) {
        const float amount = weight * match.weight * input_.weights_b[match.user];
        const auto partners = input_.open_neighbours_b.of(match.user);
        if (partners.size() > input_.hub_degree)
          work.hubs.push_back({match.user, amount});
        else
          work.sums.add(partners, amount);
      }
    }
  }

  // Neighbour, match and partners lie anywhere in memory: all are asked for at once, step by step,
  // instead of one after another.
  void fetch_partners(std::span<const UserId> neighbours) const {
    for (const UserId neighbour : neighbours) __builtin_prefetch(&matched_.begins[neighbour]);
    for (const UserId neighbour : neighbours)
      for (const WeightedUser& match : matched_.of(neighbour))
        __builtin_prefetch(&input_.open_neighbours_b.begins[match.user]);
    for (const UserId neighbour : neighbours)
      for (const WeightedUser& match : matched_.of(neighbour))
        __builtin_prefetch(input_.open_neighbours_b.of(match.user).data());
  }

  void add_hubs(RowWork& work) const {
    if (work.hubs.empty()) return;
    for (ListedPair& pair : work.found)
      for (const WeightedUser& hub : work.hubs)
        if (is_edge(input_.networks.b, pair.partner, hub.user))
          pair.evidence += hub.weight * factor_b_[pair.partner];
    work.hubs.clear();
  }

  void take_above(float threshold, RowWork& work) const {
    work.found.clear();
    work.sums.for_values_above(threshold, [&](UserId partner, float evidence) {
      work.found.push_back({partner, 0.0F, evidence});
    });
  }

  // Among the values above `least`.
  float value_near_rank(std::size_t rank, float highest, float least, const RowWork& work) const {
    if (highest <= 0.0F) return 0.0F;
    RankHistogram histogram(highest);
    work.sums.for_lines_above(least, [&](std::size_t, const float* values) {
      for (std::size_t i = 0; i < Accumulator::kLine; i += 4)
        histogram.add(std::span<const float, 4>(values + i, 4));
    });
    return histogram.value_near(rank);
  }

  // Finds the pairs with most evidence, `count` of them if so many exceed `least`.
  void take_most(std::size_t count, float highest, float least, RowWork& work) const {
    take_above(std::max(least, value_near_rank(count, highest, least, work)), work);
    if (work.found.size() <= count) return;
    const auto end = work.found.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::nth_element(work.found, end, [](const ListedPair& left, const ListedPair& right) {
      return left.evidence != right.evidence ? left.evidence > right.evidence
                                             : left.partner < right.partner;
    });
    work.found.resize(count);
  }

  // Finds the pairs that hold the mass `wanted` of the row: few where the row is
  // decided, up to `most` where it is open, none below `least`.
  void take_heaviest(std::size_t most, float highest, float least, double wanted, float& weakest,
                     RowWork& work) const {
    // Rows change little between rounds: what was too weak by far last time is not looked at.
    const float guess = std::max(least, kWeakening * weakest);
    if (guess > 0.0F) take_above(guess, work);
    const bool is_enough = guess > 0.0F && (guess == least || work.found.size() >= most ||
                                            mass_of(highest, work) >= wanted);
    if (!is_enough) take_most(most, highest, least, work);
    weakest = 0.0F;
    if (work.found.size() <= kFewestPairs) return;
    MassHistogram histogram(highest, temperature_);
    for (const ListedPair& pair : work.found) histogram.add(pair.evidence);
    weakest = std::max(0.0F, histogram.value_above(wanted, most));
    std::erase_if(work.found, [&](const ListedPair& pair) { return pair.evidence <= weakest; });
  }

  double mass_of(float highest, const RowWork& work) const {
    double mass = 0.0;
    for (const ListedPair& pair : work.found)
      mass += fast_exp((pair.evidence - highest) / temperature_);
    return mass;
  }

  // Drops the weakest pairs as long as what was cut stays a small share of the row's mass; returns
  // the mass of the dropped.
  double cut_light_pairs(float best, double cut, RowWork& work) const {
    MassHistogram histogram(best, temperature_);
    double mass = cut;
    for (const ListedPair& pair : work.found) {
      const float score = score_of(pair);
      histogram.add(score);
      mass += fast_exp((score - best) / temperature_);
    }
    const float least = histogram.value_above((1.0 - kCutShare) * mass, work.found.size());
    double dropped = 0.0;
    std::erase_if(work.found, [&](const ListedPair& pair) {
      const float score = score_of(pair);
      if (score > least) return false;
      dropped += fast_exp((score - best) / temperature_);
      return true;
    });
    return dropped;
  }

  float score_of(const ListedPair& pair) const {
    return static_cast<float>(input_.prior_weight) * pair.prior + pair.evidence +
           temperature_ * pair.attributes;
  }

  // Temperatures by which attributes may lift a pair that is listed for its evidence only.
  float attribute_reach(UserId user) const {
    return input_.attributes == nullptr ? 0.0F : std::max(0.0F, -log_rest(user));
  }
  // Of the mass of evidence: what attributes may lift is kept.
  double cut_share(UserId user) const { return kCutShare * std::exp(-attribute_reach(user)); }
  float log_rest(UserId user) const {
    return input_.attributes == nullptr ? 0.0F : input_.attributes->log_rest(user);
  }

  void add_attributes(UserId user, RowWork& work) const {
    if (input_.attributes == nullptr) return;
    const auto candidates = input_.attributes->candidates(user);
    for (const WeightedUser& candidate : candidates)
      work.known_ratio[candidate.user] = candidate.weight;
    for (ListedPair& pair : work.found) {
      const float known = work.known_ratio[pair.partner];
      pair.attributes = known > 0.0F ? known : input_.attributes->ratio({user, pair.partner});
    }
    for (const WeightedUser& candidate : candidates) work.known_ratio[candidate.user] = 0.0F;
  }

  // Fills in the prior of found pairs and adds the candidates of prior and attributes.
  void add_prior(UserId user, RowWork& work, float highest, double& cut) const {
    const ContextView& view = input_.prior.view;
    const Rows<ContextEntry>& contexts_a = view.context->a;
    const Rows<ContextEntry>& contexts_b = view.context->b;
    for (const WeightedUser& candidate : input_.prior.best.of(user))
      work.known_prior[candidate.user] = candidate.weight;
    for (const ListedPair& pair : lists_.pairs.of(user))
      work.known_prior[pair.partner] = pair.prior;
    for (const ListedPair& pair : work.found) work.sums[pair.partner] = -1.0F;  // taken
    const auto take = [&](UserId candidate) {
      const float evidence = work.sums[candidate];
      if (evidence < 0.0F || !input_.open_b[candidate]) return;
      if (evidence > 0.0F) cut -= fast_exp((evidence - highest) / temperature_);
      work.found.push_back({candidate, 0.0F, evidence});
      work.sums[candidate] = -1.0F;
      work.touched.push_back(candidate);
    };
    for (const WeightedUser& candidate : input_.prior.best.of(user)) take(candidate.user);
    if (input_.attributes != nullptr)
      for (const WeightedUser& candidate : input_.attributes->candidates(user))
        take(candidate.user);
    bool is_spread = false;
    for (ListedPair& pair : work.found) {
      pair.prior = work.known_prior[pair.partner];
      if (pair.prior >= 0.0F) continue;
      if (!is_spread)
        for (const ContextEntry& entry : contexts_a.of(user))
          if (!view.is_hidden[entry.anchor])
            work.context[entry.anchor] = entry.weight * view.scale_a[user];
      is_spread = true;
      pair.prior =
          product(contexts_b.of(pair.partner), work.context.data()) * view.scale_b[pair.partner];
      if (input_.prior.learned != nullptr)
        pair.prior += learned_prior(*input_.prior.learned, user, pair.partner);
    }
    if (is_spread)
      for (const ContextEntry& entry : contexts_a.of(user)) work.context[entry.anchor] = 0.0F;
    for (const ListedPair& pair : lists_.pairs.of(user)) work.known_prior[pair.partner] = -1.0F;
    for (const WeightedUser& candidate : input_.prior.best.of(user))
      work.known_prior[candidate.user] = -1.0F;
    // Candidates without evidence stand outside the lines that clear() visits.
    for (const UserId candidate : work.touched) work.sums[candidate] = 0.0F;
    work.touched.clear();
  }

  PairLists& lists_;
  BoundedRows<ListedPair>& updated_;
  const EvidenceInput& input_;
  const Rows<WeightedUser>& matched_;
  std::span<const float> factor_a_;
  std::span<const float> factor_b_;
  float temperature_;
  Reach reach_;
  std::size_t capacity_;
};

// The room that rows need which may have so many pairs; what is there if it does and not more than
// half of it would be left over.
std::size_t room_for(std::size_t pairs, const PairLists& lists, bool is_everybody_due) {
  constexpr std::size_t kStep = 8;
  const std::size_t room = lists.pairs.capacity();
  if (pairs > room || (lists.most_pairs > 0 && is_everybody_due && 2 * pairs < room))
    return std::min((pairs + kStep - 1) / kStep * kStep, lists.limit());
  return room;
}

}  // namespace

std::vector<float> neighbour_weights(const Network& network) {
  std::vector<float> weights(network.user_count());
  for (UserId user = 0; user < network.user_count(); ++user)
    weights[user] = static_cast<float>(1.0 / std::sqrt(std::log(2.0 + network.degree(user))));
  return weights;
}

double density_balance(const NetworkPair& networks, std::span<const UserPair> anchors) {
  std::vector<UserId> partner_of_a(networks.a.user_count(), kNoUser);
  std::vector<UserId> partner_of_b(networks.b.user_count(), kNoUser);
  for (const UserPair& anchor : anchors) {
    partner_of_a[anchor.a] = anchor.b;
    partner_of_b[anchor.b] = anchor.a;
  }
  double in_a = 0.0;
  double in_b = 0.0;
  double in_both = 0.0;
  for (const UserPair& anchor : anchors) {
    for (const UserId neighbour : networks.a.neighbours(anchor.a)) {
      if (partner_of_a[neighbour] == kNoUser) continue;
      in_a += 0.5;
      if (is_edge(networks.b, anchor.b, partner_of_a[neighbour])) in_both += 0.5;
    }
    for (const UserId neighbour : networks.b.neighbours(anchor.b))
      if (partner_of_b[neighbour] != kNoUser) in_b += 0.5;
  }
  const double found_in_a = (in_both + 1.0) / (in_b + 2.0);
  const double found_in_b = (in_both + 1.0) / (in_a + 2.0);
  return found_in_b / (found_in_a + found_in_b);
}

EvidenceNorms evidence_norms(const EvidenceInput& input, const Rows<WeightedUser>& matched,
                             Run& run) {
  std::vector<float> mass_a(input.networks.a.user_count(), 0.0F);
  std::vector<float> mass_b(input.networks.b.user_count(), 0.0F);
  for (std::size_t user = 0; user < matched.size(); ++user)
    for (const WeightedUser& match : matched.of(user)) {
      mass_a[user] += match.weight;
      mass_b[match.user] += match.weight;
    }
  EvidenceNorms norms{
      norms_of(input.networks.a, input.blocks_a.own(), input.weights_a, mass_a, run),
      norms_of(input.networks.b, input.blocks_b.own(), input.weights_b, mass_b, run)};
  share_rows(communicator_of(run), input.blocks_b, norms.b);
  return norms;
}

void update_evidence(PairLists& lists, const EvidenceInput& input,
                     const Rows<WeightedUser>& matched, const EvidenceNorms& norms,
                     const std::vector<std::uint8_t>& is_due, double temperature, Reach reach,
                     Run& run) {
  const auto factors = [&](const std::vector<float>& norm, RowRange own, double exponent) {
    std::vector<float> factor((norm.size() + Accumulator::kLine - 1) / Accumulator::kLine *
                              Accumulator::kLine);
    for (std::size_t user = own.begin; user < own.end; ++user)
      factor[user] =
          static_cast<float>(std::pow(norm[user] + input.damping + 1e-9, -2.0 * exponent));
    return factor;
  };
  const std::vector<float> factor_a = factors(norms.a, input.blocks_a.own(), input.balance);
  std::vector<float> factor_b = factors(norms.b, input.blocks_b.own(), 1.0 - input.balance);
  share_parts(communicator_of(run), std::span(factor_b).first(norms.b.size()),
              input.blocks_b.begins());
  lists.prior_weight = static_cast<float>(input.prior_weight);
  lists.attribute_weight = static_cast<float>(temperature);
  lists.cut_mass.resize(input.open_a.size());
  lists.weakest.resize(input.open_a.size(), 0.0F);
  const RowRange own = lists.pairs.rows();
  const auto is_updated = [&](std::size_t user) {
    return input.open_a[user] != 0 && is_due[user] != 0;
  };
  bool is_everybody_due = true;
  for (std::size_t user = own.begin; user < own.end; ++user)
    is_everybody_due &= is_updated(user) || lists.pairs.of(user).empty();
  const std::size_t capacity =
      reach == Reach::kAll ? lists.limit() : most_pairs(lists, input, matched);
  const std::size_t room = room_for(capacity, lists, is_everybody_due);
  BoundedRows<ListedPair> moved;  // where rows need other room than they have
  if (room != lists.pairs.capacity()) moved = {own, room};
  BoundedRows<ListedPair>& updated = room != lists.pairs.capacity() ? moved : lists.pairs;
  const RowUpdate update(lists, updated, capacity, input, matched, factor_a, factor_b, temperature,
                         reach);
  std::vector<RowWork> work;
  const UserId users_b = input.networks.b.user_count();
  for (int worker = 0; worker < run.threads(); ++worker)
    work.push_back({Accumulator(users_b),
                    std::vector<float>(input.prior.view.context->vocabulary, 0.0F),
                    std::vector<float>(users_b, -1.0F),
                    std::vector<float>(input.attributes == nullptr ? 0 : users_b, 0.0F),
                    {},
                    {},
                    {}});
  for_rows(run, own, kEvidencePerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user)
      if (is_updated(user))
        update(static_cast<UserId>(user), work[static_cast<std::size_t>(piece.worker)]);
      else if (&updated == &moved)
        moved.assign(user, lists.pairs.of(user));
  });
  if (&updated == &moved) lists.pairs = std::move(moved);
  describe_rest(lists, input.prior, input.attributes, temperature);
}

void describe_rest(PairLists& lists, const Prior& prior, const AttributeRows* attributes,
                   double temperature) {
  lists.rest_log.resize(prior.rows.size());
  lists.cut_mass.resize(prior.rows.size(), 0.0F);
  const double scale = lists.prior_weight / temperature;
  for (std::size_t user = lists.pairs.rows().begin; user < lists.pairs.rows().end; ++user) {
    const PriorRow& row = prior.rows[user];
    const double variance = std::max(0.0, double{row.mean_square} - double{row.mean} * row.mean);
    lists.rest_log[user] =
        static_cast<float>(scale * row.mean + std::min(3.0, 0.5 * scale * scale * variance));
    if (attributes != nullptr)
      lists.rest_log[user] += attributes->log_rest(static_cast<UserId>(user));
  }
}

}  // namespace dalaup
