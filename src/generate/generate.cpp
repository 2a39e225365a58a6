#include "generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "generate/society.h"

namespace dalaup {
namespace {

constexpr std::size_t kEdgesPerPiece = std::size_t{1} << 16;

// People in random order: anchors first, then those only in A, then those only in B.
struct Membership {
  Person people;
  std::array<std::vector<bool>, 2> is_member;
  std::vector<Person> anchors;
};

Membership draw_membership(const GeneratorParams& params, Random random) {
  const auto people =
      static_cast<Person>(std::int64_t{params.users_a} + params.users_b - params.anchors);
  std::vector<Person> order(people);
  std::iota(order.begin(), order.end(), Person{0});
  random.shuffle(std::span(order));
  Membership membership{.people = people,
                        .is_member = {std::vector<bool>(people), std::vector<bool>(people)},
                        .anchors = {order.begin(), order.begin() + params.anchors}};
  for (Person place = 0; place < people; ++place) {
    const bool is_anchor = place < static_cast<Person>(params.anchors);
    const bool is_in_a = place < static_cast<Person>(params.users_a);
    membership.is_member[0][order[place]] = is_in_a;
    membership.is_member[1][order[place]] = is_anchor || !is_in_a;
  }
  return membership;
}

double pairs_of(double users) { return users * (users - 1.0) / 2.0; }

void check(const GeneratorParams& params) {
  check_fields(params);
  if (params.anchors > std::min(params.users_a, params.users_b))
    throw ParameterError(fmt::format("anchors: found {}, expected at most the users of the smaller "
                                     "network, {}",
                                     params.anchors, std::min(params.users_a, params.users_b)),
                         "defaults fit networks of some 5,000 users; give fewer anchors");
  const auto check_edges = [](std::string_view name, std::int64_t edges, int users) {
    if (static_cast<double>(edges) > pairs_of(users))
      throw ParameterError(
          fmt::format("{}: found {}, but {} users have only {:.0f} pairs", name, edges, users,
                      pairs_of(users)),
          fmt::format("defaults fit networks of some 5,000 users; give {} users some {} edges",
                      users, std::min<std::int64_t>(10LL * users, users * (users - 1LL) / 4)));
  };
  check_edges("edges_a", params.edges_a, params.users_a);
  check_edges("edges_b", params.edges_b, params.users_b);
}

// The society is made so dense that the denser network sees the share `overlap` of the ties between
// its people. What it sees is independent of what the sparser one sees, hence that is also the
// share of the sparser one's edges it has.
TieGoal goal_for(const GeneratorParams& params, const Membership& membership) {
  const std::array<double, 2> edges = {double(params.edges_a), double(params.edges_b)};
  const std::array<double, 2> pairs = {pairs_of(params.users_a), pairs_of(params.users_b)};
  const std::size_t denser = edges[0] / pairs[0] > edges[1] / pairs[1] ? 0 : 1;
  std::array<std::uint64_t, 2> wanted = {std::uint64_t(params.edges_a),
                                         std::uint64_t(params.edges_b)};
  wanted[denser] = static_cast<std::uint64_t>(std::ceil(edges[denser] / params.overlap));
  const double all_pairs = pairs_of(membership.people);
  const std::array<double, 2> visible = {pairs[0] / all_pairs, pairs[1] / all_pairs};
  return {.first_guess = static_cast<std::uint64_t>(double(wanted[denser]) / visible[denser]) + 1,
          .missing = [=, &membership](const std::vector<Tie>& ties) {
            std::uint64_t missing = 0;
            for (const std::size_t side : {0, 1}) {
              const auto& is_member = membership.is_member[side];
              const auto seen =
                  static_cast<std::uint64_t>(std::ranges::count_if(ties, [&](Tie tie) {
                    return is_member[lower_of(tie)] && is_member[higher_of(tie)];
                  }));
              if (seen < wanted[side])
                missing = std::max(
                    missing,
                    static_cast<std::uint64_t>(double(wanted[side] - seen) / visible[side]) + 1);
            }
            return missing;
          }};
}

// Splitmix of the tie: a uniform number for every tie that needs no storage.
double uniform_of(Tie tie, std::uint64_t stream) {
  std::uint64_t z = tie * 0x9e3779b97f4a7c15ULL + stream;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

std::vector<float> draw_activity(Person people, double spread, Random random) {
  std::vector<float> activity(people);
  for (auto& value : activity) value = static_cast<float>(std::exp(spread * random.normal()));
  return activity;
}

// Exactly `count` of the visible ties, ties of active people first (weighted sampling without
// replacement: the smallest exponential waiting times). Each person's shortest wait comes first of
// all, since people without any edge do not show up in a real network.
std::vector<Tie> sample_ties(std::vector<Tie> visible, std::uint64_t count,
                             const std::vector<float>& activity, Random random, Run& run) {
  const std::uint64_t stream = random.next();
  std::vector<float> waits(visible.size());
  run.for_pieces(visible.size(), kEdgesPerPiece, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      waits[i] = static_cast<float>(
          -std::log1p(-uniform_of(visible[i], stream)) /
          static_cast<double>(activity[lower_of(visible[i])] * activity[higher_of(visible[i])]));
  });
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> first_tie(activity.size(), kNone);
  for (std::size_t i = 0; i < visible.size(); ++i)
    for (const Person person : {lower_of(visible[i]), higher_of(visible[i])})
      if (first_tie[person] == kNone || waits[i] < waits[first_tie[person]]) first_tie[person] = i;
  for (const std::size_t tie : first_tie)
    if (tie != kNone) waits[tie] = std::min(waits[tie], 0.0F);

  if (count == 0) return {};
  std::vector<float> sorted = waits;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count - 1),
                   sorted.end());
  const float longest = sorted[count - 1];
  std::uint64_t ties_at_longest = count - static_cast<std::uint64_t>(std::ranges::count_if(
                                              waits, [&](float wait) { return wait < longest; }));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    if (waits[i] > longest || (waits[i] == longest && ties_at_longest == 0)) continue;
    if (waits[i] == longest) --ties_at_longest;
    visible[kept++] = visible[i];
  }
  visible.resize(kept);
  return visible;
}

