// PALE: Man, Shen, Liu, Jin, Cheng, "Predict anchor links across social networks via an embedding
// approach", IJCAI 2016.
#include <algorithm>
#include <cmath>

#include "methods/pale/pale.h"
#include "methods/pale/pale_edges.h"

namespace dalaup {
namespace {

// Vectors whose products tell edges from random pairs: log s(u.v) + sum log s(-u.n).
Matrix edge_vectors(std::span<const Edge> edges, std::size_t users, const PaleParams& params,
                    Run& run, const std::string& purpose) {
  const int block_total = block_count(users);
  const auto blocks = static_cast<std::size_t>(block_total);
  const auto block = deal_into_blocks(users, block_total, run.random(purpose + " blocks"));
  std::vector<double> degrees(users, 0.0);
  for (const Edge& edge : edges) {
    degrees[edge.left] += 1.0;
    degrees[edge.right] += 1.0;
  }
  BlockTrainer trainer;
  trainer.table = padded_table(users, params.embedding_dim);
  fill_randomly(trainer.table, 0, users, params.embedding_dim, run, purpose + " start");
  trainer.negatives.resize(blocks);
  std::vector<std::vector<double>> weights(blocks);
  for (UserId user = 0; user < users; ++user) {
    weights[block[user]].push_back(std::pow(degrees[user], kDegreePower));
    trainer.negatives[block[user]].rows.push_back(user);
  }
  for (std::size_t own = 0; own < blocks; ++own)
    trainer.negatives[own].table = AliasTable(weights[own]);

  // A task holds the edges between two blocks, one part for each direction.
  std::vector<TrainingTask> tasks(blocks * blocks, TrainingTask(2));
  const auto add = [&](UserId fixed, UserId candidate) {
    const std::size_t low = std::min(block[fixed], block[candidate]);
    const std::size_t high = std::max(block[fixed], block[candidate]);
    SamplePart& part = tasks[low * blocks + high][block[fixed] <= block[candidate] ? 0 : 1];
    part.samples.push_back({fixed, candidate});
    part.weight += 1.0;
    part.negatives = block[candidate];
  };
  for (const Edge& edge : edges) {
    add(edge.left, edge.right);
    add(edge.right, edge.left);
  }
  for (const auto& round : one_table_rounds(block_total)) {
    auto& into = trainer.rounds.emplace_back();
    for (const auto& [low, high] : round)
      into.push_back(std::move(
          tasks[static_cast<std::size_t>(low) * blocks + static_cast<std::size_t>(high)]));
  }
  trainer.train({.negatives = params.negatives,
                 .learning_rate = params.learning_rate,
                 .epochs = params.epochs,
                 .draws_per_epoch = 2.0 * static_cast<double>(edges.size())},
                run, purpose);
  return trainer.table.leftCols(params.embedding_dim);
}

}  // namespace

std::vector<Edge> extended_edges(const NetworkPair& networks, const LabelSet& labels, Side side,
                                 bool extend) {
  const Network& own = networks.on(side);
  std::vector<Edge> edges;
  for (UserId user = 0; user < own.user_count(); ++user)
    for (const UserId neighbour : own.neighbours(user))
      if (user < neighbour) edges.push_back({user, neighbour});
  if (!extend) return edges;
  for (const UserPair& pair : labels.anchors()) {
    const UserId user = pair.on(side);
    for (const UserId neighbour : networks.on(other(side)).neighbours(pair.on(other(side)))) {
      const UserId image = labels.partner(other(side), neighbour);
      if (image != kNoUser && user < image) edges.push_back({user, image});
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

PaleAligner::PaleAligner(const PaleParams& params)
    : EmbeddingAligner(params.calibration_share), params_(params) {
  check_fields(params_);
}

Embeddings PaleAligner::train(const NetworkPair& networks, const LabelSet& labels, Run& run) {
  if (labels.anchors().empty())
    throw InputError("pale: found no anchor pair, expected at least one to learn the mapping from");
  const Embeddings separate{edge_vectors(extended_edges(networks, labels, Side::kA, params_.extend),
                                         networks.a.user_count(), params_, run, "pale A"),
                            edge_vectors(extended_edges(networks, labels, Side::kB, params_.extend),
                                         networks.b.user_count(), params_, run, "pale B")};
  if (params_.mapping == "linear")
    return mapped_linearly(separate, labels.anchors(), params_.mapping_regularisation);
  return mapped_by_hidden_layer(separate, labels.anchors(),
                                {.units = params_.hidden_units,
                                 .epochs = params_.mapping_epochs,
                                 .regularisation = params_.mapping_regularisation},
                                run.random("pale mapping"), run);
}

}  // namespace dalaup
