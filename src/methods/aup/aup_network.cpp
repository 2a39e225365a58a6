#include "methods/aup/aup_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dalaup {
namespace {

Activation activation_of(const std::string& name) {
  return name == "every"  ? Activation::kEveryLayer
         : name == "last" ? Activation::kLastLayer
                          : Activation::kNone;
}

StackShape encoder_shape(const AupParams& params, std::size_t length, int channels, Side side) {
  StackShape shape{.is_transposed = false,
                   .channels = {channels},
                   .width = params.kernel_width,
                   .input_length = length,
                   .normalise = params.batch_norm,
                   .activation = activation_of(params.activation),
                   .centre = params.centred_sigmoid ? 0.5F : 0.0F};
  for (int layer = 0; layer < params.convolution_layers; ++layer)
    shape.channels.push_back(params.channels << layer);
  const std::size_t reach = shape.layers() * static_cast<std::size_t>(params.kernel_width - 1) + 1;
  if (length < reach)
    throw InputError(
        fmt::format("network {}: found {} coordinates per user, expected at least {} for {} "
                    "convolutions of width {}",
                    name_of(side), length, reach, params.convolution_layers, params.kernel_width),
        "lower convolution_layers or kernel_width");
  return shape;
}

StackShape mirrored(const StackShape& encoder) {
  StackShape shape = encoder;
  shape.centre = 0.0F;  // contexts are never negative
  shape.is_transposed = true;
  std::ranges::reverse(shape.channels);
  shape.input_length = encoder.length(encoder.layers());
  return shape;
}

DenseWeights add_dense(Tensors& tensors, const std::string& name, std::size_t features,
                       std::size_t embedding_dim, std::size_t biases) {
  DenseWeights weights;
  weights.weight = tensors.add(name + ".weight", features * embedding_dim);
  weights.bias = tensors.add(name + ".bias", biases);
  return weights;
}

void fill_normal(std::span<float> values, double deviation, Random random) {
  for (float& value : values) value = static_cast<float>(deviation * random.normal());
}

// Xavier: variance 2 / (inputs + outputs).
void initialise(AupNetwork& network, const AupParams& params, const Run& run) {
  Tensors& tensors = network.tensors;
  const auto draw = [&](std::size_t tensor, std::size_t fans) {
    fill_normal(tensors[tensor], std::sqrt(2.0 / static_cast<double>(fans)),
                run.random("aup " + tensors.name(tensor)));
  };
  const bool published = params.start == "published";
  const auto draw_stack = [&](const StackShape& shape, const StackWeights& weights) {
    for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
      const ConvolutionShape convolution = shape.convolution(layer);
      draw(weights.layers[layer].weight,
           static_cast<std::size_t>((convolution.wide_channels + convolution.narrow_channels) *
                                    convolution.width));
      if (published && shape.normalise)
        fill_normal(tensors[weights.layers[layer].scale], 1.0,
                    run.random("aup " + tensors.name(weights.layers[layer].scale)));
    }
  };
  draw_stack(network.encoder_shape[0], network.encoder);
  if (network.has_decoder) draw_stack(network.decoder_shape[0], network.decoder);
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t fans = network.encoder_shape[side].output_size() + network.embedding_dim;
    for (const auto* dense : {&network.encoder_dense[side], &network.decoder_dense[side]}) {
      if (dense == &network.decoder_dense[side] && !network.has_decoder) continue;
      draw(dense->weight, fans);
      if (published) std::ranges::fill(tensors[dense->bias], 1.0F);
    }
  }
  const Head& head = network.head;
  if (head.kind == HeadKind::kMlp) draw(head.hidden_weight, 3 * network.embedding_dim);
  draw(head.weight, tensors[head.weight].size() / 2 + 2);
}

[[noreturn]] void stop(const std::string& layer) {
  throw StateError("found numbers that are not finite in the " + layer,
                   "lower learning_rate, or start again with another seed");
}

bool all_finite(const Matrix& matrix, std::size_t rows) {
  return matrix.topRows(static_cast<Eigen::Index>(rows)).allFinite();
}

}  // namespace

