#include "methods/aup/aup_network.h"

#include "support/gradients.h"

namespace dalaup {
namespace {

// Keeps gradients instead of following them.
class Recorder : public Optimiser {
 public:
  explicit Recorder(const Tensors& tensors) {
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor)
      gradients.emplace_back(tensors[tensor].size(), 0.0F);
  }
  void begin_step(double) override {}
  void update(std::size_t tensor, std::size_t offset, std::span<float> values,
              const float* gradient) override {
    std::copy_n(gradient, values.size(),
                gradients[tensor].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::vector<std::vector<float>>& state() override { return gradients; }
  std::int64_t steps() const override { return 0; }
  void set_steps(std::int64_t) override {}
  std::vector<std::vector<float>> gradients;
};

Batch small_batch() {
  return {.users = {std::vector<UserId>{0, 3, 5}, {1, 2, 4, 6}},
          .copies = {std::vector<double>{2, 2, 1}, {2, 1, 1, 1}},
          .pairs = {{0, 0, true}, {0, 1, false}, {1, 2, true}, {1, 0, false}, {2, 3, false}}};
}

AupParams small(AupParams params) {
  params.embedding_dim = 5;
  params.channels = 2;
  params.negative_margin = -0.9;  // keeps the hinge open, where it has a slope
  params.joint_head = true;
  params.classification_weight = 0.7;
  params.cross_network_weight = 0.9;
  params.regularisation_weight = 0.2;
  return params;
}

// A constant that the next normalisation takes out again.
bool has_no_effect(const AupParams& params, const std::string& tensor) {
  const bool before_norm =
      tensor.find(".convolution") != std::string::npos && tensor.ends_with("bias");
  return params.batch_norm &&
         (before_norm || (params.activation == "last" && tensor == "encoder.norm1.shift"));
}

void expect_network_gradients(const AupParams& params, std::array<std::size_t, 2> lengths) {
  dalaup::Run run;
  AupNetwork network = make_network(params, lengths, 1, run);
  Matrix a = random_matrix(7, static_cast<int>(lengths[0]), 21).cwiseAbs();
  Matrix b = random_matrix(7, static_cast<int>(lengths[1]), 22).cwiseAbs();
  const Batch batch = small_batch();
  Recorder recorder(network.tensors);
  TrainingStep step(network, params, 1);
  step.run_batch(batch, {&a, &b}, 1.0, recorder, run);
  const auto gradients = recorder.gradients;
  for (std::size_t tensor = 0; tensor < network.tensors.count(); ++tensor) {
    SCOPED_TRACE(network.tensors.name(tensor));
    const auto value = [&] { return step.run_batch(batch, {&a, &b}, 1.0, recorder, run).total; };
    if (has_no_effect(params, network.tensors.name(tensor))) {  // the slope is rounding noise
      for (const float slope : gradients[tensor]) EXPECT_NEAR(slope, 0.0F, 1e-4F);
      continue;
    }
    expect_slopes(network.tensors[tensor], gradients[tensor], value, 4e-3, 2e-2);
  }
}

TEST(AupNetwork, EveryGradientOfThePaperPresetMatchesMeasuredSlopes) {
  expect_network_gradients(small(aup_preset("paper")), {12, 10});
}

TEST(AupNetwork, EveryGradientOfTheOfficialPresetMatchesMeasuredSlopes) {
  expect_network_gradients(small(aup_preset("official")), {12, 10});
  AupParams centred = small(aup_preset("official"));
  centred.activation = "every";
  centred.centred_sigmoid = true;
  expect_network_gradients(centred, {12, 10});
}

TEST(AupNetwork, EveryGradientWithoutConvolutionsOrDecoderMatchesMeasuredSlopes) {
  AupParams params = small(aup_preset("paper"));
  params.convolution_layers = 0;
  params.reconstruction_weight = 0.0;
  expect_network_gradients(params, {9, 7});
}

TEST(AupNetwork, ThreeNormalisedLayersWithSigmoidsBetweenMatchMeasuredSlopes) {
  AupParams params = small(aup_preset("official"));
  params.activation = "every";
  params.convolution_layers = 3;
  expect_network_gradients(params, {14, 13});
}

TEST(AupNetwork, AStepIsTheSameToTheBitAtAnyThreadCount) {
  for (const char* preset : {"paper", "official"}) {
    AupParams params = aup_preset(preset);
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3}) {
      dalaup::Run run({.threads = threads});
      AupNetwork network = make_network(params, {3000, 2500}, 1, run);
      const Matrix a = random_matrix(7, 3000, 21).cwiseAbs();
      const Matrix b = random_matrix(7, 2500, 22).cwiseAbs();
      const auto optimiser =
          make_optimiser({params.optimiser, params.weight_decay}, network.tensors);
      TrainingStep step(network, params, run.threads());
      for (int i = 0; i < 3; ++i)
        step.run_batch(small_batch(), {&a, &b}, params.learning_rate, *optimiser, run);
      std::vector<float> all;
      for (const Tensor& tensor : network.tensors.all())
        all.insert(all.end(), tensor.values.begin(), tensor.values.end());
      const Matrix out = encode_users(network, Side::kA, a, run);
      all.insert(all.end(), out.data(), out.data() + out.size());
      results.push_back(std::move(all));
    }
    EXPECT_EQ(results[0], results[1]) << preset;
    EXPECT_EQ(results[0], results[2]) << preset;
  }
}

// A user through the encoder as it is written down: every layer over the whole row, in float64.
std::vector<double> encoded_slowly(const AupNetwork& network, Side side, const float* input) {
  const StackShape& shape = network.encoder_shape[index_of(side)];
  std::vector<double> row(input, input + shape.size(0));
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const StackWeights::Layer& mine = network.encoder.layers[layer];
    const auto in = static_cast<std::size_t>(shape.channels[layer]);
    const auto out = static_cast<std::size_t>(shape.channels[layer + 1]);
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t length = shape.length(layer + 1);
    std::vector<double> next(out * length);
    for (std::size_t o = 0; o < out; ++o)
      for (std::size_t p = 0; p < length; ++p) {
        double sum = double{network.tensors[mine.bias][o]};
        for (std::size_t i = 0; i < in; ++i)
          for (std::size_t t = 0; t < width; ++t)
            sum += double{network.tensors[mine.weight][(o * in + i) * width + t]} *
                   row[i * shape.length(layer) + p + t];
        if (shape.normalise)
          sum = (sum - mine.running_mean[o]) / std::sqrt(mine.running_variance[o] + 1e-5) *
                    double{network.tensors[mine.scale][o]} +
                double{network.tensors[mine.shift][o]};
        next[o * length + p] = shape.is_activated(layer) ? 1.0 / (1.0 + std::exp(-sum)) : sum;
      }
    row = std::move(next);
  }
  const DenseWeights& dense = network.encoder_dense[index_of(side)];
  std::vector<double> out;
  for (std::size_t o = 0; o < network.embedding_dim; ++o) {
    double sum = double{network.tensors[dense.bias][o]};
    for (std::size_t p = 0; p < row.size(); ++p)
      sum += double{network.tensors[dense.weight][o * row.size() + p]} * row[p];
    out.push_back(sum);
  }
  return out;
}

