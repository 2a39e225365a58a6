#pragma once
// What to ask next. A strategy scores pairs of users by what an answer would be worth; the batch
// made from those scores never asks what another answer in the batch would settle.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "questions/questions.h"

namespace dalaup {

// Which pairs may be asked about: not those of closed users (validation and test anchors), not
// those blocked (asked before), not those that labels settle.
class Pool {
 public:
  Pool() = default;
  Pool(UserId users_a, UserId users_b)
      : closed_{std::vector<bool>(users_a, false), std::vector<bool>(users_b, false)} {}

  void close(Side side, UserId user) { closed_[index(side)][user] = true; }
  void close(std::span<const UserPair> anchors);
  void block(UserPair pair) { blocked_.insert(key_of(pair)); }

  bool is_open(Side side, UserId user) const { return !closed_[index(side)][user]; }
  bool is_blocked(UserPair pair) const { return blocked_.contains(key_of(pair)); }
  bool may_ask(UserPair pair, const LabelSet& labels) const {
    return is_open(Side::kA, pair.a) && is_open(Side::kB, pair.b) && !is_blocked(pair) &&
           !labels.answer(pair);
  }
  // Users that are neither closed nor anchored, in id order.
  std::vector<UserId> users(Side side, const LabelSet& labels) const;
  // How many pairs may still be asked.
  std::uint64_t pair_count(const LabelSet& labels) const;
  std::vector<UserPair> blocked() const;  // sorted

 private:
  static std::size_t index(Side side) { return side == Side::kA ? 0 : 1; }
  std::vector<bool> closed_[2];
  std::unordered_set<std::uint64_t> blocked_;
};

// A pair that may be asked about.
struct CandidatePair {
  UserPair pair;
  float score = 0.0F;        // the aligner's
  double probability = 0.0;  // clamped away from 0 and 1, so that logarithms are finite
};

// A strategy of the caller's own: what an answer about each pair would be worth, in their order;
// higher is asked sooner, and only finite values are taken.
struct OwnStrategy {
  std::string name;
  std::function<std::vector<double>(std::span<const CandidatePair> pairs)> values;
};

struct QueryParams {
  std::string questions = "pair";   // pair: yes or no; pick: which of the candidates, or none
  int candidates_per_question = 5;  // shown in a pick question
  int list_length = 30;             // candidates of each user, on either side, that are considered
  int eer_candidates = 2000;        // likeliest pairs for which eer refits its head
  int eer_sample = 2000;            // pairs over which eer sums the certainty
  double eer_ridge = 1.0;           // regularisation of eer's head
  std::vector<OwnStrategy> own = {};  // known by name beside those that ship
  std::vector<std::string> own_names() const;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, QueryParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("questions", params.questions, Choices{"pair", "pick"},
        "form of a question: pair (yes or no) or pick (which candidate, or none)");
  visit("candidates_per_question|candidates", params.candidates_per_question, 2, 100,
        "candidates shown in a pick question");
  visit("list_length", params.list_length, 1, 10000,
        "candidates of each user, from either side, that strategies consider");
  visit("eer_candidates", params.eer_candidates, 1, 1000000,
        "likeliest pairs for which eer refits its head");
  visit("eer_sample", params.eer_sample, 1, 1000000, "pairs over which eer sums the certainty");
  visit("eer_ridge", params.eer_ridge, 1e-6, 1e6, "regularisation of eer's head");
}

// What a strategy looks at. `labels` may be newer than those the aligner was fitted on.
struct QuerySituation {
  const Aligner& aligner;
  const LabelSet& labels;
  const Pool& pool;
  std::uint64_t round = 1;  // random choices differ from round to round, not from run to run
};

// The best `batch_size` questions by one strategy, best first; fewer when the pool runs out.
// No user is asked about twice in a batch. Throws ParameterError for an unknown strategy.
std::vector<Question> choose_questions(const std::string& strategy, const QuerySituation& situation,
                                       const QueryParams& params, std::size_t batch_size, Run& run);

// Before there is a model: the users of A with the most contacts, each with the candidates of B
// that stand alike in their network by structure alone. At most `count`, largest hub first.
inline constexpr const char* kHubPicks = "hubs";
std::vector<Question> hub_picks(const NetworkPair& networks, const LabelSet& labels,
                                const Pool& pool, std::size_t candidates, std::size_t count);

struct StrategySummary {
  std::string name;
  std::string summary;  // one line for help
};
const std::vector<StrategySummary>& query_strategies();
// Throws ParameterError with the closest known name.
void require_strategy(const std::string& name, std::span<const std::string> further_names = {});

}  // namespace dalaup
