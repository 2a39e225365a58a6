#pragma once
// The probability model: for each user of A a choice between its listed candidates and "none of
// them" (conditional logit), fitted on hidden labels and held to the plain transport plan.
#include "methods/propagation/pair_features.h"

namespace dalaup {

// Users whose partner is known but was hidden from the run that described them.
struct ChoiceExamples {
  struct User {
    std::uint32_t pairs = 0;   // how many candidates were listed
    std::int32_t chosen = -1;  // which of them is the partner; -1: none
    UserFeatures none{};
  };
  std::vector<User> users;
  std::vector<PairFeatures> pairs;  // those of the first user, then those of the second, ...
};

class PairModel {
 public:
  // Before training: the plan's shares, halved by an even chance of none.
  PairModel();
  // Newton's method on the penalised likelihood; deterministic.
  void train(const ChoiceExamples& examples, double shrinkage);

  // Logarithm of the pair's odds against "none", row by row; before competition between rows.
  double log_weight(const PairFeatures& pair) const;
  double log_none(const UserFeatures& none) const;

  static constexpr std::size_t kWeights = kPairFeatures + kUserFeatures;
  std::vector<double> to_values() const;
  void from_values(std::span<const double> values);  // throws InputError when the size is foreign

 private:
  std::array<double, kWeights> weights_{};
  std::array<double, kWeights> means_{};
  std::array<double, kWeights> scales_{};
};

// Maps posterior odds to observed frequencies: logit(p) -> slope * logit(p) + offset, bent so that
// it comes near `most` and never exceeds it. Rises with the odds everywhere.
struct OddsCorrection {
  double slope = 1.0;
  double offset = 0.0;
  double most = kNoBound;  // log odds
  double operator()(double log_odds) const;

  static constexpr double kNoBound = 1e9;
};
struct OddsExample {
  double log_odds = 0.0;
  bool is_anchor = false;
  double weight = 1.0;
  bool tells_slope = true;  // false: what it says of the slope counts half
};
// With n right examples, odds stay below (n + ½)² / 4 to one: with none or one nothing is likelier
// than not, with ten a pair may be .97.
OddsCorrection fit_odds(std::span<const OddsExample> examples);

}  // namespace dalaup
