#include "methods/aup/dense.h"

#include <algorithm>

#include "methods/aup/normalisation.h"
#include "numeric/numeric.h"

namespace dalaup {
namespace {

constexpr std::size_t kTile = 1024;       // columns multiplied at a time: 56 rows fit the L2 cache
constexpr std::size_t kUpdateTile = 256;  // columns updated at a time, with what optimisers keep

// Neighbouring tiles go to one worker: each fetches the next from memory while it works on one.
constexpr std::size_t kTilesPerPiece = 4;

template <class Body>
void for_tiles(std::size_t columns, std::size_t tile, Run& run, Body&& body) {
  run.for_pieces(columns, kTilesPerPiece * kTile, [&](const Piece& piece) {
    for (std::size_t begin = piece.begin; begin < piece.end; begin += tile)
      body(Piece{begin, std::min(begin + tile, piece.end), piece.worker});
  });
}

std::size_t tiles_of(std::size_t columns) { return (columns + kTile - 1) / kTile; }

Matrix transposed(const Matrix& matrix) { return matrix.transpose(); }

// Products with the rows of a weight, summed over tiles of columns in their order.
class TiledProducts {
 public:
  TiledProducts(const DenseRows& rows, std::span<const float> weight, std::size_t outputs)
      : rows_(rows),
        weight_(weight.data()),
        outputs_(outputs),
        columns_(weight.size() / outputs),
        partials_(tiles_of(columns_) * rows.users * outputs) {}

  void multiply(const Piece& piece) {
    dot_rows({rows_.features->data() + piece.begin, columns_}, rows_.users,
             {weight_ + piece.begin, columns_}, outputs_, piece.end - piece.begin,
             {partials_.data() + piece.begin / kTile * rows_.users * outputs_, outputs_});
  }
  void add_to(float* out) const {
    const std::size_t size = rows_.users * outputs_;
    for (std::size_t begin = 0; begin < partials_.size(); begin += size)
      for (std::size_t place = 0; place < size; ++place) out[place] += partials_[begin + place];
  }

 private:
  DenseRows rows_;
  const float* weight_;
  std::size_t outputs_;
  std::size_t columns_;
  std::vector<float> partials_;
};

// A tile of a weight while its gradient is formed and followed.
class WeightUpdate {
 public:
  WeightUpdate(Tensors& tensors, std::size_t tensor, std::size_t columns, Optimiser& optimiser)
      : weight_(tensors[tensor]),
        tensor_(tensor),
        columns_(columns),
        optimiser_(optimiser),
        read_(optimiser.kept(tensor)) {
    read_.push_back(weight_.data());
  }

  // gradient (rows kUpdateTile apart) = factors' * features.
  void form_gradient(const Matrix& factors, const DenseRows& rows, std::size_t begin,
                     std::size_t width, float* gradient) const {
    std::vector<ConstRows> soon;
    for (const float* values : read_) soon.push_back({values + begin, columns_});
    combine_rows({factors.data(), outputs()}, outputs(), rows.users,
                 {rows.features->data() + begin, columns_}, width, {nullptr, 0},
                 {gradient, kUpdateTile}, soon);
  }
  void follow(std::size_t begin, std::size_t width, const float* gradient) const {
    for (std::size_t output = 0; output < outputs(); ++output) {
      const std::size_t offset = output * columns_ + begin;
      optimiser_.update(tensor_, offset, weight_.subspan(offset, width),
                        gradient + output * kUpdateTile);
    }
  }

 private:
  std::size_t outputs() const { return weight_.size() / columns_; }

  std::span<float> weight_;
  std::size_t tensor_;
  std::size_t columns_;
  Optimiser& optimiser_;
  std::vector<const float*> read_;
};

std::vector<std::vector<float>> scratch_of(const Run& run, std::size_t rows) {
  return {static_cast<std::size_t>(run.threads()), std::vector<float>(rows * kUpdateTile)};
}

}  // namespace

void encode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t outputs = bias.size();
  const std::size_t columns = weight.size() / outputs;
  TiledProducts products(rows, weight, outputs);
  for_tiles(columns, kTile, run, [&](const Piece& piece) { products.multiply(piece); });
  float* const out = rows.representations->data();
  for (std::size_t place = 0; place < rows.users * outputs; ++place)
    out[place] = bias[place % outputs];
  products.add_to(out);
}

