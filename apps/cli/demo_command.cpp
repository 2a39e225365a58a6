#include <nlohmann/json.hpp>

#include "active_learning/active_learning.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "experiments/experiments.h"
#include "generate/generate.h"
#include "methods/methods.h"
#include "predictions/predictions.h"
#include "ranking/ranking.h"
#include "report/report.h"

// The main job from end to end on networks it makes itself: few labels, questions chosen by the
// bandit, answers from the known truth, ranked lists and a matching in files.
namespace dalaup {
namespace {

constexpr SplitSizes kSizes{.initial = 100, .validation = 300, .test = 600};
constexpr std::size_t kBudget = 200;
constexpr std::size_t kBatch = 50;
constexpr std::size_t kTold[] = {0, 50, 100, 200, 400, 800};  // random anchors to compare with

void print_round(const RoundResult& round, Session& session) {
  session.print("{:>7} {:>5} {:>13.3f} {:>8.3f} {:>8.3f}  {}\n", round.answers, round.positives,
                round.test.precision, round.test.map, round.test.hits_1,
                round.strategy.empty() ? "initial labels" : round.strategy);
}

void demo(const std::string& folder, Session& session) {
  Run& run = session.run();
  session.print("Generating two networks that share people...\n");
  const GeneratedPair pair = generate_pair({}, run);
  write_pair(folder, pair);
  const NetworkPair& networks = pair.networks;
  session.print("  A: {} users, {} edges\n  B: {} users, {} edges\n  {} people are in both\n\n",
                grouped(networks.a.user_count()), grouped(networks.a.edge_count()),
                grouped(networks.b.user_count()), grouped(networks.b.edge_count()),
                grouped(pair.truth.size()));

  const Split split = split_truth(pair.truth, kSizes, run.random("demo split"));
  const auto aligner = all_methods().make(kDefaultMethod);
  const LoopParams params{.label_budget = kBudget, .batch_size = kBatch, .query = {}};
  session.print(
      "Learning from {} known pairs, then asking {} questions (the truth answers);\n"
      "accuracy on {} people it is never asked about:\n\n"
      "answers   yes  precision@30   map@30   hits@1  questions by\n",
      split.initial.size(), kBudget, split.test.size());
  TruthOracle oracle(networks, pair.truth);
  LoopState state = begin_loop(networks, split, params);
  run_loop(*aligner, networks, split, params, oracle, state, run,
           [&](const LoopState& now) { print_round(now.rounds.back(), session); });

  write_labels(folder + "/labels.tsv", state.labels, networks);
  save_model(folder + "/model.dalaup", *aligner);
  const auto users = unanchored_users(aligner->labels(), Side::kA);
  write_ranked_lists(folder + "/ranked.tsv", *aligner, Side::kA, users, 30, run);
  const auto matches = match_networks(*aligner, 30, {}, run);
  write_matched_pairs(folder + "/matching.tsv", matches, networks);

  const auto told = tell_random_anchors([] { return all_methods().make(kDefaultMethod); }, networks,
                                        split, kTold, run);
  const Report report =
      loop_report({.aligner = *aligner,
                   .split = split,
                   .state = state,
                   .title = "dalaup demo: the same people in two networks",
                   .facts = {{"files", "a.edges, b.edges and truth.tsv, generated in this folder"},
                             {"command", session.command_line()},
                             {"version", DALAUP_VERSION}},
                   .random_anchors = told},
                  run);
  write_report(folder + "/report.html", report);
  write_figures(folder + "/figures", report);

  const RoundResult& first = state.rounds.front();
  const RoundResult& last = state.rounds.back();
  session.print("\n{}\n", report.headline);
  session.print(
      "In {}/: report.html, figures/, labels.tsv, ranked.tsv, matching.tsv ({} pairs), "
      "model.dalaup\n\n",
      folder, grouped(matches.size()));
  session.print(
      "On your own files:\n"
      "  dalaup info  --a a.edges --b b.edges --labels known.tsv\n"
      "  dalaup train --a a.edges --b b.edges --labels known.tsv --model my.dalaup\n"
      "  dalaup predict --model my.dalaup --out ranked.tsv --matching matching.tsv\n");
  auto& summary = session.summary();
  summary["answers"] = last.answers;
  summary["yes"] = last.positives;
  summary["precision@30_before"] = first.test.precision;
  summary["precision@30"] = last.test.precision;
  summary["map@30"] = last.test.map;
  summary["hits@1"] = last.test.hits_1;
  summary["matched"] = matches.size();
  summary["folder"] = folder;
}

}  // namespace

void add_demo_command(Program& program) {
  auto folder = std::make_shared<std::string>("demo-out");
  Command& command =
      program.add("demo", "runs the main job on generated networks; under two minutes");
  command.optional("out", *folder, "DIR", "folder for the results");
  command.action([folder](Session& session) { demo(*folder, session); });
}

}  // namespace dalaup
