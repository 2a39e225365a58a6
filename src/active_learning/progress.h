#pragma once
// How far a study is: what the model would export, how much of that still moves, and when further
// answers settle little more than the pair asked.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "active_learning/audit.h"
#include "aligner/aligner.h"
#include "questions/questions.h"
#include "ranking/ranking.h"

namespace dalaup {

// The matching of a round as an export would have it (p >= .5), sorted by a.
std::vector<Match> exported_matching(const Aligner& aligner, Run& run);

struct RoundProgress {
  std::size_t answers = 0;  // so far
  std::size_t yes = 0;
  std::size_t anchors = 0;  // known pairs
  std::size_t matches = 0;  // that an export would add
  // Of matches between users never asked about: 2 min(entered, left) / matches since the last
  // round; 1 where there is no last round.
  double churn = 1.0;
  double doubt = 0.0;           // mean p (1 - p) of the matches
  double expected_right = 0.0;  // known pairs, and the sum of p over the matches
  std::size_t validated = 0;    // validation pairs that the matching holds
  // Known pairs, and the sum of p over the surest matches whose mean p is at least the wanted
  // precision.
  double expected_at_wanted = 0.0;

  void count_known(std::size_t known) {
    anchors = known;
    expected_right += static_cast<double>(known);
    expected_at_wanted += static_cast<double>(known);
  }
};

// Users that a question has shown, on either side.
struct AskedUsers {
  std::unordered_set<UserId> a;
  std::unordered_set<UserId> b;
  void add(const Question& question) {
    for (std::size_t place = 0; place < question.candidates.size(); ++place) {
      a.insert(question.pair(place).a);
      b.insert(question.pair(place).b);
    }
  }
  bool holds(UserPair pair) const { return a.contains(pair.a) || b.contains(pair.b); }
};

// Validation pairs that the matching, sorted by a, holds.
std::size_t validated_by(std::span<const Match> matching, std::span<const UserPair> validation);

// The reward of a round that asking what is already known cannot earn: the rise of the share of
// validation pairs that the matching holds, or without any the growth of what is expected at the
// wanted precision.
double reward_of(const RoundProgress& now, const RoundProgress& before, std::size_t validation);

// Without the known pairs: count_known adds them. `last` is the matching of the round before;
// nullptr in the first round.
RoundProgress progress_of(std::span<const Match> now, const std::vector<Match>* last,
                          const AskedUsers& asked, double wanted_precision);

struct StopAdvice {
  enum class Reason : std::uint8_t {
    kTooEarly,     // fewer than four rounds
    kGoOn,         // matches still move
    kSettled,      // they no longer do, or answers settle themselves alone: stop
    kCertain,      // every match is certain: stop
    kTooFewKnown,  // answers find too little to learn from
  };
  Reason reason = Reason::kTooEarly;
  double gain_per_answer = 0.0;  // right pairs at the wanted precision, over the last rounds
  bool may_stop() const { return reason == Reason::kSettled || reason == Reason::kCertain; }
  std::string words() const;
};
std::string_view name_of(StopAdvice::Reason reason);
// Stop after four rounds or more of a model that finds pairs, when the number of matches moved by
// at most a fifth in three rounds and the median churn of these is at most .05; or when over three
// rounds and at least 60 answers known pairs and matches together, without what a no took away,
// grew by no more than the answers yes: a yes then settles little more than its own pair; or when
// 50 matches or more are certain (doubt below .01). Too few pairs are known when a hundred answers
// held fewer than ten yes and fewer than 50 matches are found.
StopAdvice stop_advice(std::span<const RoundProgress> rounds);

}  // namespace dalaup
