#pragma once
// Algorithm 1: choose a strategy, ask, label, refit, measure the rise, reward the strategy.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "active_learning/interview.h"
#include "active_learning/progress.h"
#include "active_learning/round.h"
#include "active_learning/study_plan.h"

namespace dalaup {

// Who answers.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Answer answer(const Question& question) = 0;
};

// Answers from known anchor pairs. With error_rate > 0 that share of the answers is wrong: another
// option than the right one, drawn at random. The same question gets the same answer in every run.
// When the truth is complete, whoever it does not name has no partner, and a question that asks
// just that is answered so.
class TruthOracle : public Oracle {
 public:
  // Throws ParameterError when error_rate is outside [0, 0.5).
  TruthOracle(const NetworkPair& networks, std::span<const UserPair> truth, double error_rate = 0.0,
              std::uint64_t seed = 1, bool is_complete = false);
  Answer answer(const Question& question) override;

 private:
  LabelSet truth_;
  double error_rate_;
  std::uint64_t seed_;
  bool is_complete_;
};

struct LoopParams {
  std::string strategy = "dalaup";
  std::vector<std::string> arms = {"saie", "cs", "eer"};
  bool try_each_arm = false;        // once, before the bandit takes the best
  std::size_t label_budget = 1500;  // K in the paper; questions answered
  std::size_t batch_size = 100;     // bs in the paper
  bool trust_no = false;
  bool warm = true;  // refit from the last fit instead of from scratch
  QueryParams query;
  PlanParams plan = {};
  bool truth_is_complete = false;  // users outside the truth have no partner
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
  RightPairs right = {};
  RoundProgress progress = {};
  std::string advice = {};  // what a study would say by now: the name of StopAdvice::reason
};

// Everything the loop carries from round to round; saving it after each round makes a run
// resumable.
struct LoopState {
  LabelSet labels;
  Pool pool;
  Bandit bandit;
  std::vector<RoundResult> rounds;
  std::vector<AskedQuestion> asked;
  std::vector<Match> matching = {};  // that the last round would export
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

// Where a run is kept after each round, so that it continues there when it was stopped.
struct KeptRun {
  std::string path = {};       // empty: it is not kept
  Settings settings = {};      // a file made with others is refused
  std::uint64_t contents = 0;  // of the networks and the truth, by contents_of
};
// begin_loop and run_loop with the state in a file. Throws InputError when the file holds a run
// with other settings or on other data.
LoopState run_kept_loop(Aligner& aligner, const NetworkPair& networks, const Split& split,
                        const LoopParams& params, Oracle& oracle, const KeptRun& kept, Run& run,
                        const std::function<void(const LoopState&)>& after_round = {});

// One number for everything that users, edges and truth say: two data sets that differ anywhere
// have different ones.
std::uint64_t contents_of(const NetworkPair& networks, std::span<const UserPair> truth);

// Settings as the body of a configuration file: a line each, "name = value".
std::string settings_toml(const Settings& settings);

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
  bool complete_truth = false;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, SimulationParams>
void visit_fields(Params& params, Visit&& visit) {
  visit(
      "strategy", params.strategy, Choices{},
      "query strategies, separated by commas; dalaup is the bandit over --arms, dalaup-all the "
      "bandit over all strategies, study what people are asked in a study, random-anchors is told "
      "anchors without asking");
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
  visit("complete_truth", params.complete_truth,
        "users outside the truth have no partner: their pairs are wrong, else they are not judged");
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
  PlanParams plan = {};
  bool trust_no = false;
  std::function<std::unique_ptr<Aligner>()> make_aligner;
  Settings settings;   // written to settings.toml; a folder made with other settings is refused
  std::string folder;  // empty: nothing is written
  // Which runs are made here, by their number and by the name of their file; empty: all.
  std::function<bool(std::size_t run, const std::string& name)> is_own = {};
};

// Every strategy on every split, truth answering. Each finished round is kept in the folder, so a
// simulation that was stopped at any point continues to the same result. Writes settings.toml,
// curves.csv and questions.csv. Throws ParameterError for a budget, batch, split or strategy that
// cannot be served, and InputError when the folder holds a run with other settings.
std::vector<SimulatedRun> simulate(const SimulationInput& input, Run& run);

// The split of a repeat, from 1: the same for every strategy and method, in simulate and in every
// experiment with that seed. Smaller initial parts are the beginnings of larger ones.
Split repeat_split(std::span<const UserPair> truth, const SplitSizes& sizes, std::uint64_t seed,
                   std::int64_t repeat);
Split simulated_split(std::span<const UserPair> truth, const SimulationParams& params,
                      std::int64_t repeat, const Run& run);

// Comma-separated names; refuses empty and repeated ones.
std::vector<std::string> split_names(const std::string& option, const std::string& text);
// Parts that need more than `largest_share` of the truth become smaller in the same proportion, so
// that they need two thirds of it. Throws ParameterError when not even one anchor a part remains.
SplitSizes scale_to_truth(const SplitSizes& sizes, std::size_t truth, double largest_share = 1.0);
// The same for a simulation whose sizes nobody chose; says so in a warning.
void scale_to_truth(SimulationParams& params, std::size_t truth, const Run& run);

// Answers given when the curve first reaches that precision@30 on the test anchors.
std::optional<std::size_t> answers_to_reach(const LoopState& state, double precision);

}  // namespace dalaup
