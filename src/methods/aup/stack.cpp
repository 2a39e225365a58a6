#include "methods/aup/stack.h"

#include <algorithm>
#include <numeric>

namespace dalaup {

std::size_t StackShape::length(std::size_t layer) const {
  const std::size_t change = layer * static_cast<std::size_t>(width - 1);
  return is_transposed ? input_length + change : input_length - change;
}

ConvolutionShape StackShape::convolution(std::size_t layer) const {
  const int from = channels[layer];
  const int to = channels[layer + 1];
  return {.wide_channels = is_transposed ? to : from,
          .narrow_channels = is_transposed ? from : to,
          .width = width};
}

StackWeights add_stack(Tensors& tensors, const StackShape& shape, const std::string& name) {
  StackWeights weights;
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const auto out = static_cast<std::size_t>(shape.channels[layer + 1]);
    const std::string prefix = name + ".convolution" + std::to_string(layer + 1);
    StackWeights::Layer added;
    added.weight = tensors.add(prefix + ".weight", shape.convolution(layer).weight_count());
    added.bias = tensors.add(prefix + ".bias", out);
    if (shape.normalise) {
      const std::string norm = name + ".norm" + std::to_string(layer + 1);
      added.scale = tensors.add(norm + ".scale", out, 1.0F);
      added.shift = tensors.add(norm + ".shift", out);
      added.running_mean.assign(out, 0.0);
      added.running_variance.assign(out, 1.0);
    }
    weights.layers.push_back(std::move(added));
  }
  return weights;
}

struct StackPass::UserSums {
  std::vector<double> weight;
  std::vector<double> bias;
};

namespace {

void apply_layer(const StackShape& shape, std::size_t layer, const Tensors& tensors,
                 const StackWeights& weights, const float* from, float* to) {
  const auto weight = tensors[weights.layers[layer].weight];
  const auto bias = tensors[weights.layers[layer].bias];
  if (shape.is_transposed)
    convolve_transposed(shape.convolution(layer), weight, bias, from, shape.length(layer), to);
  else
    convolve(shape.convolution(layer), weight, bias, from, shape.length(layer), to);
}

void apply_norms(std::span<const ChannelNorm> norms, const StackShape& shape, std::size_t layer,
                 const float* from, float* to) {
  const std::size_t length = shape.length(layer + 1);
  for (const ChannelNorm& norm : norms) {
    apply_norm(norm, shape.is_activated(layer), from, to, length);
    if (shape.is_activated(layer) && shape.centre != 0.0F)
      for (std::size_t place = 0; place < length; ++place) to[place] -= shape.centre;
    from += length;
    to += length;
  }
}

void resize(Matrix& matrix, std::size_t rows, std::size_t columns) {
  if (static_cast<std::size_t>(matrix.rows()) < rows ||
      static_cast<std::size_t>(matrix.cols()) != columns)
    matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
}

}  // namespace

StackPass::StackPass(StackShape shape, int workers)
    : shape_(std::move(shape)),
      stored_(shape_.layers()),
      gradients_(shape_.layers()),
      norms_(shape_.layers()) {
  std::size_t largest = 0;
  for (std::size_t layer = 0; layer <= shape_.layers(); ++layer)
    largest = std::max(largest, shape_.size(layer));
  scratch_.assign(static_cast<std::size_t>(workers), std::vector<float>(largest));
  gradient_scratch_.assign(static_cast<std::size_t>(workers), std::vector<float>(2 * largest));
}

const float* StackPass::layer_output(std::size_t layer, std::size_t user, int worker) {
  const float* const stored = row_of(stored_[layer], user);
  if (!shape_.normalise) return stored;
  float* const out = scratch_[static_cast<std::size_t>(worker)].data();
  apply_norms(norms_[layer], shape_, layer, stored, out);
  return out;
}

void StackPass::forward_layer(std::size_t layer, std::size_t user, const Tensors& tensors,
                              const StackWeights& weights, const BatchRows& rows, int worker,
                              float* to) {
  const float* const from = layer == 0 ? rows.inputs[user] : layer_output(layer - 1, user, worker);
  apply_layer(shape_, layer, tensors, weights, from, to);
}

