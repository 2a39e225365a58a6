#pragma once
// The paper's three experiments, and its headline taken apart, on any pair of networks with a known
// truth. Each is cut into independent jobs that run on all cores; every result is stored as it
// finishes, so that a stopped experiment goes on where it was. Same seed, same tables.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "active_learning/active_learning.h"
#include "aligner/aligner.h"
#include "base/base.h"
#include "labels/labels.h"
#include "networks/networks.h"
#include "report/report.h"

namespace dalaup {

struct ExperimentData {
  const NetworkPair& networks;
  std::span<const UserPair> truth;
  const MethodRegistry& registry;
  std::string folder;  // jobs/, tables, figures/ and report.html go here; empty: nowhere
  Facts facts = {};    // what the front end knows: files, command line, version
};

struct ExperimentParams {
  int repeats = 10;
  std::string methods = "";  // comma separated; empty: every method there is
  std::string ratios =
      "0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.55,0.6,0.65,0.7,0.75,0.8,0.85,0.9";
  std::string strategies = "dalaup,saie,ie,cs,eer,random,control";
  std::string method = "";  // that strategies are compared with and labels chosen by; empty: first
  int initial = 100;
  int validation = 300;
  int test = 600;
  int budget = 0;  // answers; 0: as in the paper, 1,500 of 2,141 pool anchors, scaled to the truth
  int batch = 0;   // 0: a fifteenth of the budget
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, ExperimentParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("repeats", params.repeats, 1, 1000, "independent splits of the truth");
  visit("methods", params.methods, Choices{},
        "methods compared, separated by commas, with settings as in aup:preset=tuned; empty: all");
  visit("ratios", params.ratios, Choices{}, "labelled shares of the truth (ratio)");
  visit("strategies", params.strategies, Choices{}, "query strategies compared (strategies)");
  visit("method", params.method, Choices{},
        "method that asks (strategies, transfer); empty: the most accurate one");
  visit("initial", params.initial, 1, 1'000'000, "anchors known at the start");
  visit("validation", params.validation, 1, 1'000'000, "anchors that reward the bandit");
  visit("test", params.test, 1, 1'000'000, "anchors that measure");
  visit("budget", params.budget, 0, 1'000'000'000, "answers asked for; 0: scaled to the truth");
  visit("batch", params.batch, 0, 1'000'000, "answers a round; 0: a fifteenth of the budget");
}

struct ExperimentResult {
  Report report = {};
  std::vector<std::string> files = {};    // written besides report.html and figures/
  std::vector<std::string> summary = {};  // lines for the terminal
};

// Accuracy against the labelled share of the truth, for every method. Writes ratio.csv.
ExperimentResult run_ratio_experiment(const ExperimentData& data, const ExperimentParams& params,
                                      Run& run);
// Accuracy against answers, for every strategy, beside random anchors revealed without asking.
// Writes curves.csv.
ExperimentResult run_strategies_experiment(const ExperimentData& data,
                                           const ExperimentParams& params, Run& run);
// Every method without further labels, with those dalaup asks for, with answers about random pairs,
// and with as many random anchors as dalaup found. Writes transfer.csv.
ExperimentResult run_transfer_experiment(const ExperimentData& data, const ExperimentParams& params,
                                         Run& run);

// Presets of aup with users in the order of the files (or partners put at the same place), B moved
// on, B shuffled, and with convolutions of width 1. Writes headline.csv.
ExperimentResult run_headline_experiment(const ExperimentData& data, const ExperimentParams& params,
                                         Run& run);

// What strategies the report speaks of mean, in a line each.
Facts strategy_facts(std::span<const std::string> names, std::span<const std::string> arms);

// The first candidate of every test user with its probability, and the rank of the true one.
TestMatches judged_matches(const Aligner& aligner, std::span<const UserPair> test, Run& run);

// The report of one finished run of Algorithm 1: its curve, the bandit's choices, calibration over
// the test users, surest and hardest matches. Demo writes it.
struct LoopReportInput {
  const Aligner& aligner;  // as the run left it
  const Split& split;
  const LoopState& state;
  std::string title;
  Facts facts = {};
};
Report loop_report(const LoopReportInput& input, Run& run);

}  // namespace dalaup
