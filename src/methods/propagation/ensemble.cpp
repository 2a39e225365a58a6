#include "methods/propagation/ensemble.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dalaup {
namespace {

constexpr double kVeto = 0.0025;       // added to odds: how far a single run can push a pair down
constexpr double kOwnOrder = 1e-9;     // of a run's own odds: keeps hopeless pairs in its order
constexpr double kShareOfFolds = 0.5;  // of the opinion, however many they are
constexpr std::size_t kRowsPerPiece = 256;
constexpr double kLeastStretch = 0.5;
constexpr double kMostStretch = 3.0;

// log(odds + kVeto), less what odds of 0 give: exact where odds are tiny.
double bounded(double log_odds) { return std::log1p(std::exp(log_odds) / kVeto); }

// Through the two samples, surest with surest and so on, weighted by how open a pair is.
OddsCorrection line_between(std::vector<float> from, std::vector<float> to) {
  std::ranges::sort(from, std::greater<>{});
  std::ranges::sort(to, std::greater<>{});
  double total = 0.0;
  double sum_x = 0.0;
  double sum_y = 0.0;
  double sum_xx = 0.0;
  double sum_xy = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double chance = logistic(to[i]);
    const double weight = chance * (1.0 - chance);
    const double x = from[i];
    const double y = to[i];
    total += weight;
    sum_x += weight * x;
    sum_y += weight * y;
    sum_xx += weight * x * x;
    sum_xy += weight * x * y;
  }
  if (total < 1.0) return {};
  const double mean_x = sum_x / total;
  const double mean_y = sum_y / total;
  const double variance = sum_xx / total - mean_x * mean_x;
  if (variance < 1e-6) return {};
  const double slope =
      std::clamp((sum_xy / total - mean_x * mean_y) / variance, kLeastStretch, kMostStretch);
  return {slope, mean_y - slope * mean_x};
}

}  // namespace

std::vector<float> fold_opinions(const Propagated& state, std::span<const float> log_odds,
                                 const FoldRuns& folds,
                                 std::span<const std::vector<float>> log_odds_of_folds, Run& run) {
  if (folds.empty()) return {};
  const BoundedRows<ListedPair>& lists = state.lists.pairs;
  std::vector<float> opinions(lists.room(), 0.0F);
  std::vector<std::vector<double>> known(static_cast<std::size_t>(run.threads()),
                                         std::vector<double>(state.open_b.size(), 0.0));
  for_rows(run, lists.rows(), kRowsPerPiece, [&](const Piece& piece) {
    std::vector<double>& of_partner = known[static_cast<std::size_t>(piece.worker)];
    std::vector<double> sums;
    for (std::size_t user = piece.begin; user < piece.end; ++user) {
      const auto pairs = lists.of(user);
      const std::uint64_t first = lists.begin_of(user);
      sums.assign(pairs.size(), 0.0);
      for (std::size_t fold = 0; fold < folds.size(); ++fold) {
        const BoundedRows<ListedPair>& others = folds[fold]->state.lists.pairs;
        const auto listed = others.of(user);
        for (std::size_t i = 0; i < listed.size(); ++i)
          of_partner[listed[i].partner] =
              bounded(log_odds_of_folds[fold][others.begin_of(user) + i]);
        for (std::size_t i = 0; i < pairs.size(); ++i) sums[i] += of_partner[pairs[i].partner];
        for (const ListedPair& pair : listed) of_partner[pair.partner] = 0.0;
      }
      for (std::size_t i = 0; i < pairs.size(); ++i)
        opinions[first + i] =
            static_cast<float>(kShareOfFolds * (sums[i] / static_cast<double>(folds.size()) -
                                                bounded(log_odds[first + i])));
    }
  });
  return opinions;
}

std::vector<float> moved_opinions(const BoundedRows<ListedPair>& from,
                                  std::span<const float> opinions,
                                  const BoundedRows<ListedPair>& to) {
  if (opinions.empty()) return {};
  std::vector<float> moved(to.room(), 0.0F);
  for (std::size_t user = to.rows().begin; user < to.rows().end; ++user) {
    const auto known = from.of(user);
    const auto pairs = to.of(user);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto found = std::ranges::find(known, pairs[i].partner, &ListedPair::partner);
      if (found != known.end())
        moved[to.begin_of(user) + i] =
            opinions[from.begin_of(user) + static_cast<std::size_t>(found - known.begin())];
    }
  }
  return moved;
}

std::vector<float> together(std::vector<float> log_odds, std::span<const float> opinions) {
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    const double own = log_odds[i];
    const double odds = kVeto * std::max(0.0, std::expm1(bounded(own) + opinions[i]));
    log_odds[i] = static_cast<float>(std::max(std::log(odds + kOwnOrder * std::exp(own)), -300.0));
  }
  return log_odds;
}

OddsCorrection as_sure(const BoundedRows<ListedPair>& lists, std::span<const float> before,
                       std::span<const float> after, const OddsCorrection& odds, Run& run) {
  const auto best_of_rows = [&](std::span<const float> log_odds) {
    std::vector<float> best;
    for (std::size_t user = lists.rows().begin; user < lists.rows().end; ++user)
      if (!lists.of(user).empty())
        best.push_back(
            std::ranges::max(log_odds.subspan(lists.begin_of(user), lists.of(user).size())));
    return gather_all(communicator_of(run), std::move(best));
  };
  const OddsCorrection line = line_between(best_of_rows(after), best_of_rows(before));
  return {.slope = odds.slope * line.slope,
          .offset = odds.slope * line.offset + odds.offset,
          .most = odds.most};
}

}  // namespace dalaup