// Knuth's selection sampling: exactly the rounded share goes, all ties alike.
void remove_share(std::vector<Tie>& ties, double share, Random random) {
  auto left_to_keep =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(ties.size()) * (1.0 - share)));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ties.size() && left_to_keep > 0; ++i) {
    if (random.below(ties.size() - i) >= left_to_keep) continue;
    --left_to_keep;
    ties[kept++] = ties[i];
  }
  ties.resize(kept);
}

// Names of syllables; the number is scrambled so that neighbours in number differ in name.
std::string name_of_number(std::uint64_t number, std::uint64_t total, Side side) {
  static constexpr std::string_view kConsonants[2] = {"bdfghjklmnprst", "bcdghklmnrtvwz"};
  static constexpr std::string_view kVowels = "aeiou";
  constexpr std::uint64_t kSyllables = 70;
  std::uint64_t room = kSyllables * kSyllables;
  int length = 2;
  for (; room < 3 * total; room *= kSyllables) ++length;
  std::uint64_t code = (number * 1'000'000'007ULL + 12'345) % room;  // prime to any power of 70
  std::string name;
  for (int syllable = 0; syllable < length; ++syllable, code /= kSyllables) {
    name += kConsonants[index_of(side)][(code % kSyllables) / kVowels.size()];
    name += kVowels[code % kVowels.size()];
  }
  return name;
}

struct View {
  Network network;
  std::vector<UserId> user_of;  // by person; kNoUser outside
};

View make_view(const std::vector<Tie>& ties, const std::vector<bool>& is_member,
               std::span<const Person> anchors, Side side, const GeneratorParams& params,
               Run& run) {
  std::vector<Person> order;
  for (Person person = 0; person < is_member.size(); ++person)
    if (is_member[person]) order.push_back(person);
  const bool is_a = side == Side::kA;
  run.random(is_a ? "generate order of a" : "generate order of b").shuffle(std::span(order));
  if (params.order == "aligned") {
    std::vector<bool> is_anchor(is_member.size());
    for (const Person person : anchors) is_anchor[person] = true;
    std::erase_if(order, [&](Person person) { return is_anchor[person]; });
    std::vector<Person> first(anchors.begin(), anchors.end());
    run.random("generate order of anchors").shuffle(std::span(first));
    order.insert(order.begin(), first.begin(), first.end());
  }
  NetworkBuilder builder;
  View view{.network = {}, .user_of = std::vector<UserId>(is_member.size(), kNoUser)};
  for (std::size_t place = 0; place < order.size(); ++place)
    view.user_of[order[place]] = builder.add_user(name_of_number(place, order.size(), side));

  const std::uint64_t stream = run.random("generate direction").next();
  Random turns = run.random(is_a ? "generate turns of a" : "generate turns of b");
  for (const Tie tie : ties) {
    UserId from = view.user_of[lower_of(tie)];
    UserId to = view.user_of[higher_of(tie)];
    if (params.directed) {
      // The society knows who looks up to whom; one time in five a network shows it reversed.
      if ((uniform_of(tie, stream) < 0.5) != turns.chance(0.2)) std::swap(from, to);
      if (turns.chance(params.reciprocity)) builder.add_edge(to, from);
    }
    builder.add_edge(from, to);
  }
  view.network = builder.build(params.directed);
  return view;
}

