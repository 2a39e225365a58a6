#include "aup/dense.h"

#include <algorithm>

namespace dalaup {
namespace {

constexpr std::size_t kTile = 1024;  // columns updated at a time: 56 x 1024 floats fit the L2 cache
constexpr std::size_t kLongTile = 4096;  // columns of a product that is summed over tiles

int whole(std::size_t number) { return static_cast<int>(number); }

std::size_t tiles_of(std::size_t columns, std::size_t tile) { return (columns + tile - 1) / tile; }

// partials[tile] += features[:, tile] * weight[:, tile]', users x outputs each.
void multiply_tile(const DenseRows& rows, const float* weight, std::size_t columns,
                   std::size_t begin, std::size_t end, std::size_t outputs, float* partial) {
  multiply_transposed({.rows = whole(rows.users),
                       .columns = whole(outputs),
                       .inner = whole(end - begin),
                       .left_stride = whole(columns),
                       .right_stride = whole(columns),
                       .out_stride = whole(outputs)},
                      rows.features->data() + begin, weight + begin, partial);
}

}  // namespace

void encode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t outputs = bias.size();
  const std::size_t columns = weight.size() / outputs;
  const std::size_t size = rows.users * outputs;
  std::vector<float> partials(tiles_of(columns, kLongTile) * size);
  run.for_pieces(columns, kLongTile, [&](const Piece& piece) {
    multiply_tile(rows, weight.data(), columns, piece.begin, piece.end, outputs,
                  partials.data() + piece.begin / kLongTile * size);
  });
  float* const out = rows.representations->data();
  for (std::size_t place = 0; place < size; ++place) out[place] = bias[place % outputs];
  for (std::size_t tile = 0; tile < tiles_of(columns, kLongTile); ++tile)
    for (std::size_t place = 0; place < size; ++place) out[place] += partials[tile * size + place];
}

void decode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t columns = bias.size();
  const std::size_t inner = weight.size() / columns;
  run.for_pieces(columns, kTile, [&](const Piece& piece) {
    for (std::size_t user = 0; user < rows.users; ++user)
      std::copy_n(bias.data() + piece.begin, piece.end - piece.begin,
                  rows.features->data() + user * columns + piece.begin);
    multiply({.rows = whole(rows.users),
              .columns = whole(piece.end - piece.begin),
              .inner = whole(inner),
              .left_stride = whole(inner),
              .right_stride = whole(columns),
              .out_stride = whole(columns)},
             rows.representations->data(), weight.data() + piece.begin,
             rows.features->data() + piece.begin, 1.0F);
  });
}

void encode_backward(Tensors& tensors, const DenseWeights& weights,
                     std::span<const DenseRows> sides,
                     std::span<const Matrix* const> representation_gradients, bool through_sigmoid,
                     Optimiser& optimiser, Gradients& gradients, Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = gradients.of(weights.bias);
  const std::size_t outputs = bias.size();
  const std::size_t columns = weight.size() / outputs;
  std::size_t most_users = 0;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    most_users = std::max(most_users, sides[side].users);
    for (std::size_t place = 0; place < sides[side].users * outputs; ++place)
      bias[place % outputs] += static_cast<double>(representation_gradients[side]->data()[place]);
  }
  std::vector<std::vector<float>> scratch(static_cast<std::size_t>(run.threads()),
                                          std::vector<float>((outputs + most_users) * kTile));
  run.for_pieces(columns, kTile, [&](const Piece& piece) {
    float* const gradient = scratch[static_cast<std::size_t>(piece.worker)].data();
    float* const below = gradient + outputs * kTile;
    const std::size_t width = piece.end - piece.begin;
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const DenseRows& rows = sides[side];
      const float* const slope = representation_gradients[side]->data();
      float* const features = rows.features->data() + piece.begin;
      transposed_multiply({.rows = whole(outputs),
                           .columns = whole(width),
                           .inner = whole(rows.users),
                           .left_stride = whole(outputs),
                           .right_stride = whole(columns),
                           .out_stride = whole(kTile)},
                          slope, features, gradient, side == 0 ? 0.0F : 1.0F);
      multiply({.rows = whole(rows.users),
                .columns = whole(width),
                .inner = whole(outputs),
                .left_stride = whole(outputs),
                .right_stride = whole(columns),
                .out_stride = whole(kTile)},
               slope, weight.data() + piece.begin, below);
      for (std::size_t user = 0; user < rows.users; ++user) {
        float* const feature = features + user * columns;
        const float* const from = below + user * kTile;
        if (through_sigmoid)
          for (std::size_t p = 0; p < width; ++p)
            feature[p] = from[p] * (feature[p] * (1.0F - feature[p]));
        else
          std::copy_n(from, width, feature);
      }
    }
    for (std::size_t output = 0; output < outputs; ++output) {
      const std::size_t offset = output * columns + piece.begin;
      optimiser.update(weights.weight, offset, weight.subspan(offset, width),
                       gradient + output * kTile);
    }
  });
}

void decode_backward(Tensors& tensors, const DenseWeights& weights,
                     std::span<const DenseRows> sides,
                     std::span<Matrix* const> representation_gradients, Optimiser& optimiser,
                     Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t columns = bias.size();
  const std::size_t inner = weight.size() / columns;
  const std::size_t tiles = tiles_of(columns, kTile);
  std::vector<std::vector<float>> partials;
  for (const DenseRows& rows : sides) partials.emplace_back(tiles * rows.users * inner);
  std::vector<std::vector<float>> scratch(static_cast<std::size_t>(run.threads()),
                                          std::vector<float>((inner + 1) * kTile));
  run.for_pieces(columns, kTile, [&](const Piece& piece) {
    float* const gradient = scratch[static_cast<std::size_t>(piece.worker)].data();
    float* const bias_gradient = gradient + inner * kTile;
    const std::size_t width = piece.end - piece.begin;
    std::fill_n(bias_gradient, width, 0.0F);
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const DenseRows& rows = sides[side];
      const float* const features = rows.features->data() + piece.begin;
      transposed_multiply({.rows = whole(inner),
                           .columns = whole(width),
                           .inner = whole(rows.users),
                           .left_stride = whole(inner),
                           .right_stride = whole(columns),
                           .out_stride = whole(kTile)},
                          rows.representations->data(), features, gradient,
                          side == 0 ? 0.0F : 1.0F);
      multiply_tile(rows, weight.data(), columns, piece.begin, piece.end, inner,
                    partials[side].data() + piece.begin / kTile * rows.users * inner);
      for (std::size_t user = 0; user < rows.users; ++user)
        for (std::size_t p = 0; p < width; ++p) bias_gradient[p] += features[user * columns + p];
    }
    for (std::size_t row = 0; row < inner; ++row) {
      const std::size_t offset = row * columns + piece.begin;
      optimiser.update(weights.weight, offset, weight.subspan(offset, width),
                       gradient + row * kTile);
    }
    optimiser.update(weights.bias, piece.begin, bias.subspan(piece.begin, width), bias_gradient);
  });
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const std::size_t size = sides[side].users * inner;
    float* const out = representation_gradients[side]->data();
    for (std::size_t tile = 0; tile < tiles; ++tile)
      for (std::size_t place = 0; place < size; ++place)
        out[place] += partials[side][tile * size + place];
  }
}

}  // namespace dalaup
