#include "methods/propagation/fit.h"

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

constexpr MatchSettings kOther{.least_match = 0.01, .evidence_damping = 1.2};
constexpr double kLeastInConsensus = 0.01;
constexpr double kAnchorsOfHalfTrust = 50.0;  // in the context, where there are attributes

std::vector<std::uint8_t> open_flags(UserId users, std::span<const UserPair> anchors, Side side,
                                     std::span<const UserId> without_partner) {
  std::vector<std::uint8_t> is_open(users, 1);
  for (const UserId user : without_partner) is_open[user] = 0;
  for (const UserPair& anchor : anchors) is_open[anchor.on(side)] = 0;
  return is_open;
}

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

// Pairs a user may have while rounds run: more than are listed in the end, so that users wanted by
// many do not crowd out others, and in small networks as many as there are.
std::size_t most_listed(const NetworkPair& networks, const PropagationParams& params) {
  const auto listed = static_cast<std::size_t>(params.listed_candidates);
  const std::size_t cheap = kCheapPairs / std::max<UserId>(1, networks.a.user_count());
  return std::min<std::size_t>(std::max(listed + listed / 4, cheap), networks.b.user_count());
}

// Candidates of the attributes that the context does not list; their prior is like the others'.
void add_attribute_candidates(std::span<const WeightedUser> candidates, float prior,
                              std::vector<ListedPair>& row) {
  const std::size_t listed = row.size();
  for (const WeightedUser& candidate : candidates) {
    const auto known = std::span(row).first(listed);
    if (std::ranges::find(known, candidate.user, &ListedPair::partner) == known.end())
      row.push_back({candidate.user, prior, 0.0F, candidate.weight});
  }
}

void keep_best_pairs(const PairLists& lists, std::size_t count, std::vector<ListedPair>& row) {
  std::ranges::nth_element(row, row.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](const ListedPair& left, const ListedPair& right) {
                             const float left_score = lists.score(left);
                             const float right_score = lists.score(right);
                             return left_score != right_score ? left_score > right_score
                                                              : left.partner < right.partner;
                           });
  row.resize(count);
}

// The context of few anchors is noise beside attributes.
double trust_in_context(std::size_t anchors) {
  const auto count = static_cast<double>(anchors);
  return count / (count + kAnchorsOfHalfTrust);
}

// The lists of the first matching: context, and attributes if they help.
PairLists lists_of(const Prior& prior, const AttributeRows* attributes,
                   const std::vector<std::uint8_t>& open_a, const std::vector<std::uint8_t>& open_b,
                   std::size_t capacity, const PropagationParams& params) {
  const RowRange own = prior.best.rows();
  PairLists lists{{own, capacity}, 1.0F, 0.0F, {}, {}, {}};
  if (attributes != nullptr) {
    lists.prior_weight = static_cast<float>(params.prior_weight);
    lists.attribute_weight = static_cast<float>(params.first_temperature);
  }
  std::vector<ListedPair> row;
  for (std::size_t place = own.begin; place < own.end; ++place) {
    const auto user = static_cast<UserId>(place);
    if (!open_a[user]) continue;
    row.clear();
    for (const WeightedUser& candidate : prior.best.of(user))
      if (open_b[candidate.user])
        row.push_back({candidate.user, candidate.weight, 0.0F,
                       attributes == nullptr ? 0.0F : attributes->ratio({user, candidate.user})});
    if (attributes != nullptr)
      add_attribute_candidates(attributes->candidates(user), prior.rows[user].mean, row);
    if (row.size() > capacity) keep_best_pairs(lists, capacity, row);
    lists.pairs.assign(user, row);
  }
  return lists;
}

double temperature_of(int iteration, const PropagationParams& params) {
  if (params.iterations < 2) return params.last_temperature;
  const double progress = static_cast<double>(iteration) / (params.iterations - 1);
  return params.first_temperature *
         std::pow(params.last_temperature / params.first_temperature, progress);
}

// Which users of A a round updates, and whether further rounds are worth their time. Every other
// round it is only those whose match is open: users settled on one partner and users matched with
// nobody change little from round to round.
class Agenda {
 public:
  // `most_matches` is the size of the smaller network.
  Agenda(std::size_t users, std::size_t most_matches)
      : most_matches_(most_matches), is_due_(users, 1), partner_(users, kNoUser) {}

