#pragma once
// Settings whose best value depends on the networks, chosen by hidden labels: how weak a match may
// be and still give evidence, and how strongly evidence is damped. Where most users have one clear
// match, weak ones are noise; where hardly anybody has, many of them together say more.
#include <functional>

#include "methods/propagation/calibration.h"

namespace dalaup {

struct ChosenSettings {
  double least_match = 0.1;
  double evidence_damping = 0.7;
  bool operator==(const ChosenSettings&) const = default;
};

// What the params say, and the usual values where they leave it open.
ChosenSettings usual_settings(const PropagationParams& params);
PropagationParams with(const ChosenSettings& chosen, PropagationParams params);

// Other values are tried where the params leave them open, the folds hide enough labels to tell,
// and a round is so short that trying is cheap.
bool is_worth_choosing(const NetworkPair& networks, std::span<const std::vector<UserPair>> folds,
                       const PropagationParams& params);

inline constexpr std::size_t kTriedSettings = 4;  // by choose_settings, at most
using FoldRuns = std::vector<std::unique_ptr<Fold>>;
// Tries the other values, alone and together, `run_folds` with each, and keeps what ranks hidden
// partners better. `runs`, of the usual settings to begin with, become those of the chosen ones.
ChosenSettings choose_settings(const PropagationParams& params, FoldRuns& runs,
                               const std::function<FoldRuns(const ChosenSettings&)>& run_folds);

// Mean logarithm of the places that hidden partners have in their users' lists. Lower is better.
double mean_log_rank(const FoldRuns& runs);

}  // namespace dalaup