AupNetwork empty_network(const AupParams& params, std::array<std::size_t, 2> lengths,
                         int channels) {
  AupNetwork network;
  network.has_decoder = params.reconstruction_weight > 0.0;
  for (const Side side : {Side::kA, Side::kB}) {
    network.encoder_shape[index_of(side)] =
        encoder_shape(params, lengths[index_of(side)], channels, side);
    network.decoder_shape[index_of(side)] = mirrored(network.encoder_shape[index_of(side)]);
  }
  network.embedding_dim = static_cast<std::size_t>(params.embedding_dim);
  Tensors& tensors = network.tensors;
  network.encoder = add_stack(tensors, network.encoder_shape[0], "encoder");
  if (network.has_decoder)
    network.decoder = add_stack(tensors, network.decoder_shape[0], "decoder");
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = side == 0 ? "_a" : "_b";
    const std::size_t features = network.encoder_shape[side].output_size();
    network.encoder_dense[side] = add_dense(tensors, "encoder.dense" + suffix, features,
                                            network.embedding_dim, network.embedding_dim);
    if (network.has_decoder)
      network.decoder_dense[side] =
          add_dense(tensors, "decoder.dense" + suffix, features, network.embedding_dim, features);
  }
  network.head = add_head(tensors, head_kind(params.head), network.embedding_dim);
  return network;
}

AupNetwork make_network(const AupParams& params, std::array<std::size_t, 2> lengths, int channels,
                        const Run& run) {
  AupNetwork network = empty_network(params, lengths, channels);
  initialise(network, params, run);
  return network;
}

Matrix encode_users(const AupNetwork& network, Side side, const Matrix& inputs, Run& run) {
  const FlushDenormals fast;
  constexpr std::size_t kUsers = 192;
  // Features are made and used up a window of positions at a time, which stays in the cache.
  const StackShape& shape = network.encoder_shape[index_of(side)];
  const DenseWeights& dense = network.encoder_dense[index_of(side)];
  const std::size_t length = shape.length(shape.layers());
  constexpr std::size_t kPositions = 120;
  const auto channels = static_cast<std::size_t>(shape.channels.back());
  const FrozenStack stack(shape, network.tensors, network.encoder);
  Matrix out = large_matrix(static_cast<std::size_t>(inputs.rows()), network.embedding_dim);
  struct Scratch {
    std::vector<float> features;
    std::vector<float> stack;
    std::vector<float> dense;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(run.threads()));
  run.for_pieces(static_cast<std::size_t>(inputs.rows()), kUsers, [&](const Piece& piece) {
    Scratch& mine = scratch[static_cast<std::size_t>(piece.worker)];
    float* const features = aligned_room(mine.features, kUsers * channels * kPositions);
    const std::size_t users = piece.end - piece.begin;
    for (std::size_t begin = 0; begin < length; begin += kPositions) {
      const std::size_t end = std::min(begin + kPositions, length);
      for (std::size_t user = 0; user < users; ++user)
        stack.apply(row_of(inputs, piece.begin + user), begin, end,
                    features + user * channels * (end - begin), mine.stack);
      encode_window(network.tensors, dense, {begin, end, channels}, features, users,
                    row_of(out, piece.begin), mine.dense);
    }
  });
  return out;
}

TrainingStep::TrainingStep(AupNetwork& network, const AupParams& params, int workers)
    : network_(network), params_(params), gradients_(network.tensors) {
  for (std::size_t side = 0; side < 2; ++side) {
    encoder_.emplace_back(network.encoder_shape[side], workers);
    if (network.has_decoder) decoder_.emplace_back(network.decoder_shape[side], workers);
  }
}

void TrainingStep::forward(const Batch& batch, const std::array<const Matrix*, 2>& inputs,
                           Run& run) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t users = batch.users[side].size();
    BatchRows& rows = rows_[side];
    rows.copies = batch.copies[side];
    rows.inputs.resize(users);
    for (std::size_t user = 0; user < users; ++user)
      rows.inputs[user] = inputs[side]->data() +
                          batch.users[side][user] * static_cast<std::size_t>(inputs[side]->cols());
    encoder_[side].forward(rows, network_.tensors, network_.encoder, run);
    representations_[side].resize(static_cast<Eigen::Index>(users),
                                  static_cast<Eigen::Index>(network_.embedding_dim));
    representation_gradients_[side].setZero(representations_[side].rows(),
                                            representations_[side].cols());
    encode_rows(network_.tensors, network_.encoder_dense[side],
                {&encoder_[side].output(), &representations_[side], users}, run);
  }
}

