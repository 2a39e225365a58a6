#include "methods/propagation/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

Adjacency open_neighbours(const Network& network, const std::vector<std::uint8_t>& is_open) {
  Adjacency edges;
  edges.begins.reserve(network.user_count() + std::size_t{1});
  for (UserId user = 0; user < network.user_count(); ++user) {
    for (const UserId neighbour : network.neighbours(user))
      if (is_open[neighbour]) edges.users.push_back(neighbour);
    edges.begins.push_back(edges.users.size());
  }
  return edges;
}

double temperature_of(int iteration, const PropagationParams& params) {
  if (params.iterations < 2) return params.last_temperature;
  const double progress = static_cast<double>(iteration) / (params.iterations - 1);
  return params.first_temperature *
         std::pow(params.last_temperature / params.first_temperature, progress);
}

// What stands for anchors where there are none.
std::vector<UserPair> sure_matches(const Rows<WeightedUser>& matched) {
  constexpr float kSure = 0.5F;
  std::vector<UserPair> pairs;
  for (std::size_t user = 0; user < matched.size(); ++user)
    for (const WeightedUser& match : matched.of(user))
      if (match.weight > kSure) pairs.push_back({static_cast<UserId>(user), match.user});
  return pairs;
}

}  // namespace

Rounds::Rounds(const NetworkPair& networks, const NetworkWeights& weights, const LabelSet* barred,
               Propagated& state, Run& run)
    : state_(state),
      run_(run),
      blocks_a_(networks.a.both().begins, communicator_of(run)),
      blocks_b_(networks.b.both().begins, communicator_of(run)),
      open_edges_b_(open_neighbours(networks.b, state.open_b)),
      input_{networks,      blocks_a_,    blocks_b_,    weights.a,   weights.b,
             open_edges_b_, state.open_a, state.open_b, state.prior, state.attributes.get(),
             barred} {}

Rows<WeightedUser> Rounds::match(const PropagationParams& params, double least, KeptRounds found,
                                 Progression& progression, Task& task) {
  take(params);
  const std::size_t most_matches = std::min(state_.open_a.size(), state_.open_b.size());
  Agenda agenda(state_.open_a.size(), most_matches);
  describe_rest(state_.lists, state_.prior, state_.attributes.get(), temperature_of(0, params));
  const int last = params.iterations - 1;
  const std::vector<Rows<WeightedUser>> known = std::move(found.matchings);
  const bool is_kept = !known.empty() && progression.has_begun();  // else by another run
  if (!known.empty()) {
    agenda = Agenda(most_matches, std::move(found.agenda));
    state_.lists.weakest.assign(state_.open_a.size(), 0.0F);
    std::ranges::copy(found.weakest, state_.lists.weakest.begin() +
                                         static_cast<std::ptrdiff_t>(blocks_a_.own().begin));
    if (agenda.state().round > 0) list(found.listed, progression);
  }
  const int first = agenda.state().round;
  task.advance(static_cast<std::uint64_t>(first));
  for (int round = first; round < last;) {
    const auto place = static_cast<std::size_t>(round - first);
    const bool is_known = place < known.size();
    const Rows<WeightedUser> matched =
        is_known ? known[place]
                 : matched_now(temperature_of(round, params), params.least_match, params);
    if (is_known) balance_by(matched, params);
    if (!is_known || !is_kept)
      progression.update([&](KeptRounds& run) { keep(agenda.state(), matched, run); });
    const auto norms = evidence_norms(input_, matched, run_);
    update_evidence(state_.lists, input_, matched, norms, agenda.next(matched),
                    temperature_of(round + 1, params), Reach::kStrong, run_);
    const int next = agenda.is_still() ? last : round + 1;
    task.advance(static_cast<std::uint64_t>(next - round));
    round = next;
  }
  task.advance(1);
  Rows<WeightedUser> matched = matched_now(temperature_of(last, params), least, params);
  progression.update([&](KeptRounds& run) {
    run.finished.push_back(matched);
    run.listed = listed_now();
    run.matchings.clear();
  });
  return matched;
}

