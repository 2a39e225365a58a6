#pragma once
// What every strategy is made of; private to query.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "query/query.h"

namespace dalaup {

// The likely pairs of a round: every pair in the best lists of either of its users.
struct Scene {
  const QuerySituation& situation;
  const QueryParams& params;
  std::size_t batch_size;
  Run& run;
  std::vector<CandidatePair> pairs;  // that may be asked, sorted by pair
  // The likeliest pairs without a common user, taken one by one; users that may not be asked about
  // included. Sorted by a.
  std::vector<CandidatePair> matching;
  // How surely each user is matched: 1 with a known partner, else its best probability; A, then B.
  std::vector<double> matched[2];
  // The probability of the last candidate in each user's list, which a pair outside of the list
  // does not exceed where probabilities fall along lists; 0 when the list holds every candidate.
  std::vector<double> last_listed[2];

  const NetworkPair& networks() const { return situation.aligner.networks(); }
  QuestionKind kind() const { return *question_kind_named(params.questions); }
  bool picks() const { return !form_of(kind()).asks_single_pairs(); }
};
Scene look_around(const QuerySituation& situation, const QueryParams& params,
                  std::size_t batch_size, Run& run);

struct ScoredPair {
  CandidatePair candidate;
  double value = 0.0;  // higher is asked sooner
};

// What the pairs already in the batch leave of a pair's value; values may only fall.
class Discount {
 public:
  virtual ~Discount() = default;
  virtual void add(const Question& chosen) = 0;
  virtual double value(const ScoredPair& pair) const = 0;
};

struct Proposal {
  std::vector<ScoredPair> pairs;
  std::function<double(const CandidatePair&)> value;      // nothing: only `pairs` have a value
  std::function<std::unique_ptr<Discount>()> discount{};  // nothing: values stay as they are
  // Pairs that may be asked, are in no list and may be worth more than `lowest`; nothing: the
  // lists hold all that is wanted.
  std::function<std::vector<CandidatePair>(const Scene&, double lowest)> unlisted{};
  bool values_follow_scores = false;  // of the aligner, whatever probabilities do
  // What a pick question is worth: the sum of its pairs' values where each is what one pair adds,
  // or the highest where values only say which pair is best.
  enum class Pick : std::uint8_t { kSum, kHighest } pick = Pick::kSum;
};

struct Strategy {
  std::string name;
  std::string summary;
  std::function<Proposal(const Scene&)> propose;
  bool looks_further = true;  // down the lists when it finds nothing to ask in them
};

Strategy saie_strategy();
Strategy ie_strategy();
Strategy cs_strategy();
Strategy eer_strategy();
Strategy random_strategy();
Strategy coverage_strategy();
Strategy degree_strategy();
Strategy reach_strategy();
Strategy open_match_strategy();
Strategy influence_strategy();
Strategy random_match_strategy();

// Scores every pair of the scene by itself.
Proposal score_each(const Scene& scene, std::function<double(const CandidatePair&)> value);

// The greedy batch: best first, no user twice, discounts applied.
std::vector<Question> make_batch(const Strategy& strategy, const Scene& scene, Proposal& proposal);
// The same over all pairs that may be asked, listed or not (see unlisted.cpp for its limits).
std::vector<Question> make_best_batch(const Strategy& strategy, const Scene& scene);

// The highest value that a pair of users with these weights may have when its probability is at
// most `probability`; must not fall when any of the three rises.
struct ValueBound {
  std::vector<double> weight_a;  // of every user; empty: weights do not matter
  std::vector<double> weight_b;
  std::function<double(double probability, double weight_a, double weight_b)> highest;
};
// Proposal::unlisted from such a bound.
std::function<std::vector<CandidatePair>(const Scene&, double)> unlisted_by_bound(ValueBound bound);
// Scores every pair by its probability and its users' weights, of which the bound is one.
Proposal score_by_weight(
    const Scene& scene, ValueBound bound,
    std::function<double(double probability, double weight_a, double weight_b)> value);

double clamp_probability(double probability);
// Whether an answer can still say something: a pair less likely than .02 or likelier than .98 is
// as good as answered.
bool is_open_question(double probability);
double entropy(double probability);          // in nats
double highest_entropy(double probability);  // of this probability and all below it

}  // namespace dalaup
