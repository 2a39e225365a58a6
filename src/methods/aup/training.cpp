#include "methods/aup/training.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "aligner/aligner.h"
#include "methods/aup/checkpoint.h"
#include "ranking/ranking.h"

namespace dalaup {
namespace {

Matrix rows_of(const Matrix& all, std::span<const UserPair> pairs, Side side) {
  Matrix rows(static_cast<Eigen::Index>(pairs.size()), all.cols());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = all.row(pairs[i].on(side));
  return rows;
}

EpochOptions epoch_options(const AupParams& params) {
  return {.negatives_per_anchor = params.negatives_per_anchor,
          .resample_negatives = params.resample_negatives,
          .shuffle = params.shuffle};
}

// A refit goes through the whole schedule of a fit in its own, fewer epochs.
double learning_rate_at(const TrainingJob& job, std::int64_t epoch) {
  const AupParams& params = job.params;
  const std::int64_t place = job.is_refit ? epoch * params.epochs / job.epochs : epoch;
  const std::int64_t decays = place / params.decay_epochs;
  return params.learning_rate * std::pow(params.learning_rate_decay, static_cast<double>(decays));
}

// Whether training may stop after this epoch; keeps the best so far.
bool is_finished(const TrainingJob& job, TrainingState& state, const AupNetwork& network,
                 AupNetwork* best) {
  const EpochRecord& last = state.curve.back();
  const bool by_validation = !job.validation.empty();
  if (by_validation) {
    if (last.validation_mrr > state.best) {
      state.best = last.validation_mrr;
      state.best_epoch = last.epoch;
      *best = network;
    }
  } else if (state.curve.size() == 1 ||
             last.losses.total < state.best - job.params.tolerance * std::abs(state.best)) {
    state.best = last.losses.total;
    state.best_epoch = last.epoch;
  }
  if (job.is_refit && !by_validation) return false;  // goes through its learning rates
  return last.epoch - state.best_epoch >= job.params.patience;
}

}  // namespace

double mean_reciprocal_rank(const AupNetwork& network, const TrainingJob& job, Run& run) {
  const Matrix a =
      encode_users(network, Side::kA, rows_of(job.inputs[0], job.validation, Side::kA), run);
  const Matrix b = encode_users(network, Side::kB, job.inputs[1], run);
  std::vector<UserPair> pairs = job.validation;
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].a = static_cast<UserId>(i);
  double sum = 0.0;
  for (const double rank : ranks_by_cosine(a, b, pairs, open_users(job.labels, Side::kB), run))
    sum += 1.0 / rank;
  return sum / static_cast<double>(job.validation.size());
}

Training train_network(AupNetwork& network, const TrainingJob& job, Run& run) {
  const AupParams& params = job.params;
  const auto optimiser = make_optimiser({params.optimiser, params.weight_decay}, network.tensors);
  TrainingStep step(network, params, run.threads());
  AupNetwork best;
  if (!job.validation.empty()) best = network;
  AupNetwork* const best_pointer = job.validation.empty() ? nullptr : &best;
  TrainingState state;
  if (!params.checkpoint.empty() && file_exists(params.checkpoint))
    state = load_checkpoint(params.checkpoint, job, run, network, best_pointer, *optimiser);
  const auto started = std::chrono::steady_clock::now();
  const double seconds_before = state.curve.empty() ? 0.0 : state.curve.back().seconds;
  Task task(run, "training", static_cast<std::uint64_t>(job.epochs));
  task.advance(static_cast<std::uint64_t>(state.next_epoch));
  const std::array<const Matrix*, 2> inputs{&job.inputs[0], &job.inputs[1]};
  const auto pairs_per_batch = static_cast<std::size_t>(params.pairs_per_batch);
  while (!state.finished && state.next_epoch < job.epochs) {
    const std::int64_t epoch = state.next_epoch++;
    EpochRecord record{.epoch = epoch, .learning_rate = learning_rate_at(job, epoch)};
    const auto batches = make_batches(
        epoch_pairs(epoch_options(params), job.anchors, job.labels, static_cast<int>(epoch), run),
        pairs_per_batch);
    for (const Batch& batch : batches) {
      run.throw_if_cancelled();
      try {
        record.losses += step.run_batch(batch, inputs, record.learning_rate, *optimiser, run);
      } catch (const StateError& error) {
        throw StateError(fmt::format("aup, epoch {}: {}", epoch + 1, error.what()), error.hint());
      }
    }
    record.losses = record.losses * (1.0 / static_cast<double>(batches.size()));
    const bool is_last = state.next_epoch == job.epochs;
    const bool validates =
        !job.validation.empty() && (state.next_epoch % params.validation_every == 0 || is_last);
    if (validates) record.validation_mrr = mean_reciprocal_rank(network, job, run);
    record.seconds =
        seconds_before +
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    state.curve.push_back(record);
    if (validates || job.validation.empty())
      state.finished = is_finished(job, state, network, best_pointer);
    task.advance(1, fmt::format("loss {:.4g}", record.losses.total));
    if (!params.checkpoint.empty() &&
        (state.finished || is_last || state.next_epoch % params.checkpoint_every == 0))
      save_checkpoint(params.checkpoint, job, run, state, network, best_pointer, *optimiser);
  }
  if (best_pointer != nullptr) network = std::move(best);
  if (!params.loss_curve.empty()) write_loss_curve(params.loss_curve, state.curve);
  const std::int64_t kept = best_pointer != nullptr ? state.best_epoch + 1 : state.next_epoch;
  return {.curve = std::move(state.curve), .kept_epochs = static_cast<int>(kept)};
}