void StackPass::forward(const BatchRows& rows, const Tensors& tensors, StackWeights& weights,
                        Run& run) {
  const std::size_t users = rows.count();
  const std::size_t layers = shape_.layers();
  resize(output_, users, shape_.output_size());
  if (layers == 0) {
    for (std::size_t user = 0; user < users; ++user)
      std::copy_n(rows.inputs[user], shape_.size(0), row_of(output_, user));
    return;
  }
  if (!shape_.normalise) {
    for (std::size_t layer = 0; layer + 1 < layers; ++layer)
      resize(stored_[layer], users, shape_.size(layer + 1));
    run.for_pieces(users, 1, [&](const Piece& piece) {
      for (std::size_t layer = 0; layer < layers; ++layer) {
        float* const to = layer + 1 == layers ? row_of(output_, piece.begin)
                                              : row_of(stored_[layer], piece.begin);
        forward_layer(layer, piece.begin, tensors, weights, rows, piece.worker, to);
        if (shape_.is_activated(layer)) sigmoid({to, shape_.size(layer + 1)}, shape_.centre);
      }
    });
    return;
  }
  for (std::size_t layer = 0; layer < layers; ++layer) {
    resize(stored_[layer], users, shape_.size(layer + 1));
    const auto channels = static_cast<std::size_t>(shape_.channels[layer + 1]);
    const std::size_t length = shape_.length(layer + 1);
    std::vector<Moments> moments(users * channels);
    run.for_pieces(users, 1, [&](const Piece& piece) {
      float* const to = row_of(stored_[layer], piece.begin);
      forward_layer(layer, piece.begin, tensors, weights, rows, piece.worker, to);
      for (std::size_t channel = 0; channel < channels; ++channel)
        moments[piece.begin * channels + channel] = row_moments(to + channel * length, length);
    });
    finish_norm(layer, rows, tensors, weights, moments);
  }
  run.for_pieces(users, 1, [&](const Piece& piece) {
    apply_norms(norms_[layers - 1], shape_, layers - 1, row_of(stored_[layers - 1], piece.begin),
                row_of(output_, piece.begin));
  });
}

void StackPass::finish_norm(std::size_t layer, const BatchRows& rows, const Tensors& tensors,
                            StackWeights& weights, std::span<const Moments> moments) {
  StackWeights::Layer& mine = weights.layers[layer];
  const auto channels = static_cast<std::size_t>(shape_.channels[layer + 1]);
  norms_[layer].clear();
  for (std::size_t channel = 0; channel < channels; ++channel) {
    Moments all;
    for (std::size_t user = 0; user < rows.count(); ++user) {
      Moments copies = moments[user * channels + channel];
      copies.count *= rows.copies[user];
      copies.deviation *= rows.copies[user];
      all.add(copies);
    }
    norms_[layer].push_back(channel_norm(all.mean, all.variance(), all.count,
                                         tensors[mine.scale][channel],
                                         tensors[mine.shift][channel]));
    const double unbiased = all.deviation / std::max(1.0, all.count - 1.0);
    mine.running_mean[channel] += kNormMomentum * (all.mean - mine.running_mean[channel]);
    mine.running_variance[channel] += kNormMomentum * (unbiased - mine.running_variance[channel]);
  }
}

void StackPass::backward_layer(std::size_t layer, std::size_t user, const float* gradient,
                               const Tensors& tensors, const StackWeights& weights,
                               const BatchRows& rows, int worker, UserSums& sums,
                               float* input_gradient) {
  const ConvolutionShape convolution = shape_.convolution(layer);
  const std::size_t in_length = shape_.length(layer);
  const std::size_t out_length = shape_.length(layer + 1);
  const float* const input = layer == 0 ? rows.inputs[user] : layer_output(layer - 1, user, worker);
  const auto weight = tensors[weights.layers[layer].weight];
  sums.weight.assign(convolution.weight_count(), 0.0);
  sums.bias.assign(static_cast<std::size_t>(shape_.channels[layer + 1]), 0.0);
  add_row_sums(gradient, shape_.channels[layer + 1], out_length, sums.bias);
  if (shape_.is_transposed) {
    add_weight_gradient(convolution, gradient, out_length, input, sums.weight);
    if (input_gradient != nullptr)
      convolve(convolution, weight, {}, gradient, out_length, input_gradient);
  } else {
    add_weight_gradient(convolution, input, in_length, gradient, sums.weight);
    if (input_gradient != nullptr)
      convolve_transposed(convolution, weight, {}, gradient, out_length, input_gradient);
  }
}

