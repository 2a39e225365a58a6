#include <algorithm>
#include <nlohmann/json.hpp>

#include "active_learning/active_learning.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/method_options.h"
#include "cli/pair_input.h"
#include "cli/same_files.h"
#include "cli/shared_simulation.h"
#include "cli/simulation_report.h"
#include "evaluation/evaluation.h"
#include "experiments/experiments.h"
#include "labels/labels.h"

namespace dalaup {
namespace {

struct Options {
  PairOptions pair;
  std::string truth;
  LabelInput label_input;
  std::string out;
  bool trust_no = false;
  bool has_own_sizes = false;  // the user chose the parts of the split
  SimulationParams params;
  QueryParams query;
  PlanParams plan;
};

// A method that can use a "no" gets to know whether it counts.
std::unique_ptr<Aligner> aligner_for(const Options& options, const MethodOptions& method) {
  Settings settings;
  if (options.trust_no) settings.set("trust_no", true);
  return method.make(settings);
}

Settings settings_of(const Options& options, const MethodOptions& method) {
  Settings settings;
  settings.set("a", options.pair.a);
  settings.set("b", options.pair.b);
  settings.set("directed", options.pair.directed);
  settings.set("truth", options.truth);
  const auto add = [&](const Settings& from) {
    for (const auto& [name, value] : from) settings.set(name, value);
  };
  add(to_settings(options.params));
  add(to_settings(options.query));
  add(to_settings(options.plan));
  settings.set("trust_no", options.trust_no);
  settings.set("method", method.method());
  const auto aligner = aligner_for(options, method);
  for (const auto& [name, value] : aligner->settings()) {
    const SettingValue* const own = settings.find(name);
    if (own == nullptr || *own != value)
      settings.set(own == nullptr ? name : aligner->method() + "." + name, value);
  }
  return settings;
}

struct StrategyColumns {
  std::vector<double> answers, yes, precision, map, hits_1, right, right_at_wanted;
  std::vector<double> needed;  // answers to the target, of the repeats that reach it
};
StrategyColumns columns_of(const std::string& strategy, const std::vector<SimulatedRun>& runs,
                           double target) {
  StrategyColumns columns;
  for (const SimulatedRun& run : runs) {
    if (run.strategy != strategy) continue;
    const RoundResult& last = run.state.rounds.back();
    const auto answers = strategy == kControl ? 0.0 : static_cast<double>(last.answers);
    columns.answers.push_back(answers);
    columns.yes.push_back(answers == 0.0 ? 0.0 : static_cast<double>(last.positives) / answers);
    columns.precision.push_back(last.test.precision);
    columns.map.push_back(last.test.map);
    columns.hits_1.push_back(last.test.hits_1);
    columns.right.push_back(static_cast<double>(last.right.found()));
    columns.right_at_wanted.push_back(static_cast<double>(last.right.found_at_wanted()));
    if (const auto needed = answers_to_reach(run.state, target))
      columns.needed.push_back(static_cast<double>(*needed));
  }
  return columns;
}

std::string with_spread(const std::vector<double>& values, int digits) {
  const Spread spread = spread_of(values);
  return fmt::format("{:.{}f} +- {:.{}f}", spread.mean, digits, spread.standard_deviation, digits);
}

void print_results(const std::vector<SimulatedRun>& runs, double target, double wanted_precision,
                   Session& session) {
  std::vector<std::string> strategies;
  for (const SimulatedRun& run : runs)
    if (std::ranges::find(strategies, run.strategy) == strategies.end())
      strategies.push_back(run.strategy);
  session.print("{:<10} {:>7} {:>5} {:>15} {:>15} {:>15} {:>15} {:>15}", "strategy", "answers",
                "yes", "precision@30", "map@30", "hits@1", "right pairs",
                fmt::format("at {:.2f}", wanted_precision));
  if (target > 0.0) session.print("  answers to {:.2f}", target);
  session.print("\n");
  for (const std::string& strategy : strategies) {
    const StrategyColumns columns = columns_of(strategy, runs, target);
    session.print("{:<10} {:>7.0f} {:>4.0f}% {:>15} {:>15} {:>15} {:>15} {:>15}", strategy,
                  spread_of(columns.answers).mean, 100.0 * spread_of(columns.yes).mean,
                  with_spread(columns.precision, 3), with_spread(columns.map, 3),
                  with_spread(columns.hits_1, 3), with_spread(columns.right, 0),
                  with_spread(columns.right_at_wanted, 0));
    nlohmann::ordered_json row = {
        {"strategy", strategy},
        {"repeats", columns.precision.size()},
        {"answers", spread_of(columns.answers).mean},
        {"yes_share", spread_of(columns.yes).mean},
        {"precision@30", spread_of(columns.precision).mean},
        {"precision@30_spread", spread_of(columns.precision).standard_deviation},
        {"map@30", spread_of(columns.map).mean},
        {"hits@1", spread_of(columns.hits_1).mean},
        {"right_pairs", spread_of(columns.right).mean},
        {"right_pairs@wanted", spread_of(columns.right_at_wanted).mean},
        {"right_pairs@wanted_spread", spread_of(columns.right_at_wanted).standard_deviation}};
    if (target > 0.0) {
      const std::size_t reached = columns.needed.size();
      session.print("  {} ({} of {})", reached == 0 ? "-" : with_spread(columns.needed, 0), reached,
                    columns.precision.size());
      row["target"] = target;
      row["target_reached"] = reached;
      if (reached > 0) row["answers_to_target"] = spread_of(columns.needed).mean;
    }
    session.print("\n");
    session.summary()["strategies"].push_back(row);
  }
}

// Runs keep their labels, not their models: the first one is fitted once more, for the report.
TestMatches matches_of(const SimulatedRun& simulated, const NetworkPair& networks,
                       std::span<const UserPair> truth, const SimulationParams& params,
                       std::unique_ptr<Aligner> aligner, Run& run) {
  aligner->fit(networks, simulated.state.labels, run);
  const Split split = simulated_split(truth, params, simulated.repeat, run);
  return judged_matches(*aligner, split.test, run);
}

void simulate_command(Options options, const MethodOptions& method, Session& session) {
  aligner_for(options, method);  // refuses a wrong method or setting before the networks are read
  require_same_files({options.pair.a, options.pair.b, options.truth, options.pair.attributes_a,
                      options.pair.attributes_b, options.pair.similarity},
                     session.run());
  const NetworkPair networks = read_pair(options.pair, session.run());
  const std::vector<UserPair> truth =
      read_truth(options.truth, networks, options.label_input, session.run());
  if (!options.has_own_sizes) scale_to_truth(options.params, truth.size(), session.run());
  const SimulationInput input{.networks = networks,
                              .truth = truth,
                              .params = options.params,
                              .query = options.query,
                              .plan = options.plan,
                              .trust_no = options.trust_no,
                              .make_aligner = [&] { return aligner_for(options, method); },
                              .settings = settings_of(options, method),
                              .folder = options.out};
  share_runs(input, session.run());
  if (!communicator_of(session.run()).is_first()) return;
  RunOptions without_others = session.run().options();
  without_others.communicator = nullptr;
  Run alone(without_others);
  const std::vector<SimulatedRun> runs = simulate(input, alone);
  const Report report = simulation_report(
      runs, networks,
      {.method = method.method(),
       .questions = options.query.questions,
       .truth = truth.size(),
       .params = options.params,
       .seed = session.run().seed(),
       .facts = {{"files",
                  fmt::format("{}, {}, {}", options.pair.a, options.pair.b, options.truth)},
                 {"command", session.command_line()},
                 {"version", DALAUP_VERSION}}},
      matches_of(runs.front(), networks, truth, options.params, aligner_for(options, method),
                 alone));
  write_report(options.out + "/report.html", report);
  write_figures(options.out + "/figures", report);
  print_results(runs, options.params.target, options.plan.wanted_precision, session);
  session.print(
      "report: {0}/report.html, figures: {0}/figures/, curves: {0}/curves.csv, questions: "
      "{0}/questions.csv, settings: "
      "{0}/settings.toml\n",
      options.out);
  session.summary()["curves"] = options.out + "/curves.csv";
}

}  // namespace

void add_simulate_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("simulate", "active learning with a truth file answering");
  add_pair_options(command, options->pair);
  command.group("Input");
  command.required("truth", options->truth, "FILE", "all known anchor pairs");
  add_label_options(command, options->label_input);
  command.required(
      "out", options->out, "DIR",
      "folder for curves.csv, questions.csv, settings.toml, figures and report.html; a run that "
      "was stopped continues there");
  command.fields(options->params);
  command.fields(options->query);
  command.fields(options->plan);
  command.flag("trust-no", options->trust_no,
               "a \"no\" becomes a label, not only a pair not to ask");
  const MethodOptions method(program, command);
  options->has_own_sizes =
      program.peek("initial") || program.peek("validation") || program.peek("test");
  command.run_on_all_ranks();
  command.action(
      [options, method](Session& session) { simulate_command(*options, method, session); });
}

}  // namespace dalaup
