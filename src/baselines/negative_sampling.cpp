#include "baselines/negative_sampling.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace dalaup {
namespace {

constexpr std::size_t kFewestUsersPerBlock = 256;  // negatives need company to be drawn from
constexpr int kMostBlocks = 16;
constexpr int kPadding = 8;  // floats in a vector register
constexpr int kTriesForANegative = 4;
constexpr std::size_t kRowsPerPiece = 1024;

using Row = Eigen::Map<Eigen::ArrayXf, Eigen::Unaligned>;

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0.0)) return;
  entries_.resize(weights.size());
  std::vector<double> share(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] * static_cast<double>(weights.size()) / total;
    (share[i] < 1.0 ? small : large).push_back(i);
  }
  constexpr double kWhole = 4294967295.0;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back();
    const std::uint32_t rich = large.back();
    small.pop_back();
    entries_[poor] = {static_cast<std::uint32_t>(share[poor] * kWhole), rich};
    share[rich] -= 1.0 - share[poor];
    if (share[rich] >= 1.0) continue;
    large.pop_back();
    small.push_back(rich);
  }
  for (const auto& rest : {small, large})
    for (const std::uint32_t i : rest) entries_[i] = {~std::uint32_t{0}, i};
}

std::uint32_t AliasTable::draw(Random& random) const {
  const std::uint64_t bits = random.next();
  const auto index = static_cast<std::uint32_t>(((bits >> 32) * entries_.size()) >> 32);
  const auto share = static_cast<std::uint32_t>(bits);
  return share <= entries_[index].own_share ? index : entries_[index].alias;
}

void negative_sampling_step(float* fixed, std::span<float* const> candidates, int dim, float rate,
                            float* change) {
  const Row row(fixed, dim);
  Row moved(change, dim);
  moved.setZero();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    Row candidate(candidates[k], dim);
    const float product = (row * candidate).sum();
    const float probability = 1.0F / (1.0F + std::exp(-product));
    const float strength = rate * ((k == 0 ? 1.0F : 0.0F) - probability);
    moved += strength * candidate;
    candidate += strength * row;
  }
  Row(fixed, dim) += moved;
}

std::vector<std::vector<std::pair<int, int>>> two_table_rounds(int blocks) {
  std::vector<std::vector<std::pair<int, int>>> rounds(static_cast<std::size_t>(blocks));
  for (int round = 0; round < blocks; ++round)
    for (int block = 0; block < blocks; ++block)
      rounds[static_cast<std::size_t>(round)].emplace_back(block, (block + round) % blocks);
  return rounds;
}

// For a power of two, p meets p xor round: everyone meets everyone, once.
std::vector<std::vector<std::pair<int, int>>> one_table_rounds(int blocks) {
  std::vector<std::vector<std::pair<int, int>>> rounds(static_cast<std::size_t>(blocks));
  for (int round = 0; round < blocks; ++round)
    for (int block = 0; block < blocks; ++block)
      if (block <= (block ^ round))
        rounds[static_cast<std::size_t>(round)].emplace_back(block, block ^ round);
  return rounds;
}

int block_count(std::size_t users) {
  int blocks = 1;
  while (blocks < kMostBlocks &&
         users >= kFewestUsersPerBlock * 2 * static_cast<std::size_t>(blocks))
    blocks *= 2;
  return blocks;
}

std::vector<std::uint32_t> deal_into_blocks(std::size_t users, int blocks, Random random) {
  std::vector<std::uint32_t> dealt(users);
  for (std::size_t user = 0; user < users; ++user)
    dealt[user] = static_cast<std::uint32_t>(user % static_cast<std::size_t>(blocks));
  random.shuffle(std::span(dealt));
  return dealt;
}

Matrix padded_table(std::size_t rows, int dim) {
  const int columns = (dim + kPadding - 1) / kPadding * kPadding;
  Matrix table = large_matrix(rows, static_cast<std::size_t>(columns));
  table.setZero();
  return table;
}