void StackPass::backward(const BatchRows& rows, const Tensors& tensors, const StackWeights& weights,
                         Gradients& gradients, Matrix* input_gradient, Run& run) {
  const std::size_t users = rows.count();
  const std::size_t layers = shape_.layers();
  if (input_gradient != nullptr) resize(*input_gradient, users, shape_.size(0));
  const auto input_row = [&](std::size_t user) {
    return input_gradient == nullptr ? nullptr : row_of(*input_gradient, user);
  };
  if (layers == 0) {
    for (std::size_t user = 0; user < users && input_gradient != nullptr; ++user)
      std::copy_n(row_of(output_, user), shape_.size(0), input_row(user));
    return;
  }
  std::vector<std::vector<UserSums>> sums(layers, std::vector<UserSums>(users));
  if (!shape_.normalise) {
    run.for_pieces(users, 1, [&](const Piece& piece) {
      auto& scratch = gradient_scratch_[static_cast<std::size_t>(piece.worker)];
      float* gradient = row_of(output_, piece.begin);
      for (std::size_t layer = layers; layer-- > 0;) {
        float* const below = layer == 0 ? input_row(piece.begin)
                                        : scratch.data() + (layer % 2) * (scratch.size() / 2);
        backward_layer(layer, piece.begin, gradient, tensors, weights, rows, piece.worker,
                       sums[layer][piece.begin], below);
        if (layer > 0 && shape_.is_activated(layer - 1))
          sigmoid_backward(row_of(stored_[layer - 1], piece.begin), {below, shape_.size(layer)},
                           shape_.centre);
        gradient = below;
      }
    });
  }
  const auto gradient_of = [&](std::size_t layer, std::size_t user) {
    return row_of(layer + 1 == layers ? output_ : gradients_[layer], user);
  };
  // What the normalisation of a layer needs from each user; taken as soon as the user's gradient is
  // there, while it is in the cache.
  std::vector<std::vector<NormSums>> parts(layers);
  const auto add_parts = [&](std::size_t layer, const Piece& piece) {
    float* const gradient = gradient_of(layer, piece.begin);
    if (layer + 1 < layers && shape_.is_activated(layer))
      sigmoid_backward(layer_output(layer, piece.begin, piece.worker),
                       {gradient, shape_.size(layer + 1)}, shape_.centre);
    const std::size_t length = shape_.length(layer + 1);
    const auto channels = norms_[layer].size();
    for (std::size_t channel = 0; channel < channels; ++channel)
      parts[layer][piece.begin * channels + channel] =
          norm_sums(norms_[layer][channel], row_of(stored_[layer], piece.begin) + channel * length,
                    gradient + channel * length, length);
  };
  for (std::size_t layer = 0; shape_.normalise && layer < layers; ++layer)
    parts[layer].resize(users * norms_[layer].size());
  if (shape_.normalise)
    run.for_pieces(users, 1, [&](const Piece& piece) { add_parts(layers - 1, piece); });
  for (std::size_t layer = layers; shape_.normalise && layer-- > 0;) {
    if (layer > 0) resize(gradients_[layer - 1], users, shape_.size(layer));
    const auto channels = norms_[layer].size();
    const std::size_t length = shape_.length(layer + 1);
    std::vector<NormSums> totals(channels);
    for (std::size_t place = 0; place < parts[layer].size(); ++place) {
      totals[place % channels].gradient += parts[layer][place].gradient;
      totals[place % channels].gradient_normalised += parts[layer][place].gradient_normalised;
    }
    for (std::size_t channel = 0; channel < channels; ++channel) {
      gradients.of(weights.layers[layer].scale)[channel] += totals[channel].gradient_normalised;
      gradients.of(weights.layers[layer].shift)[channel] += totals[channel].gradient;
    }
    run.for_pieces(users, 1, [&](const Piece& piece) {
      float* const gradient = gradient_of(layer, piece.begin);
      for (std::size_t channel = 0; channel < channels; ++channel)
        norm_backward(norms_[layer][channel], totals[channel], rows.copies[piece.begin],
                      row_of(stored_[layer], piece.begin) + channel * length,
                      gradient + channel * length, length);
      backward_layer(layer, piece.begin, gradient, tensors, weights, rows, piece.worker,
                     sums[layer][piece.begin],
                     layer == 0 ? input_row(piece.begin) : gradient_of(layer - 1, piece.begin));
      if (layer > 0) add_parts(layer - 1, piece);
    });
  }
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (const UserSums& user : sums[layer]) {
      const auto weight = gradients.of(weights.layers[layer].weight);
      const auto bias = gradients.of(weights.layers[layer].bias);
      for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += user.weight[i];
      for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += user.bias[i];
    }
}

