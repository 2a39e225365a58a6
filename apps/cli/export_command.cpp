#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/predictions.h"
#include "cli/study_settings.h"
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
  ExportParams params;
  MatchingParams matching_params;
};

LineChart curve_of(const std::vector<Round>& rounds) {
  LineSeries precision{.name = "precision@30 on pairs kept back"};
  LineSeries agreement{.name = "best candidates that stayed the same"};
  for (const Round& round : rounds) {
    const auto answers = static_cast<double>(round.answers);
    if (round.precision_at_30) {
      precision.x.push_back(answers);
      precision.y.push_back(*round.precision_at_30);
    }
    if (round.agreement) {
      agreement.x.push_back(answers);
      agreement.y.push_back(*round.agreement);
    }
  }
  LineChart chart{.title = "Learning curve", .x_label = "answers", .y_label = "share"};
  for (LineSeries& series : {std::ref(precision), std::ref(agreement)})
    if (!series.x.empty()) chart.series.push_back(series);
  chart.y_lowest = 0.0;
  chart.y_highest = 1.0;
  return chart;
}

Report report_of(const Study& study, const Ledger& ledger, const Session& session) {
  const LedgerCounts counts = ledger.counts();
  const std::vector<Round> rounds = study.rounds();
  Report report{.title = "Labelling study"};
  report.headline =
      fmt::format("{} answers found {} pairs; {} pairs are known in all.", grouped(counts.answers),
                  grouped(counts.yes), grouped(ledger.labels().anchors().size()));
  report.facts = network_facts(study.networks());
  report.facts.emplace_back("started", study.created());
  report.facts.emplace_back("command", session.command_line());
  for (const auto& [name, value] : study.settings())
    report.facts.emplace_back(
        name, std::visit([](const auto& one) { return fmt::format("{}", one); }, value));
  ReportTable people{.title = "People", .columns = {"name", "answers", "yes"}};
  std::map<std::string, std::pair<int, int>> by_name;
  for (const JournalEntry& entry : ledger.entries()) {
    if (entry.kind != EntryKind::kAnswer || !ledger.is_in_force(entry)) continue;
    by_name[entry.annotator].first += entry.reply == Reply::kSkip ? 0 : 1;
    by_name[entry.annotator].second += entry.reply == Reply::kYes ? 1 : 0;
  }
  for (const auto& [name, answers] : by_name)
    people.rows.push_back(
        {name, fmt::format("{}", answers.first), fmt::format("{}", answers.second)});
  const Agreement overall = overall_agreement(agreements(ledger));
  people.note =
      overall.questions == 0
          ? "No question was answered by two people."
          : fmt::format("{} of {} common questions answered alike, Cohen's kappa {}.",
                        overall.equal, overall.questions,
                        overall.kappa ? fmt::format("{:.2f}", *overall.kappa) : "not defined");
  ReportTable table{
      .title = "Rounds",
      .columns = {"round", "answers", "known pairs", "strategy", "precision@30", "reward"}};
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : std::string("-");
  };
  for (const Round& round : rounds)
    table.rows.push_back({fmt::format("{}", round.id), fmt::format("{}", round.answers),
                          fmt::format("{}", round.anchors), round.strategy,
                          number(round.precision_at_30), number(round.reward)});
  const LineChart curve = curve_of(rounds);
  ReportSection progress{.title = "Progress", .items = {ReportText{advise(rounds, {}).words}}};
  if (!curve.series.empty()) progress.items.emplace_back(curve);
  progress.items.emplace_back(table);
  report.sections.push_back(progress);
  report.sections.push_back({.title = "People", .items = {people}});
  return report;
}

void export_results(const Options& options, Session& session) {
  if (options.labels.empty() && options.ranked.empty() && options.matching.empty() &&
      options.report.empty())
    throw ParameterError("dalaup export: nothing to write",
                         "give at least one of --labels, --ranked, --matching and --report");
  const Study study = Study::open(options.study, Access::kRead);
  const Ledger ledger = load_ledger(study);
  const LabelSet& labels = ledger.labels();
  auto& summary = session.summary();
  summary["anchors"] = labels.anchors().size();
  summary["negatives"] = labels.negatives().size();
  if (!options.labels.empty()) {
    write_labels(options.labels, labels, study.networks());
    session.print("{}: {} pairs that are one person, {} that are not\n", options.labels,
                  grouped(labels.anchors().size()), grouped(labels.negatives().size()));
    if (const auto disputes = ledger.disputes().size(); disputes > 0)
      session.run().warn(fmt::format("{} questions are disputed and left out", disputes));
  }
  if (!options.report.empty()) {
    write_report(options.report, report_of(study, ledger, session));
    session.print("{}: report\n", options.report);
  }
  if (options.ranked.empty() && options.matching.empty()) return;
  const auto aligner = method_of(study.settings())();
  aligner->fit(study.networks(), labels, session.run());
  const auto top = static_cast<std::size_t>(options.params.top);
  if (!options.ranked.empty()) {
    const RankedLists lists =
        aligner->best_candidates(Side::kA, unanchored_users(labels, Side::kA), top, session.run());
    write_ranked(options.ranked, lists, study.networks().a.names(), study.networks().b.names());
    session.print("{}: {} users ranked\n", options.ranked, grouped(lists.size()));
  }
  if (!options.matching.empty()) {
    std::vector<Match> matches =
        match_networks(*aligner, top, options.matching_params, session.run());
    for (const UserPair anchor : labels.anchors()) matches.push_back({anchor, 1.0});
    write_matching(options.matching, matches, study.networks());
    session.print("{}: {} pairs, known ones included\n", options.matching, grouped(matches.size()));
    summary["matched"] = matches.size();
  }
}

}  // namespace

void add_export_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command& command = program.add("export", "takes results out of a study, also while it is in use");
  command.positional("STUDY", options->study, "study to read");
  command.optional("labels", options->labels, "FILE", "all labels in force");
  command.optional("ranked", options->ranked, "FILE", "ranked candidates of users without partner");
  command.optional("matching", options->matching, "FILE", "one-to-one matching, known pairs too");
  command.optional("report", options->report, "FILE", "HTML report of the study");
  command.fields(options->params);
  command.fields(options->matching_params);
  command.action([options](Session& session) { export_results(*options, session); });
}

}  // namespace dalaup
