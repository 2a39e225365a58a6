#pragma once
// The runs of the cross-fitting as further opinions: each knew other labels, their errors differ,
// and what is right they share.
#include "methods/propagation/calibration.h"

namespace dalaup {

// By how much the folds move the opinion of the run about every listed pair, beside
// state.lists.pairs. `log_odds_of_folds`: beside the lists of each fold. Empty without folds.
std::vector<float> fold_opinions(const Propagated& state, std::span<const float> log_odds,
                                 const FoldRuns& folds,
                                 std::span<const std::vector<float>> log_odds_of_folds, Run& run);

// The same as far as pairs are still listed, 0 for others.
std::vector<float> moved_opinions(const BoundedRows<ListedPair>& from,
                                  std::span<const float> opinions,
                                  const BoundedRows<ListedPair>& to);

// What run and folds together hold each pair for.
std::vector<float> together(std::vector<float> log_odds, std::span<const float> opinions);

// The correction for odds `after`, of the run and the folds: as many best pairs are as sure as they
// were by the odds `before`, of the run alone, whose correction was learned.
OddsCorrection as_sure(const BoundedRows<ListedPair>& lists, std::span<const float> before,
                       std::span<const float> after, const OddsCorrection& odds, Run& run);

}  // namespace dalaup