// Every user is declared before the edges, so that reading keeps their order.
void write_in_order(const std::string& path, const Network& network) {
  AtomicFile file(path);
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user)
    file.write(fmt::format("{}\n", network.name(user)));
  for (UserId user = 0; user < network.user_count(); ++user)
    for (const UserId neighbour : rows.of(user))
      if (network.is_directed() || user < neighbour)
        file.write(fmt::format("{}\t{}\n", network.name(user), network.name(neighbour)));
  file.commit();
}

std::vector<UserPair> draw_labels(std::span<const UserPair> truth, const GeneratorParams& params,
                                  Random random) {
  const auto count = static_cast<std::uint64_t>(params.labels_share * double(truth.size()));
  std::vector<UserPair> labels;
  for (const std::uint64_t place : random.sample(truth.size(), count))
    labels.push_back(truth[place]);
  const auto wrong = static_cast<std::size_t>(
      std::llround(params.wrong_labels_share * static_cast<double>(labels.size())));
  // Wrong labels hand their partners round, so that all stay one to one.
  if (wrong >= 2)
    for (std::size_t i = 0; i + 1 < wrong; ++i) std::swap(labels[i].b, labels[i + 1].b);
  std::ranges::sort(labels);
  return labels;
}

std::uint64_t count_between(const std::vector<Tie>& ties, const std::vector<bool>& is_anchor) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      ties, [&](Tie tie) { return is_anchor[lower_of(tie)] && is_anchor[higher_of(tie)]; }));
}

}  // namespace

GeneratedPair generate_pair(const GeneratorParams& params, Run& run) {
  check(params);
  const Membership membership = draw_membership(params, run.random("generate membership"));
  std::vector<Tie> society =
      draw_society(membership.people, goal_for(params, membership), params, run);

  std::array<std::vector<Tie>, 2> edges;
  for (const std::size_t side : {0, 1}) {
    const auto& is_member = membership.is_member[side];
    std::vector<Tie> visible;
    std::ranges::copy_if(society, std::back_inserter(visible), [&](Tie tie) {
      return is_member[lower_of(tie)] && is_member[higher_of(tie)];
    });
    if (side == 1) std::exchange(society, {});  // the largest thing here, and no longer needed
    edges[side] = sample_ties(
        std::move(visible), static_cast<std::uint64_t>(side == 0 ? params.edges_a : params.edges_b),
        draw_activity(membership.people, params.activity_spread,
                      run.random("generate activity", side)),
        run.random("generate waits", side), run);
    if (params.removed_share > 0.0)
      remove_share(edges[side], params.removed_share, run.random("generate removal", side));
  }

  GeneratedPair pair;
  std::vector<bool> is_anchor(membership.people);
  for (const Person person : membership.anchors) is_anchor[person] = true;
  pair.anchored_edges_a = count_between(edges[0], is_anchor);
  pair.anchored_edges_b = count_between(edges[1], is_anchor);
  std::vector<Tie> common;
  std::ranges::set_intersection(edges[0], edges[1], std::back_inserter(common));
  pair.common_edges = common.size();

  const auto view = [&](Side side) {
    const std::size_t place = index_of(side);
    return make_view(edges[place], membership.is_member[place], membership.anchors, side, params,
                     run);
  };
  View a = view(Side::kA);
  View b = view(Side::kB);
  pair.keeps_order = params.order == "aligned";
  for (const Person person : membership.anchors)
    pair.truth.push_back({a.user_of[person], b.user_of[person]});
  std::ranges::sort(pair.truth);
  pair.networks = {std::move(a.network), std::move(b.network)};
  pair.labels = draw_labels(pair.truth, params, run.random("generate labels"));
  if (params.attributes)
    pair.networks.attributes = draw_attributes(pair.networks, pair.truth, params, run);
  return pair;
}

void write_pair(const std::string& folder, const GeneratedPair& pair) {
  create_folders(folder);
  for (const Side side : {Side::kA, Side::kB}) {
    const std::string path = folder + (side == Side::kA ? "/a.edges" : "/b.edges");
    if (pair.keeps_order)
      write_in_order(path, pair.networks.on(side));
    else
      write_edges(path, pair.networks.on(side));
  }
  const auto write_pairs = [&](const std::string& path, std::span<const UserPair> pairs) {
    AtomicFile file(path);
    for (const UserPair& one : pairs)
      file.write(fmt::format("{}\t{}\n", pair.networks.a.name(one.a), pair.networks.b.name(one.b)));
    file.commit();
  };
  write_pairs(folder + "/truth.tsv", pair.truth);
  if (!pair.labels.empty()) write_pairs(folder + "/labels.tsv", pair.labels);
  if (pair.networks.attributes == nullptr) return;
  write_attributes(folder + "/a.attributes.csv", pair.networks.attributes->a, pair.networks.a);
  write_attributes(folder + "/b.attributes.csv", pair.networks.attributes->b, pair.networks.b);
}

}  // namespace dalaup