double TrainingStep::reconstruct(const Batch& batch, Run& run) {
  double loss = 0.0;
  const double pairs = static_cast<double>(batch.pairs.size());
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t users = batch.users[side].size();
    const StackShape& shape = network_.decoder_shape[side];
    Matrix& decoded = decoded_[side];
    if (static_cast<std::size_t>(decoded.rows()) < users)
      decoded.resize(static_cast<Eigen::Index>(users), static_cast<Eigen::Index>(shape.size(0)));
    decode_rows(network_.tensors, network_.decoder_dense[side],
                {&decoded, &representations_[side], users}, run);
    BatchRows& rows = decoder_rows_[side];
    rows.copies = batch.copies[side];
    rows.inputs.resize(users);
    for (std::size_t user = 0; user < users; ++user) rows.inputs[user] = row_of(decoded, user);
    decoder_[side].forward(rows, network_.tensors, network_.decoder, run);
    const std::size_t length = shape.output_size();
    const bool is_mean = params_.reconstruction == "mean";
    const double share = 1.0 / (pairs * (is_mean ? static_cast<double>(length) : 1.0));
    const bool through_sigmoid = shape.layers() > 0 && shape.activation != Activation::kNone;
    const double side_loss = run.sum_pieces(users, 1, [&](const Piece& piece) {
      const double copies = rows.copies[piece.begin];
      return copies * squared_error_backward(rows_[side].inputs[piece.begin],
                                             {row_of(decoder_[side].output(), piece.begin), length},
                                             params_.reconstruction_weight * share * copies,
                                             through_sigmoid);
    });
    reconstruction_is_finite_[side] = std::isfinite(side_loss);
    loss += share * side_loss;
  }
  return loss;
}

void TrainingStep::backward(Optimiser& optimiser, Run& run) {
  const auto rows_of = [&](std::size_t side, Matrix& features) {
    return DenseRows{&features, &representations_[side],
                     static_cast<std::size_t>(representations_[side].rows())};
  };
  if (network_.has_decoder) {
    for (std::size_t side = 0; side < 2; ++side)
      decoder_[side].backward(decoder_rows_[side], network_.tensors, network_.decoder, gradients_,
                              &decoded_[side], run);
    for (std::size_t side = 0; side < 2; ++side)
      decode_backward(network_.tensors, network_.decoder_dense[side], rows_of(side, decoded_[side]),
                      representation_gradients_[side], optimiser, run);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const StackShape& shape = network_.encoder_shape[side];
    encode_backward(network_.tensors, network_.encoder_dense[side],
                    rows_of(side, encoder_[side].output()), representation_gradients_[side],
                    shape.layers() > 0 && shape.activation != Activation::kNone
                        ? std::optional(shape.centre)
                        : std::nullopt,
                    optimiser, gradients_, run);
  }
  for (std::size_t side = 0; side < 2; ++side)
    encoder_[side].backward(rows_[side], network_.tensors, network_.encoder, gradients_, nullptr,
                            run);
  update_small_tensors(optimiser, gradients_, network_.tensors);
}

void TrainingStep::stop_at_bad_layer(const Batch& batch) const {
  for (const Side side : {Side::kA, Side::kB}) {
    const std::size_t users = batch.users[index_of(side)].size();
    if (!all_finite(encoder_[index_of(side)].output(), users))
      stop(fmt::format("convolutions of network {}", name_of(side)));
    if (!all_finite(representations_[index_of(side)], users))
      stop(fmt::format("dense encoder layer of network {}", name_of(side)));
    if (!reconstruction_is_finite_[index_of(side)])
      stop(fmt::format("decoder of network {}", name_of(side)));
  }
  stop("pair classifier");
}

Losses TrainingStep::run_batch(const Batch& batch, const std::array<const Matrix*, 2>& inputs,
                               double learning_rate, Optimiser& optimiser, Run& run) {
  const FlushDenormals fast;
  gradients_.clear();
  forward(batch, inputs, run);
  const RepresentationPair pair{&representations_[0], &representations_[1],
                                &representation_gradients_[0], &representation_gradients_[1]};
  Losses losses;
  const double pairs = static_cast<double>(batch.pairs.size());
  losses.cross = cross_loss(batch.pairs,
                            {.margin = params_.negative_margin, .split_means = params_.split_means},
                            params_.cross_network_weight, pair);
  const Regularisation kind =
      params_.regularisation == "norm" ? Regularisation::kNorm : Regularisation::kSquared;
  for (std::size_t side = 0; side < 2; ++side)
    losses.regularisation +=
        regularisation_loss(kind, representations_[side], batch.copies[side], pairs,
                            params_.regularisation_weight, representation_gradients_[side]);
  const bool classify = params_.joint_head && params_.classification_weight > 0.0;
  if (classify)
    losses.classification = head_loss(network_.head, network_.tensors, batch.pairs, pair,
                                      params_.classification_weight, gradients_);
  if (network_.has_decoder) losses.single = reconstruct(batch, run);
  losses.total = params_.reconstruction_weight * losses.single +
                 params_.cross_network_weight * losses.cross +
                 params_.classification_weight * losses.classification +
                 params_.regularisation_weight * losses.regularisation;
  if (!std::isfinite(losses.total)) stop_at_bad_layer(batch);
  optimiser.begin_step(learning_rate);
  backward(optimiser, run);
  return losses;
}

}  // namespace dalaup
