#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/study_report.h"
#include "cli/study_settings.h"
#include "predictions/predictions.h"
#include "report/report.h"
#include "study/study.h"

namespace dalaup {
namespace {

struct ExportParams {
  int top = 30;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, ExportParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("top", params.top, 1, 1000000, "candidates listed for each user");
}

struct Options {
  std::string study;
  std::string labels;
  std::string ranked;
  std::string matching;
  std::string report;
  std::string figures;
  ExportParams params;
  MatchingParams matching_params;
};

void write_study_report(const Options& options, const Study& study, const Ledger& ledger,
                        const StudyResult& result, Session& session) {
  const Report report = study_report(
      study, ledger, result, {{"command", session.command_line()}, {"version", DALAUP_VERSION}});
  if (!options.report.empty()) {
    write_report(options.report, report);
    session.print("{}: report\n", options.report);
  }
  if (!options.figures.empty()) {
    write_figures(options.figures, report);
    session.print("{}: figures\n", options.figures);
  }
}

// What audits tell of the new pairs: how many are right, and whether the probabilities hold.
void print_audit(const Study& study, Session& session) {
  const auto kept = study.kept_model();
  if (!kept) return;
  const AuditWords words = kept_progress(kept->bytes).audit;
  if (!words.result.empty()) session.print("{}\n", words.result);
  if (!words.warning.empty()) session.print("{}\n", words.warning);
  if (!words.result.empty()) session.summary()["audit"] = words.result;
  if (!words.warning.empty()) session.summary()["audit_warning"] = words.warning;
}

void export_results(const Options& options, Session& session) {
  if (options.labels.empty() && options.ranked.empty() && options.matching.empty() &&
      options.report.empty() && options.figures.empty())
    throw ParameterError(
        "dalaup export: nothing to write",
        "give at least one of --labels, --ranked, --matching, --report and --figures");
  const Study study = Study::open(options.study, Access::kRead);
  const Ledger ledger = load_ledger(study);
  const LabelSet& labels = ledger.labels();
  auto& summary = session.summary();
  summary["anchors"] = labels.anchors().size();
  summary["negatives"] = labels.negatives().size();
  if (!options.labels.empty()) {
    write_labels(options.labels, labels, study.networks());
    session.print("{}: {} one person, {} that are not\n", options.labels,
                  counted(labels.anchors().size(), "pair that is", "pairs that are"),
                  grouped(labels.negatives().size()));
    if (const auto disputes = ledger.disputes().size(); disputes > 0)
      session.run().warn(fmt::format("{} disputed and left out",
                                     counted(disputes, "question is", "questions are")));
  }
  const bool has_report = !options.report.empty() || !options.figures.empty();
  const bool has_predictions = !options.ranked.empty() || !options.matching.empty();
  if (!has_report && !has_predictions) return;
  const auto top = static_cast<std::size_t>(options.params.top);
  std::unique_ptr<Aligner> aligner;
  // A report does without a model where there is nothing yet to learn from.
  if (has_predictions || !labels.anchors().empty()) {
    aligner = method_of(study.settings())();
    aligner->fit(study.networks(), labels, session.run());
  }
  if (has_report) {
    StudyResult result;
    if (aligner)  // however unlikely: the report shows the first matches
      result = {match_networks(*aligner, top, {.least_probability = 0.0}, session.run()),
                aligner->attribute_fields()};
    write_study_report(options, study, ledger, result, session);
  }
  if (!options.ranked.empty()) {
    const std::size_t ranked = write_ranked_lists(
        options.ranked, *aligner, Side::kA, unanchored_users(labels, Side::kA), top, session.run());
    session.print("{}: {} ranked\n", options.ranked, counted(ranked, "user"));
  }
  if (!options.matching.empty()) {
    std::vector<PredictedPair> matches =
        match_networks(*aligner, top, options.matching_params, session.run());
    const std::vector<PredictedPair> known = known_pairs(labels);
    matches.insert(matches.end(), known.begin(), known.end());
    write_matched_pairs(options.matching, matches, study.networks());
    session.print("{}: {}, known ones included\n", options.matching,
                  counted(matches.size(), "pair"));
    summary["matched"] = matches.size();
    print_audit(study, session);
  }
}

}  // namespace

void add_export_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("export", "takes results out of a study, also while it is in use");
  command.positional("STUDY", options->study, "study to read");
  command.output("labels", options->labels, "all labels in force");
  command.output("ranked", options->ranked, "ranked candidates of users without partner");
  command.output("matching", options->matching, "one-to-one matching, known pairs too");
  command.output("report", options->report, "HTML report of the study");
  command.optional("figures", options->figures, "DIR", "figures of the report as SVG files");
  command.fields(options->params);
  command.fields(options->matching_params);
  command.action([options](Session& session) { export_results(*options, session); });
}

}  // namespace dalaup
