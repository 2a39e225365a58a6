#pragma once
// Algorithm 1: choose a strategy, ask, label, refit, measure the rise, reward the strategy.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aligner/aligner.h"
#include "base/base.h"
#include "evaluation/evaluation.h"
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
// The reference that answers are weighed against: anchors of the pool told at random, none asked.
inline constexpr const char* kRandomAnchors = "random-anchors";

struct LoopParams {
  std::string strategy = "dalaup";
  std::vector<std::string> arms = {"saie", "cs", "eer"};
  bool try_each_arm = false;        // once, before the bandit takes the best
  std::size_t label_budget = 1500;  // K in the paper; questions answered
  std::size_t batch_size = 100;     // bs in the paper
  bool trust_no = false;
  bool warm = true;  // refit from the last fit instead of from scratch
  QueryParams query;
};

struct AskedQuestion {
  std::int64_t round = 0;
  Question question;
  Answer answer;
};

struct RoundResult {
  std::int64_t round = 0;     // 0 is the initial model
  std::size_t answers = 0;    // so far, without the initial labels
  std::size_t positives = 0;  // yes answers so far
  Metrics test;
  Metrics validation;
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

// Runs Algorithm 1 from wherever `state` stands to the end of the budget or of the pool; the
// aligner must be fitted on state.labels unless no round has run. `after_round` sees every new
// state, the initial model's too. Deterministic in run.seed().
void run_loop(Aligner& aligner, const NetworkPair& networks, const Split& split,
              const LoopParams& params, Oracle& oracle, LoopState& state, Run& run,
              const std::function<void(const LoopState&)>& after_round = {});

struct SimulationParams {
  std::string strategy = "dalaup";  // names separated by commas
  std::string arms = "saie,cs,eer";
  bool try_each_arm = false;
  int initial = 100;
  int validation = 300;
  int test = 600;
  int label_budget = 1500;
  int batch_size = 100;
  int repeats = 10;
  double oracle_error = 0.0;
  bool warm = true;
  bool no_control = false;
  double target = 0.0;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, SimulationParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("strategy", params.strategy, Choices{},
        "query strategies, separated by commas; dalaup is the bandit over --arms, dalaup-all the "
        "bandit over all strategies, random-anchors is told anchors without asking");
  visit("arms", params.arms, Choices{}, "strategies the bandit chooses from");
  visit("try_each_arm", params.try_each_arm,
        "the bandit tries every arm once before it takes the best (not in the paper)");
  visit("initial", params.initial, 1, 1000000000, "anchor pairs to begin with");
  visit("validation", params.validation, 1, 1000000000,
        "anchor pairs that measure the bandit's rewards");
  visit("test", params.test, 1, 1000000000, "anchor pairs that measure the curves");
  visit("label_budget|budget", params.label_budget, 1, 1000000000, "questions to ask");
  visit("batch_size|batch", params.batch_size, 1, 1000000000, "questions between two refits");
  visit("repeats", params.repeats, 1, 1000000, "splits of the truth, all strategies on each");
  visit("oracle_error", params.oracle_error, 0.0, 0.4999999, "share of wrong answers, below 0.5");
  visit("warm", params.warm, "refit from the last fit instead of from scratch");
  visit("no_control", params.no_control, "leave out the curve without answers");
  visit("target", params.target, 0.0, 1.0,
        "tell how many answers each strategy needs for this precision@30; 0: do not");
}

struct SimulatedRun {
  std::string strategy;
  std::int64_t repeat = 1;
  LoopState state;
};

// What a simulation needs from whoever starts it.
struct SimulationInput {
  const NetworkPair& networks;
  std::span<const UserPair> truth;
  SimulationParams params;
  QueryParams query;
  bool trust_no = false;
  std::function<std::unique_ptr<Aligner>()> make_aligner;
  Settings settings;   // written to settings.toml; a folder made with other settings is refused
  std::string folder;  // empty: nothing is written
};

// Every strategy on every split, truth answering. Each finished round is kept in the folder, so a
// simulation that was stopped at any point continues to the same result. Writes settings.toml,
// curves.csv and questions.csv. Throws ParameterError for a budget, batch, split or strategy that
// cannot be served, and InputError when the folder holds a run with other settings.
std::vector<SimulatedRun> simulate(const SimulationInput& input, Run& run);

// The split of a repeat, from 1; all strategies share it.
Split simulated_split(std::span<const UserPair> truth, const SimulationParams& params,
                      std::int64_t repeat, const Run& run);

// Comma-separated names; refuses empty and repeated ones.
std::vector<std::string> split_names(const std::string& option, const std::string& text);
// Smaller parts in the same proportion, when the truth is too small for these; two thirds of it are
// then used up. Throws ParameterError when not even one anchor a part remains.
SplitSizes scale_to_truth(const SplitSizes& sizes, std::size_t truth);

// Answers given when the curve first reaches that precision@30 on the test anchors.
std::optional<std::size_t> answers_to_reach(const LoopState& state, double precision);

void write_curves(const std::string& path, std::span<const SimulatedRun> runs);
void write_questions(const std::string& path, std::span<const SimulatedRun> runs,
                     const NetworkPair& networks);

}  // namespace dalaup
