#pragma once
// Algorithm 1: choose a strategy, ask, label, refit, measure the rise, reward the strategy.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "query/query.h"
#include "selection/selection.h"

namespace dalaup {

// Who answers.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Answer answer(const Question& question) = 0;
};

// Answers from known anchor pairs. With error_rate > 0 that share of the answers is wrong: another
// option than the right one, drawn at random. The same question gets the same answer in every run.
class TruthOracle : public Oracle {
 public:
  // Throws ParameterError when error_rate is outside [0, 0.5).
  TruthOracle(const NetworkPair& networks, std::span<const UserPair> truth, double error_rate = 0.0,
              std::uint64_t seed = 1);
  Answer answer(const Question& question) override;

 private:
  LabelSet truth_;
  double error_rate_;
  std::uint64_t seed_;
};

// Enters an answer: a yes becomes an anchor; a no keeps its pairs from being asked again and
// becomes a label only when `trust_no`, because truth files are incomplete; a skip only blocks the
// question. Gives the earlier answer back that contradicts a yes; nothing is then changed.
std::optional<LabelSet::Conflict> record_answer(const Question& question, const Answer& answer,
                                                bool trust_no, LabelSet& labels, Pool& pool);
// Undoes record_answer.
void take_back_answer(const Question& question, const Answer& answer, LabelSet& labels, Pool& pool);

// Names of bandits: "dalaup" chooses among `arms`, "dalaup-all" among all strategies.
bool is_bandit(const std::string& strategy);
// The arms behind a strategy name; the name itself when it is no bandit.
std::vector<std::string> arms_of(const std::string& strategy, const std::vector<std::string>& arms);
inline constexpr const char* kControl = "control";  // refits without asking anything

struct LoopParams {
  std::string strategy = "dalaup";
  std::vector<std::string> arms = {"saie", "cs", "eer"};
  std::size_t label_budget = 1500;  // K in the paper; questions answered
  std::size_t batch_size = 100;     // bs in the paper
  bool trust_no = false;
  bool warm = false;  // refit from the last fit instead of from scratch
  QueryParams query;
};

struct AskedQuestion {
  std::int64_t round = 0;
  Question question;
  Answer answer;
};

// Measured over anchors the model has not seen (docs/metrics.md).
struct LoopScores {
  double precision_at_30 = 0.0;
  double map_at_30 = 0.0;
  double map_linear_at_30 = 0.0;
  double hits_at_1 = 0.0;
  double hits_at_10 = 0.0;
  double mrr = 0.0;
};

struct RoundResult {
  std::int64_t round = 0;     // 0 is the initial model
  std::size_t answers = 0;    // so far, without the initial labels
  std::size_t positives = 0;  // yes answers so far
  LoopScores test;
  LoopScores validation;
  std::string strategy;  // used in this round
  double exploration_probability = 0.0;
  double reward = 0.0;
  double query_seconds = 0.0;
  double refit_seconds = 0.0;
  double seconds = 0.0;  // the whole round
};

// Everything the loop carries from round to round; saving it after each round makes a run
// resumable.
struct LoopState {
  LabelSet labels;
  Pool pool;
  Bandit bandit;
  std::vector<RoundResult> rounds;
  std::vector<AskedQuestion> asked;
  bool pool_is_empty = false;  // the run ended before the budget because nothing was left to ask
};

// The labels, closed users and bandit a run begins with.
LoopState begin_loop(const NetworkPair& networks, const Split& split, const LoopParams& params);

// Runs Algorithm 1 from wherever `state` stands to the end of the budget or of the pool.
// `after_round` sees every new state, the initial model's too. Deterministic in run.seed().
void run_loop(Aligner& aligner, const NetworkPair& networks, const Split& split,
              const LoopParams& params, Oracle& oracle, LoopState& state, Run& run,
              const std::function<void(const LoopState&)>& after_round = {});

}  // namespace dalaup
