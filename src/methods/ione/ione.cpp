// IONE: Liu, Cheung, Li, Liao, "Aligning users across social networks using network embedding",
// IJCAI 2016. For each edge i -> j the vector of i predicts the input context of j, and the vector
// of j the output context of i. Anchors are one row of the table in both networks.
#include <cmath>

#include "methods/ione/ione.h"

namespace dalaup {
namespace {

// Users of both networks with each anchor's two accounts as one person.
struct People {
  std::vector<std::uint32_t> of[2];  // person of a user
  std::uint32_t count = 0;

  People(const NetworkPair& networks, const LabelSet& labels) {
    of[0].resize(networks.a.user_count());
    of[1].resize(networks.b.user_count());
    for (auto& person : of[0]) person = count++;
    for (UserId user = 0; user < of[1].size(); ++user)
      of[1][user] =
          labels.is_anchored(Side::kB, user) ? of[0][labels.partner(Side::kB, user)] : count++;
  }
};

struct Arc {
  UserId from;
  UserId to;
  double weight;
};

// Directed lines; every undirected edge counts in both directions.
std::vector<Arc> arcs_of(const Network& network) {
  const Adjacency& from = network.is_directed() ? network.out() : network.both();
  std::vector<Arc> arcs;
  arcs.reserve(from.users.size());
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto neighbours = from.of(user);
    const auto weights = from.weights_of(user);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      arcs.push_back({user, neighbours[i], weights.empty() ? 1.0 : weights[i]});
  }
  return arcs;
}

std::vector<double> degrees_of(const Network& network, std::span<const Arc> arcs) {
  std::vector<double> degrees(network.user_count(), 0.0);
  for (const Arc& arc : arcs) {
    degrees[arc.from] += arc.weight;
    degrees[arc.to] += arc.weight;
  }
  return degrees;
}

// Row of a person's vector and contexts in the table.
struct TableRows {
  std::uint32_t people;
  std::uint32_t vector(std::uint32_t person) const { return person; }
  std::uint32_t input(std::uint32_t person) const { return people + person; }
  std::uint32_t output(std::uint32_t person) const { return 2 * people + person; }
};

}  // namespace

IoneAligner::IoneAligner(const IoneParams& params)
    : EmbeddingAligner(params.calibration_share), params_(params) {
  check_fields(params_);
}

Embeddings IoneAligner::train(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  if (labels.anchors().empty())
    throw InputError("ione: found no anchor pair, expected at least one to tie the networks");
  const People people(networks, labels);
  const TableRows rows{people.count};
  const int blocks = block_count(people.count);
  const auto block = deal_into_blocks(people.count, blocks, run.random("ione blocks"));
  const auto block_total = static_cast<std::size_t>(blocks);

  BlockTrainer trainer;
  trainer.table = padded_table(3 * std::size_t{people.count}, params_.embedding_dim);
  fill_randomly(trainer.table, 0, people.count, params_.embedding_dim, run, "ione start");

  // Negatives for a candidate: users of the same network and block, as vector or as input context.
  trainer.negatives.resize(4 * block_total);
  const auto negatives_of = [&](std::size_t network, bool is_context, std::size_t of_block) {
    return static_cast<std::uint32_t>((network * 2 + (is_context ? 1 : 0)) * block_total +
                                      of_block);
  };
  // Parts of a task: by network and direction.
  std::vector<TrainingTask> tasks(block_total * block_total, TrainingTask(4));
  double arc_total = 0.0;
  for (std::size_t number = 0; number < 2; ++number) {
    const Network& network = number == 0 ? networks.a : networks.b;
    const auto& person = people.of[number];
    const std::vector<Arc> arcs = arcs_of(network);
    const std::vector<double> degrees = degrees_of(network, arcs);
    arc_total += static_cast<double>(arcs.size());
    std::vector<std::vector<double>> weights(block_total);
    for (UserId user = 0; user < network.user_count(); ++user) {
      const std::uint32_t own = block[person[user]];
      weights[own].push_back(std::pow(degrees[user], kDegreePower));
      trainer.negatives[negatives_of(number, false, own)].rows.push_back(rows.vector(person[user]));
      trainer.negatives[negatives_of(number, true, own)].rows.push_back(rows.input(person[user]));
    }
    for (std::size_t own = 0; own < block_total; ++own)
      for (const bool is_context : {false, true})
        trainer.negatives[negatives_of(number, is_context, own)].table = AliasTable(weights[own]);

    std::vector<std::vector<double>> arc_weights(tasks.size() * 2);
    double weight_total = 0.0;
    for (const Arc& arc : arcs) weight_total += arc.weight;
    const auto add = [&](std::uint32_t vector_block, std::uint32_t context_block, std::size_t way,
                         const Sample& sample, std::uint32_t from, double weight) {
      const std::size_t task = vector_block * block_total + context_block;
      SamplePart& part = tasks[task][2 * number + way];
      part.samples.push_back(sample);
      part.weight += weight / weight_total;
      part.negatives = from;
      if (network.has_weights()) arc_weights[task * 2 + way].push_back(weight);
    };
    for (const Arc& arc : arcs) {
      const std::uint32_t from = person[arc.from];
      const std::uint32_t to = person[arc.to];
      add(block[from], block[to], 0, {rows.vector(from), rows.input(to)},
          negatives_of(number, true, block[to]), arc.weight);
      add(block[to], block[from], 1, {rows.output(from), rows.vector(to)},
          negatives_of(number, false, block[to]), arc.weight);
    }
    if (network.has_weights())
      for (std::size_t task = 0; task < tasks.size(); ++task)
        for (std::size_t way = 0; way < 2; ++way)
          tasks[task][2 * number + way].table = AliasTable(arc_weights[task * 2 + way]);
  }
  for (const auto& round : two_table_rounds(blocks)) {
    auto& into = trainer.rounds.emplace_back();
    for (const auto& [vectors, contexts] : round)
      into.push_back(std::move(tasks[static_cast<std::size_t>(vectors) * block_total +
                                     static_cast<std::size_t>(contexts)]));
  }
  trainer.train({.negatives = params_.negatives,
                 .learning_rate = params_.learning_rate,
                 .epochs = params_.epochs,
                 .draws_per_epoch = 2.0 * arc_total},
                run, "ione");

  Embeddings vectors{Matrix(networks.a.user_count(), params_.embedding_dim),
                     Matrix(networks.b.user_count(), params_.embedding_dim)};
  for (UserId user = 0; user < networks.a.user_count(); ++user)
    vectors.a.row(user) = trainer.table.row(people.of[0][user]).head(params_.embedding_dim);
  for (UserId user = 0; user < networks.b.user_count(); ++user)
    vectors.b.row(user) = trainer.table.row(people.of[1][user]).head(params_.embedding_dim);
  return vectors;
}

}  // namespace dalaup
