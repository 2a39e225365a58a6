#include <algorithm>
#include <cmath>

#include "embedding/embedding.h"

namespace dalaup {
namespace {

constexpr double kSmallestProbability = 1e-9;
constexpr double kSlopePrior = 1e-3;  // of the log-likelihood's curvature; cosines are at most 1
constexpr int kMostSteps = 100;

double logistic(double x) {
  return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
}
// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

struct Likelihood {
  double loss = 0.0;
  double gradient[2] = {0.0, 0.0};  // by slope, by offset
  double curvature[3] = {0.0, 0.0, 0.0};

  void add(double score, double weight, bool is_anchor, const PlattCurve& at) {
    const double x = at.slope * score + at.offset;
    const double p = logistic(x);
    loss += weight * softplus(is_anchor ? -x : x);
    const double slope_of_loss = weight * (is_anchor ? p - 1.0 : p);
    gradient[0] += slope_of_loss * score;
    gradient[1] += slope_of_loss;
    const double bend = weight * p * (1.0 - p);
    curvature[0] += bend * score * score;
    curvature[1] += bend * score;
    curvature[2] += bend;
  }
};

}  // namespace

double PlattCurve::probability(double score) const {
  return std::clamp(logistic(slope * score + offset), kSmallestProbability,
                    1.0 - kSmallestProbability);
}

// Newton's method, halving a step that does not lower the loss.
PlattCurve fit_calibration(std::span<const float> anchor_scores,
                           std::span<const float> other_scores, double negative_weight) {
  if (anchor_scores.empty() || other_scores.empty()) return {};
  const auto likelihood = [&](const PlattCurve& at) {
    Likelihood sum;
    for (const float score : anchor_scores) sum.add(score, 1.0, true, at);
    for (const float score : other_scores) sum.add(score, negative_weight, false, at);
    sum.loss += 0.5 * kSlopePrior * at.slope * at.slope;
    sum.gradient[0] += kSlopePrior * at.slope;
    sum.curvature[0] += kSlopePrior;
    return sum;
  };
  const double others = negative_weight * static_cast<double>(other_scores.size());
  PlattCurve best{.slope = 0.0,
                  .offset = std::log(static_cast<double>(anchor_scores.size()) / others)};
  Likelihood here = likelihood(best);
  for (int step = 0; step < kMostSteps; ++step) {
    const auto& [aa, ab, bb] = here.curvature;
    const double determinant = aa * bb - ab * ab;
    if (!(determinant > 0.0)) break;
    const double by_slope = (bb * here.gradient[0] - ab * here.gradient[1]) / determinant;
    const double by_offset = (aa * here.gradient[1] - ab * here.gradient[0]) / determinant;
    double share = 1.0;
    Likelihood there;
    PlattCurve next;
    do {
      next = {.slope = best.slope - share * by_slope, .offset = best.offset - share * by_offset};
      there = likelihood(next);
      share *= 0.5;
    } while (!(there.loss <= here.loss) && share > 1e-6);
    if (!(there.loss < here.loss)) break;
    const bool is_settled = here.loss - there.loss < 1e-9 * (1.0 + here.loss);
    best = next;
    here = there;
    if (is_settled) break;
  }
  return best;
}

}  // namespace dalaup
