// Speed of aup at the paper's sizes: steps of 56 pairs, an epoch at ratio 0.5 with encoding all
// users, memory, and GFLOP/s beside Eigen's product on this machine.
//   bench_aup_step PRESET [STEPS [THREADS]]
// Prints the time (ms) of each step after a warm-up, then of encoding 2048 users of each side;
// bench/aup_versus_twin.py interleaves it with PyTorch. One thread is timed by the processor's
// clock, which others on the machine disturb less, several by the wall's.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>

#include "embedding/embedding.h"
#include "methods/aup/aup_network.h"

using namespace dalaup;

namespace {

double milliseconds(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

Matrix contexts(int users, const Run& run) {
  Matrix rows(users, users);
  Random random = run.random("contexts", static_cast<std::uint64_t>(users));
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = static_cast<float>(0.01 * random.uniform());
  return rows;
}

double product_peak() {  // GFLOP/s of Eigen, best of five
  constexpr int kSize = 768;
  const Matrix left = Matrix::Random(kSize, kSize);
  const Matrix right = Matrix::Random(kSize, kSize);
  Matrix out(kSize, kSize);
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double started = milliseconds(1);
    out.noalias() = left * right.transpose();
    best = std::min(best, milliseconds(1) - started);
  }
  return 2.0 * std::pow(kSize, 3) / best / 1e6;
}

// Multiplications and additions of a step: forward once, backward twice, each distinct user once.
double flops_of(const AupNetwork& network, const Batch& batch) {
  double flops = 0.0;
  for (std::size_t side = 0; side < 2; ++side) {
    const StackShape& shape = network.encoder_shape[side];
    double user = 2.0 * static_cast<double>(shape.output_size() * network.embedding_dim);
    for (std::size_t layer = 0; layer < shape.layers(); ++layer)
      user += 2.0 * static_cast<double>(shape.convolution(layer).weight_count() *
                                        shape.length(layer + 1));
    flops += 6.0 * user * static_cast<double>(batch.users[side].size());
  }
  return flops;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string preset = count > 1 ? arguments[1] : "official";
  const int steps = count > 2 ? std::atoi(arguments[2]) : 10;
  const int threads = count > 3 ? std::atoi(arguments[3]) : 1;
  AupParams params = aup_preset(preset);
  if (preset == "paper") {  // eqs. 3 and 4 to the letter, as the twin has them
    params.reconstruction = "sum";
    params.centred_sigmoid = false;
  }
  Run run({.threads = threads});
  const Matrix a = contexts(5313, run);
  const Matrix b = contexts(5120, run);
  LabelSet labels(5313, 5120);
  for (UserId user = 0; user < 804; ++user) labels.add({user * 6, user * 5}, Label::kAnchor);
  AupNetwork network = make_network(params, {5313, 5120}, 1, run);
  const auto optimiser = make_optimiser({params.optimiser, params.weight_decay}, network.tensors);
  TrainingStep step(network, params, threads);
  const auto batches = make_batches(epoch_pairs({}, labels.anchors(), labels, 0, run), 56);
  std::vector<double> times;
  for (int i = 0; i <= steps; ++i) {
    const double started = milliseconds(threads);
    const Losses losses = step.run_batch(batches[static_cast<std::size_t>(i) % batches.size()],
                                         {&a, &b}, params.learning_rate, *optimiser, run);
    if (!std::isfinite(losses.total)) return 1;
    if (i == 0) continue;  // warm-up
    times.push_back(milliseconds(threads) - started);
    std::cout << fmt::format("{:.2f}\n", times.back());
  }
  const Matrix some_a = a.topRows(2048);
  const Matrix some_b = b.topRows(2048);
  const double started = milliseconds(threads);
  encode_users(network, Side::kA, some_a, run);
  encode_users(network, Side::kB, some_b, run);
  const double encoding = milliseconds(threads) - started;
  std::cout << fmt::format("{:.2f}\n", encoding);
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  const double flops = flops_of(network, batches[0]);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double contexts_mb = static_cast<double>(a.size() + b.size()) * 4e-6;
  double parameters_mb = 0.0;
  for (const auto& tensor : network.tensors.all())
    parameters_mb += static_cast<double>(tensor.values.size()) * 4e-6;
  std::cerr << fmt::format(
      "{} threads {}: median {:.1f} ms a step, {:.2f} GFLOP, {:.1f} GFLOP/s; Eigen's product "
      "{:.1f} "
      "GFLOP/s\nencoding 4096 users {:.0f} ms\nmemory {:.0f} MB; contexts {:.0f} + "
      "parameters "
      "{:.0f} + optimiser {:.0f} MB\n",
      preset, threads, median, flops / 1e9, flops / median / 1e6, product_peak(), encoding,
      static_cast<double>(usage.ru_maxrss) / 1e3, contexts_mb, parameters_mb, 2.0 * parameters_mb);
}
