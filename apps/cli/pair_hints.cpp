#include "cli/pair_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation/evaluation.h"
#include "methods/methods.h"

namespace dalaup {
namespace {

constexpr std::uint64_t kMostEdges = 600'000;  // a fit takes seconds, not minutes
constexpr std::size_t kFewestLabels = 30;
constexpr std::size_t kMostHidden = 300;

// The user of B with the same name, by user of A.
std::vector<UserId> namesakes_of(const NetworkPair& networks) {
  std::vector<UserId> namesakes(networks.a.user_count());
  for (UserId user = 0; user < namesakes.size(); ++user)
    namesakes[user] = networks.b.find(networks.a.name(user));
  return namesakes;
}

std::uint64_t shared_edges(const NetworkPair& networks, const std::vector<UserId>& namesakes) {
  std::uint64_t shared = 0;
  for (UserId user = 0; user < namesakes.size(); ++user) {
    if (namesakes[user] == kNoUser) continue;
    const auto there = networks.b.neighbours(namesakes[user]);
    for (const UserId neighbour : networks.a.neighbours(user))
      if (neighbour > user && namesakes[neighbour] != kNoUser)
        shared += std::ranges::binary_search(there, namesakes[neighbour]) ? 1U : 0U;
  }
  return shared;
}

bool have_equal_degrees(const NetworkPair& networks) {
  std::vector<std::uint32_t> degrees[2];
  for (const Side side : {Side::kA, Side::kB}) {
    auto& own = degrees[index_of(side)];
    for (UserId user = 0; user < networks.on(side).user_count(); ++user)
      own.push_back(networks.on(side).degree(user));
    std::ranges::sort(own);
  }
  return degrees[0] == degrees[1];
}

std::string hidden_words(std::span<const double> ranks, std::size_t kept) {
  const Metrics metrics = metrics_of(ranks);
  return fmt::format(
      "Learned from {} of the labels, the default method puts the right partner of the other {} "
      "first for {:.0f} %, among the first 30 for {:.0f} %. With all labels it will be somewhat "
      "better; users who were labelled because they are easy make this too good.",
      grouped(kept), grouped(ranks.size()), 100.0 * metrics.hits_1, 100.0 * metrics.precision);
}

}  // namespace

std::vector<std::string> direction_hints(const NetworkPair& networks) {
  std::vector<std::string> words;
  for (const Side side : {Side::kA, Side::kB}) {
    const Network& network = networks.on(side);
    const std::uint64_t both = network.arc_count() - network.edge_count();
    // A few edges written twice say nothing.
    if (both == 0 || 100 * both < network.edge_count() || both == network.edge_count()) continue;
    words.push_back(fmt::format(
        "In {} {} of {} {} in both directions and the others in one: direction seems to "
        "mean something. Give --directed.",
        name_of(side), grouped(both), counted(network.edge_count(), "edge"),
        by_number(both, "stands", "stand")));
  }
  return words;
}

std::vector<std::string> likeness_hints(const NetworkPair& networks, const LabelSet* labels) {
  std::vector<std::string> words;
  const std::vector<UserId> namesakes = namesakes_of(networks);
  const auto equal = static_cast<std::uint64_t>(
      std::ranges::count_if(namesakes, [](UserId user) { return user != kNoUser; }));
  const std::uint64_t shared = shared_edges(networks, namesakes);
  const std::uint64_t edges_a = networks.a.edge_count();
  const std::uint64_t edges_b = networks.b.edge_count();
  if (equal > 0 && shared > 0 && shared == edges_a && shared == edges_b)
    words.emplace_back("The networks look identical: equal names, equal edges.");
  else if (equal > 0 && edges_a > 0 && shared == edges_a)
    words.emplace_back("A is contained in B: every edge of A is one of B, between equal names.");
  else if (equal > 0 && edges_b > 0 && shared == edges_b)
    words.emplace_back("B is contained in A: every edge of B is one of A, between equal names.");
  else if (edges_a > 0 && have_equal_degrees(networks))
    words.emplace_back("Both networks have the same degrees: one may be the other with new names.");
  if (equal == 0) return words;
  if (labels == nullptr || labels->anchors().empty()) {
    words.push_back(
        fmt::format("{} the name of a user of B. If equal names mean the same person, these "
                    "pairs are labels; dalaup itself does not look at names.",
                    counted(equal, "user of A has", "users of A have")));
    return words;
  }
  const auto named = std::ranges::count_if(
      labels->anchors(), [&](const UserPair& pair) { return namesakes[pair.a] == pair.b; });
  const double share = static_cast<double>(named) / static_cast<double>(labels->anchors().size());
  words.push_back(
      fmt::format("{} the name of a user of B; {:.0f} % of the labelled pairs have equal "
                  "names. {}",
                  counted(equal, "user of A has", "users of A have"), 100.0 * share,
                  share > 0.9   ? "Equal names could be joined without any method."
                  : share > 0.1 ? "Names say something; dalaup itself does not look at them."
                                : "Equal names do not mean the same person here."));
  return words;
}

std::vector<std::string> expected_accuracy(const NetworkPair& networks, const LabelSet& labels,
                                           Run& run) {
  const std::size_t anchors = labels.anchors().size();
  if (anchors < kFewestLabels || networks.a.edge_count() + networks.b.edge_count() > kMostEdges)
    return {};
  const std::size_t hidden = std::min(kMostHidden, anchors / 3);
  const Split split = split_truth(labels.anchors(), {.initial = 0, .validation = 0, .test = hidden},
                                  run.random("hidden labels"));
  LabelSet kept(networks.a.user_count(), networks.b.user_count());
  for (const UserPair pair : split.pool) kept.add(pair, Label::kAnchor);
  for (const UserPair pair : labels.negatives()) kept.add(pair, Label::kNotAnchor);
  const auto aligner = all_methods().make(kDefaultMethod);
  aligner->fit(networks, kept, run);
  return {hidden_words(aligner->ranks(split.test, run), split.pool.size())};
}

Network undirected(const Network& network) {
  NetworkBuilder builder;
  for (UserId user = 0; user < network.user_count(); ++user) builder.add_user(network.name(user));
  for (UserId user = 0; user < network.user_count(); ++user)
    for (const UserId neighbour : network.neighbours(user))
      if (neighbour > user) builder.add_edge(user, neighbour);
  return builder.build(false);
}

}  // namespace dalaup