void Rounds::skip_to_end(const KeptRounds& found, const PropagationParams& params,
                         const Progression& progression) {
  list(found.listed, progression);
  balance_by(found.finished.back(), params);
}

void Rounds::conclude(Rows<WeightedUser> matched, const PropagationParams& params) {
  take(params);
  state_.matched = std::move(matched);
  state_.norms = evidence_norms(input_, state_.matched, run_);
  update_evidence(state_.lists, input_, state_.matched, state_.norms,
                  std::vector<std::uint8_t>(state_.open_a.size(), 1), params.ranking_temperature,
                  Reach::kAll, run_);
  state_.lists.attribute_weight = static_cast<float>(params.ranking_temperature);
  state_.plan = balanced_plan(state_.lists, blocks_a_, state_.open_a, state_.open_b,
                              params.ranking_temperature, 2 * params.balancing_sweeps, run_);
}

void Rounds::take(const PropagationParams& params) {
  input_.prior_weight = params.prior_weight;
  input_.damping = params.evidence_damping;
  input_.balance = state_.balance;
}

Rows<WeightedUser> Rounds::matched_now(double temperature, double least,
                                       const PropagationParams& params) {
  const TransportPlan plan = balanced_plan(state_.lists, blocks_a_, state_.open_a, state_.open_b,
                                           temperature, params.balancing_sweeps, run_);
  Rows<WeightedUser> matched =
      matched_users(state_.lists, blocks_a_, plan, state_.anchors, least, run_);
  balance_by(matched, params);
  return matched;
}

void Rounds::balance_by(const Rows<WeightedUser>& matched, const PropagationParams& params) {
  if (state_.anchors.empty() && params.density_balance < 0.0)
    input_.balance = state_.balance = density_balance(input_.networks, sure_matches(matched));
}

void Rounds::keep(const Agenda::State& agenda, const Rows<WeightedUser>& matched,
                  KeptRounds& run) const {
  if (Agenda::updates_everybody(agenda.round)) {
    const RowRange own = blocks_a_.own();
    run.agenda = agenda;
    run.listed = listed_now();
    run.weakest.assign(own.size(), 0.0F);
    if (!state_.lists.weakest.empty())  // before the first update
      std::copy_n(state_.lists.weakest.begin() + static_cast<std::ptrdiff_t>(own.begin), own.size(),
                  run.weakest.begin());
    run.matchings.clear();
  }
  run.matchings.push_back(matched);
}

// Candidates of attributes are first listed with the mean prior; of all pairs in the lists these
// alone may have another prior than an update would find for them.
Rows<WeightedUser> Rounds::listed_now() const {
  Rows<WeightedUser> listed;
  const RowRange own = blocks_a_.own();
  listed.begins.assign(own.size() + 1, 0);
  if (state_.attributes == nullptr) return listed;
  std::vector<std::uint8_t> is_candidate(state_.open_b.size(), 0);
  for (std::size_t user = own.begin; user < own.end; ++user) {
    const auto candidates = state_.attributes->candidates(static_cast<UserId>(user));
    for (const WeightedUser& candidate : candidates) is_candidate[candidate.user] = 1;
    for (const ListedPair& pair : state_.lists.pairs.of(user))
      if (is_candidate[pair.partner] != 0) listed.items.push_back({pair.partner, pair.prior});
    for (const WeightedUser& candidate : candidates) is_candidate[candidate.user] = 0;
    listed.begins[user - own.begin + 1] = listed.items.size();
  }
  return listed;
}

void Rounds::list(const Rows<WeightedUser>& listed, const Progression& progression) {
  std::vector<ListedPair> row;
  for (std::size_t place = 0; place < listed.size(); ++place) {
    row.clear();
    for (const WeightedUser& pair : listed.of(place)) row.push_back({pair.user, pair.weight});
    if (row.size() > state_.lists.pairs.capacity())  // with attributes there is room for all
      progression.refuse(fmt::format("{} candidates of one user", row.size()),
                         fmt::format("at most {}", state_.lists.pairs.capacity()));
    state_.lists.pairs.assign(blocks_a_.own().begin + place, row);
  }
}

}  // namespace dalaup