  const std::vector<std::uint8_t>& next(const Rows<WeightedUser>& matched) {
    const bool everybody = round_ == 0 || round_ % 2 == 1;
    ++round_;
    std::size_t changed = 0;
    std::size_t matched_users = 0;
    for (std::size_t user = 0; user < is_due_.size(); ++user) {
      WeightedUser best;
      for (const WeightedUser& match : matched.of(user))
        if (match.weight > best.weight) best = match;
      const bool is_settled = best.weight > kSettled && best.user == partner_[user];
      is_due_[user] = everybody || !(is_settled || best.user == kNoUser) ? 1 : 0;
      changed += best.user != partner_[user] ? 1 : 0;
      matched_users += best.user != kNoUser ? 1 : 0;
      partner_[user] = best.user;
    }
    const bool is_calm = 2 * matched_users >= most_matches_ &&
                         static_cast<double>(changed) <= kCalm * static_cast<double>(matched_users);
    calm_rounds_ = is_calm ? calm_rounds_ + 1 : 0;
    return is_due_;
  }
  // Most are matched, and nearly everybody has kept the same partner for a while. While only few
  // are matched, calm may come before the take-off.
  bool is_still() const { return calm_rounds_ >= kCalmRounds; }

 private:
  static constexpr float kSettled = 0.9F;
  static constexpr double kCalm = 0.001;
  static constexpr int kCalmRounds = 2;
  std::size_t most_matches_;
  int round_ = 0;
  int calm_rounds_ = 0;
  std::vector<std::uint8_t> is_due_;
  std::vector<UserId> partner_;  // in the last round
};

// What stands for anchors where there are none.
std::vector<UserPair> sure_matches(const Rows<WeightedUser>& matched) {
  constexpr float kSure = 0.5F;
  std::vector<UserPair> pairs;
  for (std::size_t user = 0; user < matched.size(); ++user)
    for (const WeightedUser& match : matched.of(user))
      if (match.weight > kSure) pairs.push_back({static_cast<UserId>(user), match.user});
  return pairs;
}

// The alternation of matching and evidence on the lists of a state.
class Rounds {
 public:
  Rounds(const NetworkPair& networks, const NetworkWeights& weights, const LabelSet* barred,
         Propagated& state, Run& run)
      : state_(state),
        run_(run),
        blocks_a_(networks.a.both().begins, communicator_of(run)),
        blocks_b_(networks.b.both().begins, communicator_of(run)),
        open_edges_b_(open_neighbours(networks.b, state.open_b)),
        input_{networks,      blocks_a_,    blocks_b_,    weights.a,   weights.b,
               open_edges_b_, state.open_a, state.open_b, state.prior, state.attributes.get(),
               barred} {}

  // Up to the last matching, of which nothing weaker than `least` is returned. Advances the task by
  // params.iterations.
  Rows<WeightedUser> match(const PropagationParams& params, double least, Task& task) {
    take(params);
    Agenda agenda(state_.open_a.size(), std::min(state_.open_a.size(), state_.open_b.size()));
    describe_rest(state_.lists, state_.prior, state_.attributes.get(), temperature_of(0, params));
    const int last = params.iterations - 1;
    for (int round = 0; round < last;) {
      const Rows<WeightedUser> matched =
          matched_now(temperature_of(round, params), params.least_match, params);
      const auto norms = evidence_norms(input_, matched, run_);
      update_evidence(state_.lists, input_, matched, norms, agenda.next(matched),
                      temperature_of(round + 1, params), Reach::kStrong, run_);
      const int next = agenda.is_still() ? last : round + 1;
      task.advance(static_cast<std::uint64_t>(next - round));
      round = next;
    }
    task.advance(1);
    return matched_now(temperature_of(last, params), least, params);
  }