TEST(AupNetwork, EncodingInWindowsEqualsLayerAfterLayer) {
  for (const char* activation : {"every", "last", "none"})
    for (const bool normalise : {false, true}) {
      AupParams params = aup_preset("official");
      params.activation = activation;
      params.batch_norm = normalise;
      params.embedding_dim = 5;
      dalaup::Run run;
      AupNetwork network =
          make_network(params, {301, 290}, 2, run);  // three windows, the last short
      for (StackWeights::Layer& layer : network.encoder.layers)
        for (std::size_t channel = 0; channel < layer.running_mean.size(); ++channel) {
          layer.running_mean[channel] = 0.1 * static_cast<double>(channel);
          layer.running_variance[channel] = 0.5 + 0.1 * static_cast<double>(channel);
        }
      const Matrix inputs = random_matrix(3, 2 * 301, 23);
      const Matrix found = encode_users(network, Side::kA, inputs, run);
      for (std::size_t user = 0; user < 3; ++user) {
        const auto expected = encoded_slowly(network, Side::kA, row_of(inputs, user));
        for (std::size_t o = 0; o < expected.size(); ++o)
          EXPECT_NEAR(row_of(found, user)[o], expected[o], 1e-4)
              << activation << (normalise ? ", normalised" : "");
      }
    }
}

