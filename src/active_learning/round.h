#pragma once
// One round of active learning, in its steps: refit, measure, reward, choose, ask, enter the
// answers. A simulation runs them in this order with the truth answering; a study runs the same
// steps and waits for people between choosing and entering.
#include <chrono>
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

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Names of bandits: "dalaup" chooses among `arms`, "dalaup-all" among all strategies.
bool is_bandit(const std::string& strategy);
// The arms behind a strategy name; the name itself when it is no bandit.
std::vector<std::string> arms_of(const std::string& strategy, const std::vector<std::string>& arms);
inline constexpr const char* kControl = "control";  // refits without asking anything
// The reference that answers are weighed against: anchors of the pool told at random, none asked.
inline constexpr const char* kRandomAnchors = "random-anchors";
// Names a run may have besides the query strategies.
const std::vector<std::string>& further_strategies();

// Refit. From the last fit when `warm` and there is one, else from scratch.
void refit_model(Aligner& aligner, const NetworkPair& networks, const LabelSet& labels,
                 bool goes_on, Run& run);

// Measure: how the model ranks anchors it was not told.
Metrics measure_model(const Aligner& aligner, std::span<const UserPair> anchors, Run& run);

// Reward: the rise of (precision + map) / 2 between two rounds (section 3.3 of the paper).
double rise(const Metrics& now, const Metrics& before);
// Nothing happens when `strategy` is no arm.
void reward_arm(Bandit& bandit, const std::string& strategy, double reward);

// Choose: the arm, and its questions.
struct RoundChoice {
  std::string strategy;
  double exploration_probability = 0.0;
  bool explored = false;
  std::vector<Question> questions = {};
};
struct ChoiceParams {
  bool try_each_arm = false;
  std::size_t batch_size = 100;
  QueryParams query = {};
};
// The arm without questions: what the control and told anchors need.
RoundChoice choose_arm(const Bandit& bandit, std::uint64_t round, bool try_each_arm, Run& run);
RoundChoice choose_round(const Bandit& bandit, const QuerySituation& situation,
                         const ChoiceParams& params, Run& run);

// Ask: the reference that is told. The pool's anchors in the order of the run's seed.
std::vector<UserPair> told_order(const Split& split, const Run& run);
// As questions answered yes, so that they are kept and counted as answers are.
std::vector<Question> told_questions(std::span<const UserPair> anchors, const Aligner& aligner);

// Enter: a yes becomes an anchor; a no keeps its pairs from being asked again and
// becomes a label only when `trust_no`, because truth files are incomplete; a skip only blocks the
// question. Gives the earlier answer back that contradicts a yes; nothing is then changed.
std::optional<LabelSet::Conflict> record_answer(const Question& question, const Answer& answer,
                                                bool trust_no, LabelSet& labels, Pool& pool);

}  // namespace dalaup
