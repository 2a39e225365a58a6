#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/study_settings.h"
#include "study/study.h"

namespace dalaup {
namespace {

struct Options {
  std::string study;
  std::string labels;
  std::string annotator = "import";
};

void import_file(const Options& options, Session& session) {
  Study study = Study::open(options.study, Access::kLabel);
  LineReader lines(options.labels);
  const ImportReport report = import_labels(study, lines, options.annotator);
  session.print("{}: {} labels added, {} known already, {} contradicting\n", options.study,
                report.added, report.known, report.conflicts.size());
  session.print("{}", conflicts_in_words(report, study.networks()));
  auto& summary = session.summary();
  summary["added"] = report.added;
  summary["known"] = report.known;
  summary["conflicts"] = nlohmann::ordered_json::array();
  for (const ImportConflict& conflict : report.conflicts)
    summary["conflicts"].push_back({{"line", conflict.line},
                                    {"a", study.networks().a.name(conflict.pair.a)},
                                    {"b", study.networks().b.name(conflict.pair.b)},
                                    {"label", conflict.label == Label::kAnchor ? 1 : 0}});
}

}  // namespace

void add_import_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("import", "adds labels to a study; lists contradictions");
  command.positional("STUDY", options->study, "study to add to");
  command.required("labels", options->labels, "FILE", "labels to add");
  command.optional("annotator", options->annotator, "NAME", "whose labels these are");
  command.action([options](Session& session) { import_file(*options, session); });
}

}  // namespace dalaup
