// DeepWalk: Perozzi, Al-Rfou, Skiena, "DeepWalk: online learning of social representations",
// KDD 2014; skip-gram with negative sampling in place of its hierarchical softmax.
#include <cmath>

#include "methods/deepwalk/deepwalk.h"

namespace dalaup {
namespace {

constexpr std::size_t kUsersPerPiece = 128;     // walks made by one piece
constexpr std::size_t kWalksPerPool = 1 << 14;  // bounds the memory of pairs waiting for training

// Pairs of rows (vector, context) met on walks from users[begin, end), by pair of blocks.
using Buckets = std::vector<std::vector<Sample>>;

void walk_and_pair(const Network& network, const DeepWalkParams& params,
                   std::span<const UserId> starts, std::span<const std::uint32_t> block,
                   std::size_t blocks, Random random, Buckets& buckets) {
  std::vector<UserId> walk;
  for (const UserId start : starts) {
    walk.assign(1, start);
    while (walk.size() < static_cast<std::size_t>(params.walk_length)) {
      const auto neighbours = network.neighbours(walk.back());
      if (neighbours.empty()) break;
      walk.push_back(neighbours[random.below(neighbours.size())]);
    }
    const auto length = static_cast<std::int64_t>(walk.size());
    for (std::int64_t centre = 0; centre < length; ++centre) {
      // word2vec draws the reach, so that near users count more.
      const auto reach =
          1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(params.window)));
      for (std::int64_t place = std::max<std::int64_t>(0, centre - reach);
           place <= std::min(length - 1, centre + reach); ++place) {
        if (place == centre) continue;
        const UserId user = walk[static_cast<std::size_t>(centre)];
        const UserId context = walk[static_cast<std::size_t>(place)];
        buckets[block[user] * blocks + block[context]].push_back(
            {user, network.user_count() + context});
      }
    }
  }
}

Matrix walk_vectors(const Network& network, const DeepWalkParams& params, Run& run,
                    const std::string& purpose) {
  const std::size_t users = network.user_count();
  const int block_total = block_count(users);
  const auto blocks = static_cast<std::size_t>(block_total);
  const auto block = deal_into_blocks(users, block_total, run.random(purpose + " blocks"));

  BlockTrainer trainer;
  trainer.table = padded_table(2 * users, params.embedding_dim);
  fill_randomly(trainer.table, 0, users, params.embedding_dim, run, purpose + " start");
  trainer.negatives.resize(blocks);
  std::vector<std::vector<double>> weights(blocks);
  for (UserId user = 0; user < users; ++user) {
    weights[block[user]].push_back(std::pow(network.degree(user), kDegreePower));
    trainer.negatives[block[user]].rows.push_back(network.user_count() + user);
  }
  for (std::size_t own = 0; own < blocks; ++own)
    trainer.negatives[own].table = AliasTable(weights[own]);

  std::vector<UserId> order(users);
  for (UserId user = 0; user < users; ++user) order[user] = user;
  const std::size_t pools = (users + kWalksPerPool - 1) / kWalksPerPool;
  const std::size_t pool_total = pools * static_cast<std::size_t>(params.walks_per_user);
  Task progress(run, purpose, pool_total);
  for (std::size_t pool = 0; pool < pool_total; ++pool) {
    if (pool % pools == 0) run.random(purpose + " order", pool).shuffle(std::span(order));
    const std::size_t begin = pool % pools * kWalksPerPool;
    const auto starts = std::span(order).subspan(begin, std::min(kWalksPerPool, users - begin));
    const std::size_t pieces = (starts.size() + kUsersPerPiece - 1) / kUsersPerPiece;
    std::vector<Buckets> made(pieces, Buckets(blocks * blocks));
    run.for_pieces(starts.size(), kUsersPerPiece, [&](const Piece& piece) {
      const std::size_t number = piece.begin / kUsersPerPiece;
      walk_and_pair(network, params, starts.subspan(piece.begin, piece.end - piece.begin), block,
                    blocks, run.random(purpose + " walks", pool * kWalksPerPool + piece.begin),
                    made[number]);
    });
    trainer.rounds.clear();
    for (const auto& round : two_table_rounds(block_total)) {
      auto& into = trainer.rounds.emplace_back();
      for (const auto& [vectors, contexts] : round) {
        const auto bucket =
            static_cast<std::size_t>(vectors) * blocks + static_cast<std::size_t>(contexts);
        auto& task = into.emplace_back();
        for (auto& piece : made)
          task.push_back({.samples = std::move(piece[bucket]),
                          .table = {},
                          .weight = 0.0,
                          .negatives = static_cast<std::uint32_t>(contexts)});
      }
    }
    const double done = static_cast<double>(pool) / static_cast<double>(pool_total);
    trainer.sweep(params.negatives, falling_rate(params.learning_rate, done), run,
                  purpose + " steps", pool);
    progress.advance();
  }
  return trainer.table.topLeftCorner(static_cast<Eigen::Index>(users), params.embedding_dim);
}

}  // namespace

DeepWalkAligner::DeepWalkAligner(const DeepWalkParams& params)
    : EmbeddingAligner(params.calibration_share), params_(params) {
  check_fields(params_);
}

void DeepWalkAligner::prepare(const NetworkPair& networks, Run& run) {
  separate_ = {walk_vectors(networks.a, params_, run, "deepwalk A"),
               walk_vectors(networks.b, params_, run, "deepwalk B")};
}

Embeddings DeepWalkAligner::train(const NetworkPair&, const LabelSet& labels, Run&) {
  if (params_.align == "none") return separate_;
  if (labels.anchors().empty())
    throw InputError("deepwalk: found no anchor pair, expected at least one for procrustes");
  return turned_onto(separate_, labels.anchors());
}

}  // namespace dalaup
