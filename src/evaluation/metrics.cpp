#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/evaluation.h"

namespace dalaup {

Metrics metrics_of(std::span<const double> ranks, int cutoff) {
  if (ranks.empty()) throw StateError("found no test pairs, expected at least one");
  Metrics metrics{.cutoff = cutoff, .tests = ranks.size()};
  for (const double rank : ranks) {
    if (!(rank >= 1.0)) throw StateError(fmt::format("found rank {}, expected 1 or more", rank));
    if (rank == kMissed) {
      ++metrics.missed;
      continue;
    }
    metrics.hits_1 += rank <= 1.0 ? 1.0 : 0.0;
    metrics.hits_10 += rank <= 10.0 ? 1.0 : 0.0;
    metrics.mrr += 1.0 / rank;
    metrics.map_linear += std::max(0.0, cutoff + 1.0 - rank) / cutoff;
    if (rank <= cutoff) {
      metrics.precision += 1.0;
      metrics.map += 1.0 / rank;
    }
  }
  visit_values(metrics,
               [&](std::string_view, double& sum) { sum /= static_cast<double>(ranks.size()); });
  return metrics;
}

std::vector<std::pair<std::string, double>> named_values(const Metrics& metrics) {
  std::vector<std::pair<std::string, double>> values;
  visit_values(metrics, [&](std::string_view name, double value) {
    const bool has_cutoff = name.ends_with('@');
    values.emplace_back(has_cutoff ? fmt::format("{}{}", name, metrics.cutoff) : std::string(name),
                        value);
  });
  return values;
}

Calibration calibration_of(std::span<const double> probabilities, const std::vector<bool>& is_right,
                           int bins) {
  Calibration calibration{.bins = std::vector<Calibration::Bin>(static_cast<std::size_t>(bins))};
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double probability = probabilities[i];
    if (!(probability >= 0.0 && probability <= 1.0))
      throw StateError(fmt::format("found probability {}, expected one from 0 to 1", probability));
    auto& bin = calibration.bins[static_cast<std::size_t>(
        std::min(bins - 1, static_cast<int>(probability * bins)))];
    ++bin.count;
    bin.mean_probability += probability;
    bin.share_right += is_right[i] ? 1.0 : 0.0;
  }
  for (auto& bin : calibration.bins) {
    if (bin.count == 0) continue;
    const auto count = static_cast<double>(bin.count);
    bin.mean_probability /= count;
    bin.share_right /= count;
    calibration.expected_error += count / static_cast<double>(probabilities.size()) *
                                  std::abs(bin.share_right - bin.mean_probability);
  }
  return calibration;
}

MatchingQuality matching_quality(std::span<const double> probabilities,
                                 const std::vector<bool>& is_right, std::size_t tests,
                                 double threshold) {
  MatchingQuality quality{.threshold = threshold, .tests = tests};
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] < threshold) continue;
    ++quality.proposed;
    quality.right += is_right[i] ? 1 : 0;
  }
  const auto right = static_cast<double>(quality.right);
  if (quality.proposed > 0) quality.precision = right / static_cast<double>(quality.proposed);
  if (tests > 0) quality.recall = right / static_cast<double>(tests);
  return quality;
}

}  // namespace dalaup
