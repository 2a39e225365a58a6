#pragma once
// Stochastic gradient ascent with negative sampling (Mikolov et al. 2013), the engine under
// deepwalk, pale and ione, parallel without locks and yet the same at any thread count.
//
// Vectors are rows of one table. A sample is a fixed row and a candidate row seen together; a step
// pulls them together and pushes the fixed row away from a few negatives drawn for the candidate.
// Rows are dealt into blocks. Tasks of one round touch no common block, so they run at once in any
// order; each draws its negatives inside the candidate's block (as GraphVite does: Zhu et al.,
// WWW 2019). The cut into blocks depends on the number of rows only.
#include <cstdint>
#include <span>
#include <vector>

#include "base/base.h"
#include "numeric/numeric.h"

namespace dalaup {

// Negatives are drawn in proportion to degree^0.75, as in word2vec.
inline constexpr double kDegreePower = 0.75;

// Rows to draw negatives from; empty when there are none.
struct NegativeRows {
  std::vector<std::uint32_t> rows;
  AliasTable table;
};

struct Sample {
  std::uint32_t fixed;
  std::uint32_t candidate;
};

// Samples that share their negatives.
struct SamplePart {
  std::vector<Sample> samples;
  AliasTable table;             // empty: all samples are equally likely
  double weight = 0.0;          // share of the draws, relative to all other parts
  std::uint32_t negatives = 0;  // index into BlockTrainer's list
};
using TrainingTask = std::vector<SamplePart>;

// One step on `fixed` against candidates[0], which belongs with it, and the rest, which do not:
// ascends log s(f.c0) + sum log s(-f.ck), every gradient taken at the old values. `dim` is a
// multiple of 16 and rows beyond the real length hold zeros.
void negative_sampling_step(float* fixed, std::span<float* const> candidates, std::size_t dim,
                            float rate, std::vector<float>& scratch);

// Which pairs of blocks may run at once. Two tables: every (p, q), each p and each q once a round.
std::vector<std::vector<std::pair<int, int>>> two_table_rounds(int blocks);
// One table: every {p, q} with p <= q, each block once a round.
std::vector<std::vector<std::pair<int, int>>> one_table_rounds(int blocks);

// Blocks for that many users; a power of two.
int block_count(std::size_t users);
// Users dealt at random into blocks of nearly equal size.
std::vector<std::uint32_t> deal_into_blocks(std::size_t users, int blocks, Random random);

// A table with `rows` rows of `dim` values, padded with zero columns to a multiple of 16.
Matrix padded_table(std::size_t rows, int dim);
// Uniform in (-0.5, 0.5) / dim, one random stream a row.
void fill_randomly(Matrix& table, std::size_t begin, std::size_t end, int dim, Run& run,
                   std::string_view purpose);

struct TrainingPlan {
  int negatives = 5;
  double learning_rate = 0.025;
  std::int64_t epochs = 1;
  double draws_per_epoch = 0.0;  // over all tasks
};

class BlockTrainer {
 public:
  Matrix table;
  std::vector<NegativeRows> negatives;
  std::vector<std::vector<TrainingTask>> rounds;

  // Draws samples by weight for all epochs; the rate falls linearly to a ten-thousandth.
  void train(const TrainingPlan& plan, Run& run, std::string_view purpose);
  // Every sample of every part once, in order, at one rate.
  void sweep(int negatives_per_sample, double rate, Run& run, std::string_view purpose,
             std::uint64_t sweep_number);
};

// The rate `done` of the way through training.
double falling_rate(double learning_rate, double done);

}  // namespace dalaup
