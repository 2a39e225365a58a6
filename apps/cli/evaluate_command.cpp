#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/label_input.h"
#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

struct EvaluateParams {
  int cutoff = 30;
  double threshold = 0.5;
};

template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, EvaluateParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("cutoff|at", params.cutoff, 1, 1'000'000, "N of precision@N and map@N");
  visit("threshold", params.threshold, 0.0, 1.0, "probability from which the matching is judged");
}

struct Options {
  EvaluationFiles files;
  std::string matching;
  LabelInput label_input;
  EvaluateParams params;
};

void report_matching(const Options& options, Session& session) {
  const auto [quality, calibration, not_judged] =
      evaluate_matching(options.matching, options.files, options.params.threshold);
  session.print(
      "\nmatching at probability {:.2f}: precision {:.4f} ({} of {}), recall {:.4f}, "
      "expected calibration error {:.4f}\n",
      quality.threshold, quality.precision, quality.right, quality.proposed, quality.recall,
      calibration.expected_error);
  session.print(
      "not judged: {} at that probability, of users the truth does not mention; "
      "nothing says whether they are right, and precision leaves them out\n",
      counted(not_judged, "further pair"));
  auto& summary = session.summary()["matching"];
  summary["threshold"] = quality.threshold;
  summary["proposed"] = quality.proposed;
  summary["right"] = quality.right;
  summary["precision"] = quality.precision;
  summary["recall"] = quality.recall;
  summary["calibration_error"] = calibration.expected_error;
  summary["not_judged"] = not_judged;
}

void evaluate(const Options& options, Session& session) {
  const RankedEvaluation evaluation = evaluate_ranked(options.files, options.params.cutoff);
  const Metrics& metrics = evaluation.metrics;
  if (evaluation.rows_out_of_order > 0)
    session.run().warn(fmt::format(
        "{}: {} a better score than the row before; ranks "
        "are taken from the scores",
        options.files.ranked, counted(evaluation.rows_out_of_order, "row has", "rows have")));
  if (evaluation.longest_list < static_cast<std::size_t>(options.params.cutoff))
    session.run().warn(
        fmt::format("{}: the longest list of a test user has {}, fewer than "
                    "the {} of precision@{}",
                    options.files.ranked, counted(evaluation.longest_list, "candidate"),
                    options.params.cutoff, options.params.cutoff));
  auto& summary = session.summary();
  summary["tests"] = metrics.tests;
  for (const auto& [name, value] : named_values(metrics)) {
    summary[name] = value;
    session.print("{:<14} {:.4f}\n", name, value);
  }
  const auto hits =
      static_cast<std::size_t>(metrics.precision * static_cast<double>(metrics.tests) + 0.5);
  const auto [low, high] = share_bounds(hits, metrics.tests);
  session.print(
      "\nprecision@{} lies between {:.4f} and {:.4f} with 95 % confidence over test pairs "
      "of this kind.\n",
      metrics.cutoff, low, high);
  session.print("{}\n", protocol_words(evaluation));
  summary[fmt::format("precision@{}_low", metrics.cutoff)] = low;
  summary[fmt::format("precision@{}_high", metrics.cutoff)] = high;
  summary["missed"] = metrics.missed;
  summary["users_without_rows"] = evaluation.users_without_rows;
  summary["labelled"] = evaluation.labelled;
  summary["protocol"] = protocol_words(evaluation);
  if (!options.matching.empty()) report_matching(options, session);
}

}  // namespace

void add_evaluate_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command =
      program.add("evaluate", "scores a ranked list of any program against the truth");
  command.group("Input");
  command.required("ranked", options->files.ranked, "FILE", "ranked list: a, rank, b, score");
  command.required("truth", options->files.truth, "FILE", "true anchor pairs");
  command.optional("labels", options->files.labels, "FILE", "labels the list was made from");
  command.optional("matching", options->matching, "FILE", "one-to-one matching to judge as well");
  add_label_options(command, options->label_input, LabelUse::kNames);
  command.fields(options->params);
  command.action([options](Session& session) {
    options->files.table = options->label_input.table_options();
    evaluate(*options, session);
  });
}

}  // namespace dalaup
