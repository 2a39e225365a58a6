// A complete training step of both presets against the PyTorch twin in twin.py; skipped, visibly,
// where Debian's python3-torch is not installed.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "embedding/embedding.h"
#include "methods/aup/aup_network.h"
#include "support/support.h"

namespace dalaup {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // Debian's, the one python3-torch belongs to

// Keeps each gradient, then follows it.
class RecordingOptimiser final : public Optimiser {
 public:
  RecordingOptimiser(const AupParams& params, const Tensors& tensors)
      : optimiser_(make_optimiser({params.optimiser, params.weight_decay}, tensors)) {
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor)
      gradients.emplace_back(tensors[tensor].size(), 0.0F);
  }
  void begin_step(double learning_rate) override { optimiser_->begin_step(learning_rate); }
  void update(std::size_t tensor, std::size_t offset, std::span<float> values,
              const float* gradient) override {
    std::copy_n(gradient, values.size(),
                gradients[tensor].begin() + static_cast<std::ptrdiff_t>(offset));
    optimiser_->update(tensor, offset, values, gradient);
  }
  std::vector<std::vector<float>>& state() override { return optimiser_->state(); }
  std::int64_t steps() const override { return optimiser_->steps(); }
  void set_steps(std::int64_t steps) override { optimiser_->set_steps(steps); }
  std::vector<std::vector<float>> gradients;

 private:
  std::unique_ptr<Optimiser> optimiser_;
};

void write_floats(const std::string& path, std::span<const float> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
}

std::vector<float> read_floats(const std::string& path) {
  const std::string bytes = content_of(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::size_t> shape_of(const AupNetwork& network, std::size_t tensor) {
  const std::string& name = network.tensors.name(tensor);
  const std::size_t size = network.tensors[tensor].size();
  if (!name.ends_with("weight")) return {size};
  if (name.starts_with("head")) return {2, size / 2};
  if (name.find("dense") != std::string::npos)
    return {network.embedding_dim, size / network.embedding_dim};
  const bool decodes = name.starts_with("decoder");
  const auto& shape = decodes ? network.decoder_shape[0] : network.encoder_shape[0];
  const std::size_t layer = name.find("convolution1") != std::string::npos ? 0 : 1;
  const ConvolutionShape convolution = shape.convolution(layer);
  return {static_cast<std::size_t>(convolution.narrow_channels),
          static_cast<std::size_t>(convolution.wide_channels),
          static_cast<std::size_t>(convolution.width)};
}

Matrix contexts(int users, int length, std::uint64_t seed) {
  Random random(seed);
  Matrix rows(users, length);
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = static_cast<float>(random.chance(0.1) ? random.uniform() : 0.0);
  return rows;
}

void compare(const std::string& what, std::span<const float> ours, std::span<const float> twins,
             double floor) {
  ASSERT_EQ(ours.size(), twins.size()) << what;
  double largest = floor;
  for (const float value : twins) largest = std::max(largest, std::abs(double{value}));
  double worst = 0.0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    worst = std::max(worst, std::abs(double{ours[i]} - double{twins[i]}));
  EXPECT_LE(worst / largest, 1e-4) << what;
}

void expect_parity(const std::string& preset) {
  if (std::system(fmt::format("{} -c 'import torch' 2>/dev/null", kPython).c_str()) != 0)
    GTEST_SKIP() << "python3-torch is not installed";
  AupParams params = aup_preset(preset);
  if (preset == "paper") {  // eqs. 3 and 4 to the letter
    params.head = "linear";
    params.reconstruction = "sum";
    params.centred_sigmoid = false;
  }
  dalaup::Run run({.threads = 2});
  const Matrix a = contexts(90, 90, 1);
  const Matrix b = contexts(80, 80, 2);
  LabelSet labels(90, 80);
  for (UserId user = 0; user < 19; ++user) labels.add({user, user + 7}, Label::kAnchor);
  const auto batch =
      make_batches(epoch_pairs({.shuffle = params.shuffle}, labels.anchors(), labels, 0, run), 56)
          .front();
  AupNetwork network = make_network(params, {90, 80}, 1, run);
  const TemporaryFolder folder;
  nlohmann::json job{{"preset", preset},
                     {"batch_norm", params.batch_norm},
                     {"activation", params.activation},
                     {"negative_margin", params.negative_margin},
                     {"widest", 8},
                     {"length_a", 90},
                     {"length_b", 80}};
  for (std::size_t tensor = 0; tensor < network.tensors.count(); ++tensor) {
    const std::string& name = network.tensors.name(tensor);
    if (preset == "official" && name.starts_with("head")) continue;  // trained afterwards
    job["tensors"][name] = shape_of(network, tensor);
    write_floats(folder / (name + ".f32"), network.tensors[tensor]);
  }
  for (const BatchPair& pair : batch.pairs) {
    job["rows_a"].push_back(batch.users[0][pair.row_a]);
    job["rows_b"].push_back(batch.users[1][pair.row_b]);
    job["is_anchor"].push_back(pair.is_anchor);
  }
  write_floats(folder / "inputs_a.f32", {a.data(), static_cast<std::size_t>(a.size())});
  write_floats(folder / "inputs_b.f32", {b.data(), static_cast<std::size_t>(b.size())});
  write_file(folder / "job.json", job.dump());
  RecordingOptimiser optimiser(params, network.tensors);
  TrainingStep step(network, params, run.threads());
  const Losses losses = step.run_batch(batch, {&a, &b}, params.learning_rate, optimiser, run);
  ASSERT_EQ(std::system(fmt::format("{} {}/tests/parity/twin.py parity {}", kPython,
                                    source_folder(), folder.path())
                            .c_str()),
            0);
  const double twin_loss =
      nlohmann::json::parse(content_of(folder / "loss.json"))["loss"].get<double>();
  EXPECT_NEAR(losses.total, twin_loss, 1e-4 * std::abs(twin_loss));
  for (std::size_t tensor = 0; tensor < network.tensors.count(); ++tensor) {
    const std::string& name = network.tensors.name(tensor);
    if (!job["tensors"].contains(name)) continue;
    const auto twin_gradient = read_floats(folder / (name + ".gradient.f32"));
    auto twin_values = read_floats(folder / (name + ".after.f32"));
    // Constants that the next normalisation removes have rounding noise for a gradient.
    const bool is_noise =
        params.batch_norm &&
        ((name.find("convolution") != std::string::npos && name.ends_with("bias")) ||
         name.ends_with("norm1.shift"));
    compare(name + " gradient", optimiser.gradients[tensor], twin_gradient, is_noise ? 1.0 : 0.0);
    // Adam's first step is the sign of the gradient: leave out values whose gradient is next to 0.
    double largest = 0.0;
    for (const float slope : twin_gradient) largest = std::max(largest, std::abs(double{slope}));
    for (std::size_t i = 0; i < twin_values.size(); ++i)
      if (std::abs(double{twin_gradient[i]}) < 1e-3 * largest && params.optimiser == "adam")
        twin_values[i] = network.tensors[tensor][i];
    compare(name + " after the step", network.tensors[tensor], twin_values, is_noise ? 1.0 : 1e-3);
  }
}

TEST(Parity, AStepOfThePaperPresetEqualsPyTorch) { expect_parity("paper"); }
TEST(Parity, AStepOfTheOfficialPresetEqualsPyTorch) { expect_parity("official"); }

}  // namespace
}  // namespace dalaup
