#pragma once
// Ranks -> metrics, and what can be said of them over repeats. docs/use/metrics.md has the
// formulas.
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

// The rank of a partner that a cut list does not hold.
inline constexpr double kMissed = std::numeric_limits<double>::infinity();

struct Metrics {
  int cutoff = 30;
  std::size_t tests = 0;
  std::size_t missed = 0;  // ranks that are kMissed; they score 0 everywhere
  double precision = 0.0;  // share of ranks <= cutoff
  double map = 0.0;        // mean of 1/rank where rank <= cutoff
  double hits_1 = 0.0;
  double hits_10 = 0.0;
  double mrr = 0.0;         // mean of 1/rank
  double map_linear = 0.0;  // mean of max(0, cutoff + 1 - rank) / cutoff
};
// The one list of the values above, with their written names; "@" is followed by the cutoff.
// Results are kept by place: a new one goes to the end.
template <class Values, class Visit>
void visit_values(Values& metrics, Visit&& visit) {
  visit("precision@", metrics.precision);
  visit("map@", metrics.map);
  visit("hits@1", metrics.hits_1);
  visit("hits@10", metrics.hits_10);
  visit("mrr", metrics.mrr);
  visit("map-linear@", metrics.map_linear);
}
// Throws StateError for no ranks at all and for a rank below 1 or NaN.
Metrics metrics_of(std::span<const double> ranks, int cutoff = 30);
// By their written names: "precision@30", "map@30", "hits@1", "hits@10", "mrr", "map-linear@30".
std::vector<std::pair<std::string, double>> named_values(const Metrics& metrics);

// Mean with its spread over repeats; low and high bound the mean with 95 % confidence (Student's
// t).
struct Spread {
  std::size_t count = 0;
  double mean = 0.0;
  double standard_deviation = 0.0;  // of a sample: n - 1
  double low = 0.0;
  double high = 0.0;
};
Spread spread_of(std::span<const double> values);

// Two methods on the same splits. Student's paired t: repeats are few (5 to 10), and a sign test
// cannot fall below p = 2/2^n there; differences of means over hundreds of test users are close to
// normal. The sign-flip p needs no such belief and is given beside it; where all differences are
// equal, t knows no spread and both are the sign-flip p.
struct PairedTest {
  Spread difference;         // second - first
  double p_value = 1.0;      // two-sided, paired t
  double sign_flip_p = 1.0;  // two-sided, exact up to 16 repeats, else 65,536 drawn flips
};
// Throws ParameterError when the two have different lengths or fewer than two repeats.
PairedTest paired_test(std::span<const double> first, std::span<const double> second);

// P(|T| >= |t|) for Student's t.
double student_p(double t, double degrees_of_freedom);
// The t with P(|T| <= t) = confidence.
double student_quantile(double confidence, double degrees_of_freedom);
// Bounds of a share seen as `count` of `total` (Wilson, 95 %).
std::pair<double, double> share_bounds(std::size_t count, std::size_t total);

// Are probabilities what they say? Bins of equal width.
struct Calibration {
  struct Bin {
    std::size_t count = 0;
    double mean_probability = 0.0;
    double share_right = 0.0;
  };
  double expected_error = 0.0;  // mean over all of |share right - mean probability| of their bin
  std::vector<Bin> bins;
};
// Throws StateError for a probability outside [0, 1].
Calibration calibration_of(std::span<const double> probabilities, const std::vector<bool>& is_right,
                           int bins = 10);

struct MatchingQuality {
  double threshold = 0.5;
  std::size_t proposed = 0;  // pairs at or above the threshold that can be judged
  std::size_t right = 0;
  std::size_t tests = 0;
  double precision = 0.0;  // right / proposed; 0 without any
  double recall = 0.0;     // right / tests
};
MatchingQuality matching_quality(std::span<const double> probabilities,
                                 const std::vector<bool>& is_right, std::size_t tests,
                                 double threshold);

