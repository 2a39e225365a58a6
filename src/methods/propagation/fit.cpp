#include "methods/propagation/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/propagation/rounds.h"

namespace dalaup {
namespace {

constexpr std::size_t kRowsPerPiece = 512;
constexpr MatchSettings kOther{.least_match = 0.01, .evidence_damping = 1.2};
constexpr double kLeastInConsensus = 0.01;
constexpr int kRoundsAfterNear = 4;           // of matching; odd rounds update everybody
constexpr double kAnchorsOfHalfTrust = 50.0;  // in the context, where there are attributes

std::vector<std::uint8_t> open_flags(UserId users, std::span<const UserPair> anchors, Side side,
                                     std::span<const UserId> without_partner) {
  std::vector<std::uint8_t> is_open(users, 1);
  for (const UserId user : without_partner) is_open[user] = 0;
  for (const UserPair& anchor : anchors) is_open[anchor.on(side)] = 0;
  return is_open;
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
  const std::size_t room =
      attributes == nullptr ? std::min(prior.best.capacity(), capacity) : capacity;
  PairLists lists{{own, room}, 1.0F, 0.0F, {}, {}, {}, capacity};
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
void keep_best_ranked(Propagated& state, std::size_t kept, Run& run) {
  const RowRange own = state.lists.pairs.rows();
  BoundedRows<ListedPair> shorter(own, kept);
  std::vector<double> log_scale(state.open_b.size());
  for (std::size_t user = 0; user < log_scale.size(); ++user)
    log_scale[user] = std::log(std::max(state.plan.column_scale[user], 1e-30));
  const auto rank_score = [&](const ListedPair& pair) {
    return state.lists.score(pair) + state.plan.temperature * log_scale[pair.partner];
  };
  for_rows(run, own, kRowsPerPiece, [&](const Piece& piece) {
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
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
  });
  state.lists.pairs = std::move(shorter);
  state.lists.most_pairs = 0;
}

// What a run that begins with the matching of another one goes on from. Its own anchors are matched
// with each other and with nobody else.
KeptRounds begun_near(const Rows<WeightedUser>& near, const Propagated& state, int round) {
  std::vector<UserId> partner(state.open_a.size(), kNoUser);
  for (const UserPair& anchor : state.anchors) partner[anchor.a] = anchor.b;
  Rows<WeightedUser> matched;
  matched.begins.reserve(partner.size() + 1);
  for (std::size_t user = 0; user < partner.size(); ++user) {
    if (partner[user] != kNoUser)
      matched.items.push_back({partner[user], 1.0F});
    else if (state.open_a[user] != 0)
      for (const WeightedUser& match : near.of(user))
        if (state.open_b[match.user] != 0) matched.items.push_back(match);
    matched.end_row();
  }
  KeptRounds begun;
  begun.agenda = {round, 0, std::vector<UserId>(partner.size(), kNoUser)};
  begun.matchings.push_back(std::move(matched));
  return begun;
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
                     const SideInformation& side, Progression progression,
                     std::span<const UserPair> pseudo_anchors, const Rows<WeightedUser>* near) {
  Propagated state;
  state.anchors.assign(anchors.begin(), anchors.end());
  state.anchors.insert(state.anchors.end(), pseudo_anchors.begin(), pseudo_anchors.end());
  const auto set_open = [&] {
    state.open_a =
        open_flags(networks.a.user_count(), state.anchors, Side::kA, side.without_partner[0]);
    state.open_b =
        open_flags(networks.b.user_count(), state.anchors, Side::kB, side.without_partner[1]);
    if (side.attributes != nullptr)
      state.attributes = std::make_shared<const AttributeRows>(
          side.attributes, state.prior.best.rows(), state.open_b, run);
  };
  state.prior = std::move(prior);
  set_open();
  state.balance = params.density_balance >= 0.0 ? params.density_balance
                                                : density_balance(networks, state.anchors);
  PropagationParams used = with(usual_settings(params), params);
  state.damping = used.evidence_damping;
  if (side.attributes != nullptr) used.prior_weight *= trust_in_context(anchors.size());
  Rounds rounds(networks, weights, barred, state, run);
  const bool is_consensus = params.consensus == "yes";
  const std::vector<MatchSettings> members =
      is_consensus ? consensus_members(params) : std::vector{usual_settings(params)};
  const double least = is_consensus ? kLeastInConsensus : used.least_match;
  const auto list_anew = [&] {
    state.lists = lists_of(state.prior, state.attributes.get(), state.open_a, state.open_b,
                           most_listed(networks, params), used);
  };
  KeptRounds found = progression.found();
  std::vector<Rows<WeightedUser>> matchings = found.finished;
  if (matchings.size() > members.size())
    progression.refuse(fmt::format("{} matchings of a run", matchings.size()),
                       fmt::format("at most {}", members.size()));
  const int round = (params.iterations - kRoundsAfterNear) / 2 * 2 - 1;
  if (near != nullptr && members.size() == 1 && matchings.empty() && found.matchings.empty() &&
      round > 0)
    found = begun_near(*near, state, round);
  task.advance(static_cast<std::uint64_t>(params.iterations) * matchings.size());
  if (matchings.size() == members.size()) {
    list_anew();
    rounds.skip_to_end(found, used, progression);
  }
  while (matchings.size() < members.size()) {
    list_anew();
    matchings.push_back(rounds.match(with(members[matchings.size()], used), least,
                                     std::exchange(found, {}), progression, task));
  }
  Rows<WeightedUser> matched =
      is_consensus ? mean_of(matchings, kLeastInConsensus) : std::move(matchings[0]);
  if (pseudo_anchors.empty()) {
    rounds.conclude(std::move(matched), used);
  } else {
    state.anchors.resize(anchors.size());
    set_open();
    Rounds(networks, weights, barred, state, run).conclude(std::move(matched), used);
  }
  state.prior = {};  // lists have what is needed of it
  keep_best_ranked(state, static_cast<std::size_t>(params.listed_candidates), run);
  return state;
}

}  // namespace dalaup