void encode_window(const Tensors& tensors, const DenseWeights& weights, const FeatureWindow& window,
                   const float* features, std::size_t users, float* representations,
                   std::vector<float>& scratch) {
  const auto weight = tensors[weights.weight];
  const std::size_t width = window.end - window.begin;
  const std::size_t columns = window.channels * width;
  const auto bias = tensors[weights.bias];
  const std::size_t outputs = bias.size();
  const std::size_t length = weight.size() / outputs / window.channels;
  float* const tile = aligned_room(scratch, outputs * columns + users * outputs);
  for (std::size_t row = 0; row < outputs * window.channels; ++row)
    std::copy_n(weight.data() + row * length + window.begin, width, tile + row * width);
  float* const partial = tile + outputs * columns;
  dot_rows({features, columns}, users, {tile, columns}, outputs, columns, {partial, outputs});
  for (std::size_t place = 0; place < users * outputs; ++place)
    representations[place] =
        (window.begin == 0 ? bias[place % outputs] : representations[place]) + partial[place];
}

void decode_rows(const Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                 Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t columns = bias.size();
  const std::size_t inner = weight.size() / columns;
  const Matrix factors =
      transposed(rows.representations->topRows(static_cast<Eigen::Index>(rows.users)));
  for_tiles(columns, kTile, run, [&](const Piece& piece) {
    combine_rows({factors.data(), rows.users}, rows.users, inner,
                 {weight.data() + piece.begin, columns}, piece.end - piece.begin,
                 {bias.data() + piece.begin, 0}, {rows.features->data() + piece.begin, columns});
  });
}

void encode_backward(Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                     const Matrix& representation_gradient, std::optional<float> centre,
                     Optimiser& optimiser, Gradients& gradients, Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = gradients.of(weights.bias);
  const std::size_t outputs = bias.size();
  const std::size_t columns = weight.size() / outputs;
  for (std::size_t place = 0; place < rows.users * outputs; ++place)
    bias[place % outputs] += static_cast<double>(representation_gradient.data()[place]);
  auto scratch = scratch_of(run, outputs + rows.users);
  const WeightUpdate update(tensors, weights.weight, columns, optimiser);
  const Matrix slopes_of_outputs = transposed(representation_gradient.topRows(index(rows.users)));
  for_tiles(columns, kUpdateTile, run, [&](const Piece& piece) {
    float* const gradient = scratch[static_cast<std::size_t>(piece.worker)].data();
    float* const below = gradient + outputs * kUpdateTile;
    const std::size_t width = piece.end - piece.begin;
    update.form_gradient(representation_gradient, rows, piece.begin, width, gradient);
    combine_rows({slopes_of_outputs.data(), rows.users}, rows.users, outputs,
                 {weight.data() + piece.begin, columns}, width, {nullptr, 0}, {below, kUpdateTile});
    for (std::size_t user = 0; user < rows.users; ++user) {
      float* const feature = rows.features->data() + user * columns + piece.begin;
      const float* const from = below + user * kUpdateTile;
      if (centre)
        for (std::size_t p = 0; p < width; ++p)
          feature[p] = from[p] * sigmoid_slope(feature[p], *centre);
      else
        std::copy_n(from, width, feature);
    }
    update.follow(piece.begin, width, gradient);
  });
}

void decode_backward(Tensors& tensors, const DenseWeights& weights, const DenseRows& rows,
                     Matrix& representation_gradient, Optimiser& optimiser, Run& run) {
  const auto weight = tensors[weights.weight];
  const auto bias = tensors[weights.bias];
  const std::size_t columns = bias.size();
  const std::size_t inner = weight.size() / columns;
  TiledProducts products(rows, weight, inner);
  auto scratch = scratch_of(run, inner + 1);
  const WeightUpdate update(tensors, weights.weight, columns, optimiser);
  for_tiles(columns, kTile, run, [&](const Piece& piece) {
    float* const gradient = scratch[static_cast<std::size_t>(piece.worker)].data();
    float* const bias_gradient = gradient + inner * kUpdateTile;
    products.multiply(piece);
    for (std::size_t begin = piece.begin; begin < piece.end; begin += kUpdateTile) {
      const std::size_t width = std::min(kUpdateTile, piece.end - begin);
      std::fill_n(bias_gradient, width, 0.0F);
      update.form_gradient(*rows.representations, rows, begin, width, gradient);
      for (std::size_t user = 0; user < rows.users; ++user)
        for (std::size_t p = 0; p < width; ++p)
          bias_gradient[p] += rows.features->data()[user * columns + begin + p];
      update.follow(begin, width, gradient);
      optimiser.update(weights.bias, begin, bias.subspan(begin, width), bias_gradient);
    }
  });
  products.add_to(representation_gradient.data());
}

}  // namespace dalaup