  // The last evidence, for everybody, and the plan behind the ranking.
  void conclude(Rows<WeightedUser> matched, const PropagationParams& params) {
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

 private:
  void take(const PropagationParams& params) {
    input_.prior_weight = params.prior_weight;
    input_.damping = params.evidence_damping;
    input_.balance = state_.balance;
  }
  Rows<WeightedUser> matched_now(double temperature, double least,
                                 const PropagationParams& params) {
    const TransportPlan plan = balanced_plan(state_.lists, blocks_a_, state_.open_a, state_.open_b,
                                             temperature, params.balancing_sweeps, run_);
    Rows<WeightedUser> matched =
        matched_users(state_.lists, blocks_a_, plan, state_.anchors, least, run_);
    if (state_.anchors.empty() && params.density_balance < 0.0)
      input_.balance = state_.balance = density_balance(input_.networks, sure_matches(matched));
    return matched;
  }

  Propagated& state_;
  Run& run_;
  RowBlocks blocks_a_;
  RowBlocks blocks_b_;
  Adjacency open_edges_b_;
  EvidenceInput input_;
};

// The mean of matchings, without what is then weaker than `least`.
Rows<WeightedUser> mean_of(std::span<const Rows<WeightedUser>> matchings, double least) {
  Rows<WeightedUser> mean;
  mean.begins.reserve(matchings[0].size() + 1);
  std::vector<WeightedUser> row;
  for (std::size_t user = 0; user < matchings[0].size(); ++user) {
    row.clear();
    for (const auto& matching : matchings)
      for (const WeightedUser& match : matching.of(user)) {
        const auto known = std::ranges::find(row, match.user, &WeightedUser::user);
        if (known == row.end())
          row.push_back(match);
        else
          known->weight += match.weight;
      }
    for (WeightedUser& match : row) {
      match.weight /= static_cast<float>(matchings.size());
      if (match.weight >= least) mean.items.push_back(match);
    }
    mean.begins.push_back(mean.items.size());
  }
  return mean;
}

// Shortens the lists to the pairs that rank first under the plan.
void keep_best_ranked(Propagated& state, std::size_t kept) {
  const RowRange own = state.lists.pairs.rows();
  BoundedRows<ListedPair> shorter(own, kept);
  std::vector<double> log_scale(state.open_b.size());
  for (std::size_t user = 0; user < log_scale.size(); ++user)
    log_scale[user] = std::log(std::max(state.plan.column_scale[user], 1e-30));
  const auto rank_score = [&](const ListedPair& pair) {
    return state.lists.score(pair) + state.plan.temperature * log_scale[pair.partner];
  };
  for (std::size_t user = own.begin; user < own.end; ++user) {
    const auto row = state.lists.pairs.of(user);
    if (row.size() > kept)
      std::ranges::nth_element(row, row.begin() + static_cast<std::ptrdiff_t>(kept),
                               [&](const ListedPair& left, const ListedPair& right) {
                                 const double left_score = rank_score(left);
                                 const double right_score = rank_score(right);
                                 return left_score != right_score ? left_score > right_score
                                                                  : left.partner < right.partner;
                               });
    shorter.assign(user, row.first(std::min(kept, row.size())));
  }
  state.lists.pairs = std::move(shorter);
}

PropagationParams with(const MatchSettings& settings, PropagationParams params) {
  params.least_match = settings.least_match;
  params.evidence_damping = settings.evidence_damping;
  return params;
}

}  // namespace

MatchSettings usual_settings(const PropagationParams& params) {
  MatchSettings usual;
  if (params.least_match >= 0.0) usual.least_match = params.least_match;
  if (params.evidence_damping >= 0.0) usual.evidence_damping = params.evidence_damping;
  return usual;
}

std::vector<MatchSettings> consensus_members(const PropagationParams& params) {
  const MatchSettings usual = usual_settings(params);
  std::vector<MatchSettings> members{usual};
  if (params.least_match < 0.0) members.push_back({kOther.least_match, usual.evidence_damping});
  if (params.evidence_damping < 0.0)
    members.push_back({usual.least_match, kOther.evidence_damping});
  if (members.size() == 3) members.push_back(kOther);
  return members;
}

Propagated propagate(const NetworkPair& networks, const NetworkWeights& weights,
                     std::span<const UserPair> anchors, Prior prior, const LabelSet* barred,
                     const PropagationParams& params, Task& task, Run& run,
                     const SideInformation& side) {
  Propagated state;
  state.anchors.assign(anchors.begin(), anchors.end());
  state.open_a = open_flags(networks.a.user_count(), anchors, Side::kA, side.without_partner[0]);
  state.open_b = open_flags(networks.b.user_count(), anchors, Side::kB, side.without_partner[1]);
  state.balance =
      params.density_balance >= 0.0 ? params.density_balance : density_balance(networks, anchors);
  PropagationParams used = with(usual_settings(params), params);
  state.damping = used.evidence_damping;
  state.prior = std::move(prior);
  if (side.attributes != nullptr)
    state.attributes = std::make_shared<const AttributeRows>(
        side.attributes, state.prior.best.rows(), state.open_b, run);
  if (side.attributes != nullptr) used.prior_weight *= trust_in_context(anchors.size());
  Rounds rounds(networks, weights, barred, state, run);
  const auto matching_with = [&](const PropagationParams& settings, double least) {
    state.lists = lists_of(state.prior, state.attributes.get(), state.open_a, state.open_b,
                           most_listed(networks, params), settings);
    return rounds.match(settings, least, task);
  };
  if (params.consensus == "yes") {
    std::vector<Rows<WeightedUser>> matchings;
    for (const MatchSettings& member : consensus_members(params))
      matchings.push_back(matching_with(with(member, used), kLeastInConsensus));
    rounds.conclude(mean_of(matchings, kLeastInConsensus), used);
  } else {
    rounds.conclude(matching_with(used, used.least_match), used);
  }
  keep_best_ranked(state, static_cast<std::size_t>(params.listed_candidates));
  return state;
}

}  // namespace dalaup