FrozenStack::Layer FrozenStack::folded(const StackShape& shape, std::size_t layer,
                                       const Tensors& tensors, const StackWeights::Layer& from) {
  Layer out{.shape = shape.convolution(layer),
            .weight = {tensors[from.weight].begin(), tensors[from.weight].end()},
            .bias = {tensors[from.bias].begin(), tensors[from.bias].end()},
            .is_activated = shape.is_activated(layer),
            .centre = shape.centre};
  const auto inner = static_cast<std::size_t>(out.shape.wide_channels * out.shape.width);
  for (std::size_t channel = 0; channel < from.running_mean.size(); ++channel) {
    const ChannelNorm norm =
        channel_norm(from.running_mean[channel], from.running_variance[channel], 1.0,
                     tensors[from.scale][channel], tensors[from.shift][channel]);
    for (std::size_t i = 0; i < inner; ++i) out.weight[channel * inner + i] *= norm.factor;
    out.bias[channel] = out.bias[channel] * norm.factor + norm.offset;
  }
  return out;
}

FrozenStack::Layer FrozenStack::merged(const Layer& first, const Layer& second) {
  const auto in = static_cast<std::size_t>(first.shape.wide_channels);
  const auto middle = static_cast<std::size_t>(first.shape.narrow_channels);
  const auto out = static_cast<std::size_t>(second.shape.narrow_channels);
  const auto first_width = static_cast<std::size_t>(first.shape.width);
  const auto second_width = static_cast<std::size_t>(second.shape.width);
  const std::size_t width = first_width + second_width - 1;
  std::vector<double> weight(out * in * width, 0.0);
  std::vector<double> bias(second.bias.begin(), second.bias.end());
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t m = 0; m < middle; ++m)
      for (std::size_t s = 0; s < second_width; ++s) {
        const auto outer = static_cast<double>(second.weight[(o * middle + m) * second_width + s]);
        bias[o] += outer * static_cast<double>(first.bias[m]);
        for (std::size_t i = 0; i < in; ++i)
          for (std::size_t t = 0; t < first_width; ++t)
            weight[(o * in + i) * width + s + t] +=
                outer * static_cast<double>(first.weight[(m * in + i) * first_width + t]);
      }
  return {.shape = {.wide_channels = first.shape.wide_channels,
                    .narrow_channels = second.shape.narrow_channels,
                    .width = static_cast<int>(width)},
          .weight = {weight.begin(), weight.end()},
          .bias = {bias.begin(), bias.end()},
          .is_activated = second.is_activated,
          .centre = second.centre};
}

FrozenStack::FrozenStack(const StackShape& shape, const Tensors& tensors,
                         const StackWeights& weights)
    : input_length_(shape.input_length), input_channels_(shape.channels[0]) {
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    Layer next = folded(shape, layer, tensors, weights.layers[layer]);
    if (!layers_.empty() && !layers_.back().is_activated)
      layers_.back() = merged(layers_.back(), next);
    else
      layers_.push_back(std::move(next));
  }
}

void FrozenStack::apply(const float* input, std::size_t begin, std::size_t end, float* out,
                        std::vector<float>& scratch) const {
  std::size_t length = end - begin;  // of a row of what enters the next layer
  for (const Layer& layer : layers_) length += static_cast<std::size_t>(layer.shape.width - 1);
  std::size_t largest = static_cast<std::size_t>(input_channels_) * length;
  for (const Layer& layer : layers_)
    largest = std::max(largest, static_cast<std::size_t>(layer.shape.narrow_channels) * length);
  if (scratch.size() < 2 * largest) scratch.resize(2 * largest);
  float* const window = layers_.empty() ? out : scratch.data();
  for (int channel = 0; channel < input_channels_; ++channel)
    std::copy_n(input + static_cast<std::size_t>(channel) * input_length_ + begin, length,
                window + static_cast<std::size_t>(channel) * length);
  const float* from = window;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Layer& mine = layers_[layer];
    float* const to =
        layer + 1 == layers_.size() ? out : scratch.data() + ((layer + 1) % 2) * largest;
    convolve(mine.shape, mine.weight, mine.bias, from, length, to);
    length -= static_cast<std::size_t>(mine.shape.width - 1);
    if (mine.is_activated)
      sigmoid({to, static_cast<std::size_t>(mine.shape.narrow_channels) * length}, mine.centre);
    from = to;
  }
}

}  // namespace dalaup