void fill_randomly(Matrix& table, std::size_t begin, std::size_t end, int dim, Run& run,
                   std::string_view purpose) {
  run.for_pieces(end - begin, kRowsPerPiece, [&](const Piece& piece) {
    Random random = run.random(purpose, piece.begin);
    for (std::size_t row = begin + piece.begin; row < begin + piece.end; ++row)
      for (int column = 0; column < dim; ++column)
        table(static_cast<Eigen::Index>(row), column) =
            static_cast<float>((random.uniform() - 0.5) / dim);
  });
}

double falling_rate(double learning_rate, double done) {
  return learning_rate * std::max(1.0 - done, 1e-4);
}

void BlockTrainer::step(const Sample& sample, const NegativeRows& from, int count, float rate,
                        Random& random, std::vector<float*>& candidates,
                        std::vector<float>& change) {
  const auto dim = static_cast<std::size_t>(table.cols());
  candidates.clear();
  candidates.push_back(table.data() + sample.candidate * dim);
  for (int k = 0; k < count && !from.table.empty(); ++k)
    for (int attempt = 0; attempt < kTriesForANegative; ++attempt) {
      const std::uint32_t row = from.rows[from.table.draw(random)];
      if (row == sample.candidate || row == sample.fixed) continue;
      candidates.push_back(table.data() + row * dim);
      break;
    }
  negative_sampling_step(table.data() + sample.fixed * dim, candidates, static_cast<int>(dim), rate,
                         change.data());
}

void BlockTrainer::train(const TrainingPlan& plan, Run& run, std::string_view purpose) {
  double total_weight = 0.0;
  std::uint64_t task_count = 0;
  for (const auto& round : rounds)
    for (const auto& task : round) {
      ++task_count;
      for (const auto& part : task) total_weight += part.weight;
    }
  Task progress(run, purpose, static_cast<std::uint64_t>(plan.epochs));
  for (std::int64_t epoch = 0; epoch < plan.epochs; ++epoch) {
    std::uint64_t task_number = static_cast<std::uint64_t>(epoch) * task_count;
    for (std::size_t number = 0; number < rounds.size(); ++number) {
      const auto& round = rounds[number];
      const double done = (static_cast<double>(epoch) +
                           static_cast<double>(number) / static_cast<double>(rounds.size())) /
                          static_cast<double>(plan.epochs);
      const auto rate = static_cast<float>(falling_rate(plan.learning_rate, done));
      run.for_pieces(round.size(), 1, [&](const Piece& piece) {
        const TrainingTask& task = round[piece.begin];
        Random random = run.random(purpose, task_number + piece.begin);
        std::vector<double> weights;
        double weight = 0.0;
        for (const auto& part : task) weight += weights.emplace_back(part.weight);
        const AliasTable parts(weights);
        const auto draws = static_cast<std::int64_t>(weight / total_weight * plan.draws_per_epoch +
                                                     random.uniform());
        std::vector<float*> candidates;
        std::vector<float> change(static_cast<std::size_t>(table.cols()));
        for (std::int64_t i = 0; i < draws && !parts.empty(); ++i) {
          const SamplePart& part = task[parts.draw(random)];
          const std::size_t index =
              part.table.empty() ? random.below(part.samples.size()) : part.table.draw(random);
          step(part.samples[index], negatives[part.negatives], plan.negatives, rate, random,
               candidates, change);
        }
      });
      task_number += round.size();
    }
    progress.advance();
  }
}

void BlockTrainer::sweep(int negatives_per_sample, double rate, Run& run, std::string_view purpose,
                         std::uint64_t sweep_number) {
  std::uint64_t task_number = 0;
  for (const auto& round : rounds) task_number += round.size();
  task_number *= sweep_number;
  for (const auto& round : rounds) {
    run.for_pieces(round.size(), 1, [&](const Piece& piece) {
      Random random = run.random(purpose, task_number + piece.begin);
      std::vector<float*> candidates;
      std::vector<float> change(static_cast<std::size_t>(table.cols()));
      for (const auto& part : round[piece.begin])
        for (const Sample& sample : part.samples)
          step(sample, negatives[part.negatives], negatives_per_sample, static_cast<float>(rate),
               random, candidates, change);
    });
    task_number += round.size();
  }
}

}  // namespace dalaup
