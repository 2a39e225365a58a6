#include "methods/aup/loss.h"

#include "methods/aup/head.h"
#include "support/gradients.h"

namespace dalaup {
namespace {

const std::vector<BatchPair> kPairs{
    {0, 0, true}, {0, 1, false}, {2, 0, false}, {1, 1, true}, {1, 2, false}};

class PairLoss : public testing::Test {
 protected:
  Matrix a = random_matrix(3, 6, 1);
  Matrix b = random_matrix(3, 6, 2);
  Matrix gradient_a = Matrix::Zero(3, 6);
  Matrix gradient_b = Matrix::Zero(3, 6);

  // `loss` returns the unweighted value and adds gradients scaled by kWeight.
  static constexpr double kWeight = 1.5;
  void expect_gradients(const std::function<double(const RepresentationPair&)>& loss) {
    loss({&a, &b, &gradient_a, &gradient_b});
    Matrix ignored_a = Matrix::Zero(3, 6);
    Matrix ignored_b = Matrix::Zero(3, 6);
    const auto value = [&] { return kWeight * loss({&a, &b, &ignored_a, &ignored_b}); };
    expect_slopes({a.data(), 18}, {gradient_a.data(), 18}, value);
    expect_slopes({b.data(), 18}, {gradient_b.data(), 18}, value);
  }
};

TEST(Cosine, OfSimpleVectorsIsWhatGeometrySays) {
  const float east[2] = {2.0F, 0.0F};
  const float north_east[2] = {3.0F, 3.0F};
  const float nowhere[2] = {0.0F, 0.0F};
  EXPECT_NEAR(cosine(east, north_east, 2), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(cosine(east, nowhere, 2), 0.0);  // never NaN
}

TEST_F(PairLoss, HingeGradientMatchesMeasuredSlopes) {
  expect_gradients([](const RepresentationPair& pair) {
    return cross_loss(kPairs, {.margin = -0.9, .split_means = true}, kWeight, pair);
  });
}

TEST_F(PairLoss, HingeOverAllPairsGradientMatchesMeasuredSlopes) {
  expect_gradients([](const RepresentationPair& pair) {
    return cross_loss(kPairs, {.margin = -0.9, .split_means = false}, kWeight, pair);
  });
}

TEST_F(PairLoss, RegularisationGradientsMatchMeasuredSlopes) {
  const std::vector<double> copies{2.0, 2.0, 1.0};
  for (const Regularisation kind : {Regularisation::kSquared, Regularisation::kNorm}) {
    gradient_a.setZero();
    gradient_b.setZero();
    expect_gradients([&](const RepresentationPair& pair) {
      return regularisation_loss(kind, *pair.a, copies, 5.0, kWeight, *pair.gradient_a) +
             regularisation_loss(kind, *pair.b, copies, 5.0, kWeight, *pair.gradient_b);
    });
  }
}

TEST_F(PairLoss, EveryHeadsGradientsMatchMeasuredSlopes) {
  for (const char* name : {"linear", "mlp", "interaction"}) {
    SCOPED_TRACE(name);
    Tensors tensors;
    const Head head = add_head(tensors, head_kind(name), 6);
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor) {
      const auto drawn = random_values(tensors[tensor].size(), 10 + tensor, 0.4);
      std::ranges::copy(drawn, tensors[tensor].begin());
    }
    Gradients gradients(tensors);
    gradient_a.setZero();
    gradient_b.setZero();
    head_loss(head, tensors, kPairs, {&a, &b, &gradient_a, &gradient_b}, kWeight, gradients);
    const auto value = [&] {
      Gradients ignored(tensors);
      return kWeight * head_loss(head, tensors, kPairs, {&a, &b, nullptr, nullptr}, 1.0, ignored);
    };
    expect_slopes({a.data(), 18}, {gradient_a.data(), 18}, value);
    expect_slopes({b.data(), 18}, {gradient_b.data(), 18}, value);
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor) {
      const auto sums = gradients.of(tensor);
      const std::vector<float> slopes(sums.begin(), sums.end());
      expect_slopes(tensors[tensor], slopes, value);
    }
  }
}

TEST_F(PairLoss, HeadScoresOfARowAreTheLogitsItWasTrainedOn) {
  for (const char* name : {"linear", "mlp", "interaction"}) {
    SCOPED_TRACE(name);
    Tensors tensors;
    const Head head = add_head(tensors, head_kind(name), 6);
    for (std::size_t tensor = 0; tensor < tensors.count(); ++tensor) {
      const auto drawn = random_values(tensors[tensor].size(), 10 + tensor, 0.4);
      std::ranges::copy(drawn, tensors[tensor].begin());
    }
    std::vector<float> from_a(3);
    std::vector<float> from_b(3);
    head_scores(head, tensors, true, a.row(1).data(), b, from_a);
    head_scores(head, tensors, false, b.row(2).data(), a, from_b);
    EXPECT_NEAR(from_a[2], from_b[1], 1e-5);
    Gradients ignored(tensors);
    const std::vector<BatchPair> pair{{1, 2, true}};
    const double loss = head_loss(head, tensors, pair, {&a, &b, nullptr, nullptr}, 1.0, ignored);
    EXPECT_NEAR(loss, std::log1p(std::exp(-double{from_a[2]})), 1e-5);
  }
}

TEST(SoftmaxCrossEntropy, IsFiniteForLogitsFarApart) {
  float logits[2] = {900.0F, -900.0F};
  EXPECT_NEAR(softmax_cross_entropy(logits, true, 1.0), 1800.0, 1e-9);
  EXPECT_FLOAT_EQ(logits[0], 1.0F);
  EXPECT_FLOAT_EQ(logits[1], -1.0F);
}

TEST(SquaredError, GradientThroughTheSigmoidMatchesMeasuredSlopes) {
  auto inputs = random_values(10, 3);
  const auto targets = random_values(10, 4);
  const auto outputs_of = [&] {
    std::vector<float> outputs;
    for (const float x : inputs) outputs.push_back(1.0F / (1.0F + std::exp(-x)));
    return outputs;
  };
  std::vector<float> gradient = outputs_of();
  squared_error_backward(targets.data(), gradient, 0.7, true);
  expect_slopes(inputs, gradient, [&] {
    auto outputs = outputs_of();
    return 0.7 * squared_error_backward(targets.data(), outputs, 1.0, true);
  });
}

}  // namespace
}  // namespace dalaup