// The truth as the judge of pairs.
class TruthJudge {
 public:
  // Where the truth is complete, users it does not mention have no partner and their pairs are
  // wrong; else nobody can judge those.
  TruthJudge(const NetworkPair& networks, std::span<const UserPair> truth,
             bool is_complete = false);
  // Whether the pair is one person; nothing when the truth mentions neither of its users.
  std::optional<bool> judge(UserPair pair) const;

 private:
  std::vector<UserId> partner_of_a_;
  std::vector<bool> is_known_b_;
  bool is_complete_;
};

// What a study is for: right pairs, known or exported, at a precision somebody wants.
struct RightPairs {
  std::size_t known = 0;       // labelled pairs
  std::size_t exported = 0;    // pairs of the matching at p >= .5
  std::size_t not_judged = 0;  // of these, between users the truth does not mention
  std::size_t right = 0;       // of these, one person
  // Right ones at the loosest cut-off of p whose true precision is at least the wanted one.
  std::size_t right_at_wanted = 0;
  double claimed_precision = 0.0;  // mean p of the judged exported pairs
  double true_precision = 0.0;     // share of them that is right
  double claimed_at_9 = 0.0;       // both again for p >= .9
  double true_at_9 = 0.0;

  std::size_t found() const { return known + right; }
  std::size_t found_at_wanted() const { return known + right_at_wanted; }
};
struct ExportedPair {
  UserPair pair;
  double probability = 0.0;
};
// Throws ParameterError when wanted_precision is outside (0, 1].
RightPairs right_pairs(std::span<const ExportedPair> matching, std::size_t known,
                       const TruthJudge& truth, double wanted_precision);

// A ranked list of any program against a truth, by names: no networks needed.
struct RankedEvaluation {
  std::vector<double> ranks;  // of each test pair, in the order of the truth file
  Metrics metrics;
  bool lists_b = false;      // users of A are ranked for those of B
  std::size_t labelled = 0;  // truth pairs left out because the labels hold them
  std::size_t users_without_rows = 0;
  std::size_t longest_list = 0;       // of a test user
  std::size_t rows_out_of_order = 0;  // rows whose rank contradicts their scores
};
// Reads files named in `paths`; labels may be empty. Throws InputError with file and line for a
// wrong header, a score that is not finite, a candidate listed twice or known as somebody's
// partner.
struct EvaluationFiles {
  std::string ranked;
  std::string truth;
  std::string labels;
  TableOptions table = {};  // how truth and labels are written
};
RankedEvaluation evaluate_ranked(const EvaluationFiles& paths, int cutoff);

// A matching file against the truth. A row is judged when one of its users is a test user: it is
// right when the truth holds it. Rows between users the truth does not mention are counted apart.
struct MatchingEvaluation {
  MatchingQuality quality;
  Calibration calibration;  // of the judged rows
  // Rows at or above the threshold whose users the truth does not mention: nothing says whether
  // they are right, so no share of right ones includes them.
  std::size_t not_judged = 0;
};
MatchingEvaluation evaluate_matching(const std::string& matching, const EvaluationFiles& paths,
                                     double threshold);

// How the numbers were made, in two or three sentences.
std::string protocol_words(const RankedEvaluation& evaluation);

// Whether the two files give partners away: by the places at which they stand, which a method that
// reads users in order can learn from, or by their names.
struct FileOrder {
  std::size_t pairs = 0;
  double rank_correlation = 0.0;  // Spearman's, of partners' places; 0 below five pairs
  // The same with the degrees on both sides held fixed: users with many edges come early in most
  // edge lists, which says no more than the degrees do.
  double beyond_degrees = 0.0;
  double chance = 1.0;  // which 95 % of unrelated orders stay below
  std::size_t equal_names = 0;

  bool tells_partners() const;  // beyond chance, and enough to learn from
  bool names_tell_partners() const { return equal_names >= 3 && 10 * equal_names >= pairs; }
  // What it means, in a sentence.
  std::string place_words() const;
  std::string name_words() const;
};
FileOrder file_order(const NetworkPair& networks, std::span<const UserPair> anchors);

}  // namespace dalaup
