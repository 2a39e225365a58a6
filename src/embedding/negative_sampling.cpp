#include "embedding/negative_sampling.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace dalaup {
namespace {

constexpr std::size_t kFewestUsersPerBlock = 256;  // negatives need company to be drawn from
constexpr int kMostBlocks = 16;
constexpr int kPadding = 16;  // floats in the widest vector register
constexpr int kTriesForANegative = 4;
constexpr std::size_t kRowsPerPiece = 1024;

// products[k] = fixed . candidates[k], a few candidates at a time: their sums do not wait for one
// another.
template <class V, std::size_t kCandidates>
DALAUP_INLINE void multiply_tile(const float* fixed, float* const* candidates, std::size_t dim,
                                 float* products) {
  typename V::Lanes sums[kCandidates];
  for (auto& sum : sums) sum = typename V::Lanes{};
  for (std::size_t place = 0; place < dim; place += V::kCount) {
    typename V::Lanes own;
    V::load(fixed + place, own);
    for (std::size_t k = 0; k < kCandidates; ++k) {
      typename V::Lanes values;
      V::load(candidates[k] + place, values);
      sums[k] += own * values;
    }
  }
  for (std::size_t k = 0; k < kCandidates; ++k) products[k] = V::sum(sums[k]);
}

struct NegativeSampling {
  template <class V>
  DALAUP_INLINE static void run(float* fixed, std::span<float* const> candidates, std::size_t dim,
                                float rate, float* strengths) {
    constexpr std::size_t kTile = 6;  // one that belongs and the usual five negatives
    std::size_t k = 0;
    for (; k + kTile <= candidates.size(); k += kTile)
      multiply_tile<V, kTile>(fixed, candidates.data() + k, dim, strengths + k);
    for (; k < candidates.size(); ++k)
      multiply_tile<V, 1>(fixed, candidates.data() + k, dim, strengths + k);
    for (k = 0; k < candidates.size(); k += V::kCount) {
      typename V::Lanes lanes;
      V::load(strengths + k, lanes);
      V::squash(lanes);
      V::store(strengths + k, -rate * lanes);
    }
    strengths[0] += rate;
    for (std::size_t place = 0; place < dim; place += V::kCount) {
      typename V::Lanes own;
      V::load(fixed + place, own);
      typename V::Lanes moved = own;
      for (k = 0; k < candidates.size(); ++k) {
        typename V::Lanes values;
        V::load(candidates[k] + place, values);
        moved += strengths[k] * values;
        V::store(candidates[k] + place, values + strengths[k] * own);
      }
      V::store(fixed + place, moved);
    }
  }
};

}  // namespace

void negative_sampling_step(float* fixed, std::span<float* const> candidates, std::size_t dim,
                            float rate, std::vector<float>& scratch) {
  scratch.resize(candidates.size() + kPadding);
  run_kernel<NegativeSampling>(fixed, candidates, dim, rate, scratch.data());
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

namespace {

// Draws the rows of a step and asks memory for them some steps before they are needed.
class PendingSteps {
 public:
  PendingSteps(Matrix& table, int negatives, float rate)
      : table_(table.data()),
        dim_(static_cast<std::size_t>(table.cols())),
        negatives_(negatives),
        rate_(rate) {}

  void add(const Sample& sample, const NegativeRows& from, Random& random) {
    Step& step = steps_[next_++ % kAhead];
    if (step.fixed != nullptr) take(step);
    step.fixed = row(sample.fixed);
    step.candidates.assign(1, row(sample.candidate));
    for (int k = 0; k < negatives_ && !from.table.empty(); ++k)
      for (int attempt = 0; attempt < kTriesForANegative; ++attempt) {
        const std::uint32_t drawn = from.rows[from.table.draw(random)];
        if (drawn == sample.candidate || drawn == sample.fixed) continue;
        step.candidates.push_back(row(drawn));
        break;
      }
  }
  void finish() {
    for (std::size_t i = 0; i < kAhead; ++i) {
      Step& step = steps_[next_++ % kAhead];
      if (step.fixed != nullptr) take(step);
      step.fixed = nullptr;
    }
  }

 private:
  static constexpr std::size_t kAhead = 4;
  static constexpr std::size_t kLine = 16;  // floats
  struct Step {
    float* fixed = nullptr;
    std::vector<float*> candidates;
  };

  float* row(std::uint32_t number) const {
    float* const values = table_ + number * dim_;
    for (std::size_t place = 0; place < dim_; place += kLine) __builtin_prefetch(values + place, 1);
    return values;
  }
  void take(const Step& step) {
    negative_sampling_step(step.fixed, step.candidates, dim_, rate_, scratch_);
  }

  float* table_;
  std::size_t dim_;
  int negatives_;
  float rate_;
  std::array<Step, kAhead> steps_;
  std::size_t next_ = 0;
  std::vector<float> scratch_;
};

}  // namespace

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
        PendingSteps steps(table, plan.negatives, rate);
        for (std::int64_t i = 0; i < draws && !parts.empty(); ++i) {
          const SamplePart& part = task[parts.draw(random)];
          const std::size_t index =
              part.table.empty() ? random.below(part.samples.size()) : part.table.draw(random);
          steps.add(part.samples[index], negatives[part.negatives], random);
        }
        steps.finish();
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
      PendingSteps steps(table, negatives_per_sample, static_cast<float>(rate));
      for (const auto& part : round[piece.begin])
        for (const Sample& sample : part.samples)
          steps.add(sample, negatives[part.negatives], random);
      steps.finish();
    });
    task_number += round.size();
  }
}

}  // namespace dalaup
