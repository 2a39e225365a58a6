#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/attribute_info.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/pair_hints.h"
#include "cli/pair_input.h"
#include "evaluation/evaluation.h"
#include "labels/labels.h"

namespace dalaup {
namespace {

struct Options {
  PairOptions pair;
  std::string labels;
  LabelInput label_input;
  bool quick = false;
};

struct Shape {
  std::uint64_t users = 0;
  std::uint64_t edges = 0;
  std::uint64_t isolated = 0;
  double mean_degree = 0.0;
  double median_degree = 0.0;
  std::uint32_t largest_degree = 0;
  double skew = 0.0;  // third standardised moment of the degrees
  std::uint64_t components = 0;
  std::uint64_t largest_component = 0;
};

// Sizes of the connected components, isolated users included.
std::vector<std::uint64_t> component_sizes(const Network& network) {
  std::vector<bool> seen(network.user_count(), false);
  std::vector<UserId> open;
  std::vector<std::uint64_t> sizes;
  for (UserId start = 0; start < network.user_count(); ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    open.push_back(start);
    std::uint64_t size = 0;
    while (!open.empty()) {
      const UserId user = open.back();
      open.pop_back();
      ++size;
      for (const UserId neighbour : network.neighbours(user)) {
        if (seen[neighbour]) continue;
        seen[neighbour] = true;
        open.push_back(neighbour);
      }
    }
    sizes.push_back(size);
  }
  return sizes;
}

Shape shape_of(const Network& network) {
  Shape shape;
  shape.users = network.user_count();
  shape.edges = network.edge_count();
  std::vector<std::uint32_t> degrees(network.user_count());
  for (UserId user = 0; user < network.user_count(); ++user) degrees[user] = network.degree(user);
  std::ranges::sort(degrees);
  const std::size_t count = degrees.size();
  shape.isolated = static_cast<std::uint64_t>(std::ranges::count(degrees, 0U));
  shape.largest_degree = degrees.back();
  shape.median_degree = (degrees[(count - 1) / 2] + degrees[count / 2]) / 2.0;
  shape.mean_degree = 2.0 * static_cast<double>(shape.edges) / static_cast<double>(count);
  double square = 0.0;
  double cube = 0.0;
  for (const std::uint32_t degree : degrees) {
    const double difference = degree - shape.mean_degree;
    square += difference * difference;
    cube += difference * difference * difference;
  }
  const double deviation = std::sqrt(square / static_cast<double>(count));
  if (deviation > 0.0) shape.skew = cube / static_cast<double>(count) / std::pow(deviation, 3.0);
  const auto sizes = component_sizes(network);
  shape.components = sizes.size();
  shape.largest_component = *std::ranges::max_element(sizes);
  return shape;
}

struct LabelFacts {
  std::uint64_t anchors = 0;
  std::uint64_t negatives = 0;
  std::uint64_t sharing_none = 0;  // anchor pairs by their common labelled neighbours
  std::uint64_t sharing_one = 0;
  std::uint64_t sharing_more = 0;
  std::uint64_t edges_a = 0;  // among labelled users
  std::uint64_t edges_b = 0;
  std::uint64_t edges_both = 0;
  FileOrder order = {};
};

LabelFacts facts_of(const NetworkPair& networks, const LabelSet& labels) {
  LabelFacts facts;
  facts.anchors = labels.anchors().size();
  facts.negatives = labels.negatives().size();
  facts.order = file_order(networks, labels.anchors());
  for (const UserPair pair : labels.anchors()) {
    std::uint64_t common = 0;
    const auto neighbours_b = networks.b.neighbours(pair.b);
    for (const UserId neighbour : networks.a.neighbours(pair.a)) {
      const UserId partner = labels.partner(Side::kA, neighbour);
      if (partner == kNoUser) continue;
      ++facts.edges_a;
      common += std::ranges::binary_search(neighbours_b, partner) ? 1U : 0U;
    }
    for (const UserId neighbour : neighbours_b)
      facts.edges_b += labels.is_anchored(Side::kB, neighbour) ? 1U : 0U;
    facts.edges_both += common;
    ++(common == 0 ? facts.sharing_none : common == 1 ? facts.sharing_one : facts.sharing_more);
  }
  facts.edges_a /= 2;  // each was met from both ends
  facts.edges_b /= 2;
  facts.edges_both /= 2;
  return facts;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// What the measurements on real pairs let one expect, in words.
std::vector<std::string> expectations(const Shape& a, const Shape& b, const LabelFacts* facts) {
  std::vector<std::string> words;
  const double ratio = a.mean_degree > 0.0 ? b.mean_degree / a.mean_degree : 0.0;
  if (ratio > 4.0 || ratio < 0.25)
    words.push_back(
        "The networks differ much in density; expect less than on pairs of similar density.");
  if (a.isolated + b.isolated > 0)
    words.push_back(fmt::format("{} no edges: structure cannot place {}.",
                                counted(a.isolated + b.isolated, "user has", "users have"),
                                by_number(a.isolated + b.isolated, "it", "them")));
  if (facts == nullptr) {
    words.push_back(
        "No labels given. The default method needs about 40 to 80 anchor pairs to take off.");
    return words;
  }
  if (facts->anchors < 40)
    words.push_back(
        fmt::format("{} few: the default method takes off at about 40 to 80. Label more "
                    "(dalaup label), users with many edges first.",
                    counted(facts->anchors, "anchor pair is", "anchor pairs are")));
  else if (facts->anchors < 80)
    words.push_back(fmt::format(
        "{} anchor pairs are near the threshold of about 40 to 80 where the default method takes "
        "off; some more labels may lift it a lot.",
        grouped(facts->anchors)));
  else
    words.push_back(
        fmt::format("{} anchor pairs are above the threshold of about 40 to 80 where the default "
                    "method takes off.",
                    grouped(facts->anchors)));
  if (facts->anchors > 0)
    words.push_back(fmt::format(
        "{:.0f} % of the labelled pairs share no labelled neighbour; users like them are hard to "
        "find, those sharing two or more are easy.",
        100.0 * share(facts->sharing_none, facts->anchors)));
  if (facts->order.tells_partners()) words.push_back(facts->order.place_words());
  return words;
}

nlohmann::ordered_json json_of(const Shape& shape) {
  return {{"users", shape.users},
          {"edges", shape.edges},
          {"isolated", shape.isolated},
          {"mean_degree", shape.mean_degree},
          {"median_degree", shape.median_degree},
          {"largest_degree", shape.largest_degree},
          {"degree_skew", shape.skew},
          {"components", shape.components},
          {"largest_component", shape.largest_component}};
}

void print_shapes(const Shape& a, const Shape& b, Session& session) {
  const auto row = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    session.print("{:<22}{:>12}{:>12}\n", what, of_a, of_b);
  };
  row("", "A", "B");
  row("users", grouped(a.users), grouped(b.users));
  row("edges", grouped(a.edges), grouped(b.edges));
  row("users without edges", grouped(a.isolated), grouped(b.isolated));
  row("degree, median", fmt::format("{:.1f}", a.median_degree),
      fmt::format("{:.1f}", b.median_degree));
  row("degree, mean", fmt::format("{:.1f}", a.mean_degree), fmt::format("{:.1f}", b.mean_degree));
  row("degree, largest", grouped(a.largest_degree), grouped(b.largest_degree));
  row("degree, skew", fmt::format("{:.1f}", a.skew), fmt::format("{:.1f}", b.skew));
  row("components", grouped(a.components), grouped(b.components));
  row("largest component", grouped(a.largest_component), grouped(b.largest_component));
}

void print_facts(const LabelFacts& facts, Session& session) {
  session.print("labels                {}, {} \"not the same\"\n",
                counted(facts.anchors, "anchor pair"), counted(facts.negatives, "answer"));
  session.print("labelled pairs sharing labelled neighbours: none {}, one {}, two or more {}\n",
                grouped(facts.sharing_none), grouped(facts.sharing_one),
                grouped(facts.sharing_more));
  session.print(
      "edges among labelled users: {} in A, {} in B, {} in both ({:.1f} % of A's, {:.1f} % of "
      "B's)\n",
      grouped(facts.edges_a), grouped(facts.edges_b), grouped(facts.edges_both),
      100.0 * share(facts.edges_both, facts.edges_a),
      100.0 * share(facts.edges_both, facts.edges_b));
  if (facts.anchors >= 5)
    session.print(
        "places of labelled partners in the two files: rank correlation {:.2f}, beyond their "
        "degrees {:.2f} (by chance within {:.2f} of 0)\n",
        facts.order.rank_correlation, facts.order.beyond_degrees, facts.order.chance);
  session.print("labelled pairs with equal names: {}\n", grouped(facts.order.equal_names));
}

void info(const Options& options, Session& session) {
  // Read with direction in any case: whether that seems to matter is one of the hints.
  PairOptions pair_options = options.pair;
  pair_options.directed = true;
  pair_options.tells_direction = !options.pair.directed;
  const NetworkPair networks = read_pair(pair_options, session.run());
  std::optional<LabelSet> labels;
  std::optional<LabelFacts> facts;
  if (!options.labels.empty()) {
    labels = read_labels(options.labels, networks, options.label_input, session.run());
    facts = facts_of(networks, *labels);
  }
  const Shape a = shape_of(networks.a);
  const Shape b = shape_of(networks.b);
  auto& summary = session.summary();
  summary["a"] = json_of(a);
  summary["b"] = json_of(b);
  print_shapes(a, b, session);
  const double ratio = a.mean_degree > 0.0 ? b.mean_degree / a.mean_degree : 0.0;
  summary["density_ratio"] = ratio;
  session.print("{:<22}{:.2f} (mean degree of B over A)\n", "density ratio", ratio);
  if (facts) {
    print_facts(*facts, session);
    summary["labels"] = {{"anchors", facts->anchors},
                         {"negatives", facts->negatives},
                         {"sharing_no_labelled_neighbour", facts->sharing_none},
                         {"sharing_one", facts->sharing_one},
                         {"sharing_two_or_more", facts->sharing_more},
                         {"edges_a", facts->edges_a},
                         {"edges_b", facts->edges_b},
                         {"edges_both", facts->edges_both},
                         {"place_rank_correlation", facts->order.rank_correlation},
                         {"place_rank_correlation_beyond_degrees", facts->order.beyond_degrees},
                         {"place_rank_correlation_by_chance", facts->order.chance},
                         {"equal_names", facts->order.equal_names}};
  }
  describe_attributes(networks,
                      labels ? *labels : LabelSet(networks.a.user_count(), networks.b.user_count()),
                      session);
  auto words = expectations(a, b, facts ? &*facts : nullptr);
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (!options.pair.directed) add(direction_hints(networks));
  add(likeness_hints(networks, labels ? &*labels : nullptr));
  if (labels && !options.quick) {
    const auto without_direction = [&] {
      NetworkPair pair;
      pair.a = undirected(networks.a);
      pair.b = undirected(networks.b);
      pair.attributes = networks.attributes;
      return pair;
    };
    add(options.pair.directed ? expected_accuracy(networks, *labels, session.run())
                              : expected_accuracy(without_direction(), *labels, session.run()));
  }
  session.print("\nwhat to expect\n");
  for (const auto& sentence : words) session.print("  {}\n", sentence);
  summary["expect"] = words;
}

}  // namespace

void add_info_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("info", "sizes of two networks, their labels, what to expect");
  add_pair_options(command, options->pair);
  command.group("Input");
  command.optional("labels", options->labels, "FILE", "known pairs: a<TAB>b or a<TAB>b<TAB>label");
  add_label_options(command, options->label_input);
  command.flag("quick", options->quick, "no estimate of the accuracy, which needs a fit");
  command.action([options](Session& session) { info(*options, session); });
}

}  // namespace dalaup