void train_head(AupNetwork& network, const TrainingJob& job,
                const std::array<Matrix, 2>& representations, Run& run) {
  Tensors tensors;
  const Head head = add_head(tensors, network.head.kind, network.head.embedding_dim);
  const std::array<std::size_t, 2> own{network.head.weight, network.head.bias};
  const auto copy = [](std::span<const float> from, std::span<float> to) {
    std::ranges::copy(from, to.begin());
  };
  const auto exchange = [&](auto&& move) {
    move(network.tensors[own[0]], tensors[head.weight]);
    move(network.tensors[own[1]], tensors[head.bias]);
    if (head.kind != HeadKind::kMlp) return;
    move(network.tensors[network.head.hidden_weight], tensors[head.hidden_weight]);
    move(network.tensors[network.head.hidden_bias], tensors[head.hidden_bias]);
  };
  exchange([&](std::span<float> outside, std::span<float> inside) { copy(outside, inside); });
  const auto optimiser = make_optimiser({.kind = "adam", .weight_decay = 1e-4}, tensors);
  const Task task(run, "training the classifier",
                  static_cast<std::uint64_t>(job.params.head_epochs));
  Gradients gradients(tensors);
  for (int epoch = 0; epoch < job.params.head_epochs; ++epoch) {
    const auto batches =
        make_batches(epoch_pairs(epoch_options(job.params), job.anchors, job.labels, epoch, run),
                     static_cast<std::size_t>(job.params.pairs_per_batch));
    for (const Batch& batch : batches) {
      run.throw_if_cancelled();
      std::array<Matrix, 2> rows;
      for (std::size_t side = 0; side < 2; ++side) {
        rows[side].resize(static_cast<Eigen::Index>(batch.users[side].size()),
                          representations[side].cols());
        for (std::size_t user = 0; user < batch.users[side].size(); ++user)
          rows[side].row(static_cast<Eigen::Index>(user)) =
              representations[side].row(batch.users[side][user]);
      }
      gradients.clear();
      head_loss(head, tensors, batch.pairs, {&rows[0], &rows[1], nullptr, nullptr}, 1.0, gradients);
      optimiser->begin_step(0.001);
      update_small_tensors(*optimiser, gradients, tensors);
    }
  }
  exchange([&](std::span<float> outside, std::span<float> inside) { copy(inside, outside); });
}

void write_loss_curve(const std::string& path, std::span<const EpochRecord> curve) {
  std::string text =
      "epoch,total,single,cross,classification,regularisation,validation_mrr,learning_rate,"
      "seconds\n";
  for (const EpochRecord& record : curve)
    text +=
        fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{:.6g},{:.3f}\n", record.epoch + 1,
                    record.losses.total, record.losses.single, record.losses.cross,
                    record.losses.classification, record.losses.regularisation,
                    record.validation_mrr < 0.0 ? "" : fmt::format("{:.6f}", record.validation_mrr),
                    record.learning_rate, record.seconds);
  write_file(path, text);
}

}  // namespace dalaup
