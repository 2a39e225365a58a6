#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = 0.5 * static_cast<double>(begin + end - 1);
  }
  return ranks;
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx * yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

// Of x and y with z held fixed, from the three correlations.
double partial(double xy, double xz, double yz) {
  const double rest = (1.0 - xz * xz) * (1.0 - yz * yz);
  return rest > 1e-12 ? (xy - xz * yz) / std::sqrt(rest) : 0.0;
}

}  // namespace

bool FileOrder::tells_partners() const {
  constexpr double kLeast = 0.3;  // public pairs in the order of their edge lists stay below .12
  return pairs >= 10 && std::abs(beyond_degrees) > std::max(kLeast, 1.5 * chance);
}

std::string FileOrder::place_words() const {
  return fmt::format(
      "Labelled partners stand at similar places of the two files (rank correlation {:.2f} beyond "
      "their degrees, by chance within {:.2f} of 0): a method that reads users in the order of the "
      "files, such as aup with --order file, finds partners by their place and not by structure.",
      beyond_degrees, chance);
}

std::string FileOrder::name_words() const {
  return fmt::format(
      "{} of {} {} equal names. No method here compares names unless they are "
      "given as attributes.",
      equal_names, counted(pairs, "labelled pair"), by_number(equal_names, "has", "have"));
}

FileOrder file_order(const NetworkPair& networks, std::span<const UserPair> anchors) {
  FileOrder order{.pairs = anchors.size()};
  std::vector<double> values[4];  // places and degrees of A, then of B
  for (const UserPair& pair : anchors) {
    order.equal_names += networks.a.name(pair.a) == networks.b.name(pair.b) ? 1U : 0U;
    values[0].push_back(pair.a);
    values[1].push_back(networks.a.degree(pair.a));
    values[2].push_back(pair.b);
    values[3].push_back(networks.b.degree(pair.b));
  }
  if (anchors.size() < 5) return order;
  for (auto& column : values) column = ranks_of(column);
  const auto both = [&](int x, int y) { return correlation(values[x], values[y]); };
  const auto given_a = [&](int x, int y) { return partial(both(x, y), both(x, 1), both(y, 1)); };
  order.rank_correlation = both(0, 2);
  order.beyond_degrees = partial(given_a(0, 2), given_a(0, 3), given_a(2, 3));
  order.chance = std::min(1.0, 1.96 / std::sqrt(static_cast<double>(anchors.size()) - 3.0));
  return order;
}

}  // namespace dalaup