TEST(AupNetwork, CopiesInABatchEqualRepeatedRows) {
  // The same pairs once with distinct users and once with every copy as a row of its own.
  for (const char* preset : {"paper", "official"}) {
    const AupParams params = small(aup_preset(preset));
    dalaup::Run run;
    const Matrix a = random_matrix(7, 12, 21).cwiseAbs();
    const Matrix b = random_matrix(7, 10, 22).cwiseAbs();
    std::vector<double> totals;
    std::vector<std::vector<std::vector<float>>> gradients;
    Batch copied = small_batch();
    Batch repeated;
    for (const BatchPair& pair : copied.pairs) {
      const auto row = static_cast<std::uint32_t>(repeated.pairs.size());
      repeated.users[0].push_back(copied.users[0][pair.row_a]);
      repeated.users[1].push_back(copied.users[1][pair.row_b]);
      repeated.pairs.push_back({row, row, pair.is_anchor});
    }
    repeated.copies = {std::vector<double>(5, 1.0), std::vector<double>(5, 1.0)};
    for (const Batch* batch : {&copied, &repeated}) {
      AupNetwork network = make_network(params, {12, 10}, 1, run);
      Recorder recorder(network.tensors);
      TrainingStep step(network, params, 1);
      totals.push_back(step.run_batch(*batch, {&a, &b}, 1.0, recorder, run).total);
      gradients.push_back(recorder.gradients);
    }
    EXPECT_NEAR(totals[0], totals[1], 1e-5 * totals[0]);
    for (std::size_t tensor = 0; tensor < gradients[0].size(); ++tensor)
      for (std::size_t i = 0; i < gradients[0][tensor].size(); ++i)
        EXPECT_NEAR(gradients[0][tensor][i], gradients[1][tensor][i], 2e-5) << preset << tensor;
  }
}

TEST(AupNetwork, NumbersThatAreNotFiniteStopTheStepNamingTheLayer) {
  const AupParams params = small(aup_preset("paper"));
  dalaup::Run run;
  AupNetwork network = make_network(params, {12, 10}, 1, run);
  network.tensors[network.encoder_dense[1].bias][0] = std::nanf("");
  const Matrix a = random_matrix(7, 12, 21).cwiseAbs();
  const Matrix b = random_matrix(7, 10, 22).cwiseAbs();
  Recorder recorder(network.tensors);
  TrainingStep step(network, params, 1);
  try {
    step.run_batch(small_batch(), {&a, &b}, 1.0, recorder, run);
    FAIL() << "expected an error";
  } catch (const StateError& error) {
    EXPECT_STREQ(error.what(),
                 "found numbers that are not finite in the dense encoder layer of network B");
    EXPECT_NE(error.hint().find("learning_rate"), std::string::npos);
  }
}

TEST(AupNetwork, ANetworkSmallerThanTheConvolutionsReachIsRefused) {
  dalaup::Run run;
  try {
    make_network(aup_preset("paper"), {12, 4}, 1, run);
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "network B: found 4 coordinates per user, expected at least 5 for 2 convolutions of "
        "width 3");
  }
}

}  // namespace
}  // namespace dalaup
