#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "cli/pair_input.h"
#include "cli/same_files.h"
#include "experiments/experiments.h"
#include "methods/methods.h"

namespace dalaup {
namespace {

struct Options {
  std::string kind;
  PairOptions pair;
  std::string truth;
  LabelInput label_input;
  std::string out;
  ExperimentParams params;
};

using Experiment = ExperimentResult (*)(const ExperimentData&, const ExperimentParams&, Run&);

Experiment experiment_of(const std::string& kind) {
  if (kind == "ratio") return run_ratio_experiment;
  if (kind == "strategies") return run_strategies_experiment;
  if (kind == "transfer") return run_transfer_experiment;
  if (kind == "headline") return run_headline_experiment;
  const std::vector<std::string> known = {"ratio", "strategies", "transfer", "headline"};
  throw ParameterError(
      fmt::format("experiment: found \"{}\", expected one of {}", kind, fmt::join(known, ", ")),
      suggestion(kind, known));
}

void run_experiment(const Options& options, Session& session) {
  const Experiment experiment = experiment_of(options.kind);
  require_same_files({options.pair.a, options.pair.b, options.truth, options.pair.attributes_a,
                      options.pair.attributes_b, options.pair.similarity},
                     session.run());
  const NetworkPair networks = read_pair(options.pair, session.run());
  const auto truth = read_truth(options.truth, networks, options.label_input, session.run());
  const MethodRegistry registry = all_methods();
  const bool writes = communicator_of(session.run()).is_first();
  if (writes) create_folders(options.out);
  const ExperimentData data{
      .networks = networks,
      .truth = truth,
      .registry = registry,
      .folder = writes ? options.out : std::string(),
      .facts = {{"files", fmt::format("{}, {}, {}", options.pair.a, options.pair.b, options.truth)},
                {"command", session.command_line()},
                {"version", DALAUP_VERSION}}};
  const ExperimentResult result = experiment(data, options.params, session.run());
  for (const auto& line : result.summary) session.print("{}\n", line);
  session.print("\n{0}/report.html, {0}/figures/, {0}/{1}\n", options.out,
                fmt::join(result.files, ", "));
  auto& summary = session.summary();
  summary["experiment"] = options.kind;
  summary["headline"] = result.report.headline;
  summary["summary"] = result.summary;
  summary["out"] = options.out;
  summary["settings"] = nlohmann::ordered_json::parse(to_settings(options.params).to_json());
}

}  // namespace

void add_experiment_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("experiment", "the paper's experiments: ratio, strategies, transfer or headline");
  command.positional("kind", options->kind, "which of them", "ratio|strategies|transfer|headline");
  add_pair_options(command, options->pair);
  command.group("Input");
  command.required("truth", options->truth, "FILE", "true anchor pairs");
  add_label_options(command, options->label_input);
  command.required("out", options->out, "DIR", "folder for tables, figures and report.html");
  command.fields(options->params);
  command.run_on_all_ranks();
  command.action([options](Session& session) { run_experiment(*options, session); });
}

}  // namespace dalaup
