#include "cli/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace dalaup {
namespace {

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
    if (series.x.size() > 1) chart.series.push_back(series);  // one point is no curve
  chart.y_lowest = 0.0;
  chart.y_highest = 1.0;
  return chart;
}

ReportTable people_table(const Ledger& ledger) {
  ReportTable people{.title = "Who answered", .columns = {"name", "answers", "yes"}};
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
          : fmt::format("{} of {} answered alike, Cohen's kappa {}.", overall.equal,
                        counted(static_cast<std::uint64_t>(overall.questions), "common question"),
                        overall.kappa ? fmt::format("{:.2f}", *overall.kappa) : "not defined");
  return people;
}

ReportTable rounds_table(const std::vector<Round>& rounds) {
  ReportTable table{
      .title = "Round by round",
      .columns = {"round", "answers", "known pairs", "asked by", "precision@30", "reward"}};
  const auto number = [](const std::optional<double>& value, const char* form) {
    return value ? fmt::format(fmt::runtime(form), *value) : std::string("–");
  };
  for (const Round& round : rounds)
    table.rows.push_back({fmt::format("{}", round.id), fmt::format("{}", round.answers),
                          fmt::format("{}", round.anchors), round.strategy,
                          number(round.precision_at_30, "{:.3f}"),
                          number(round.reward, "{:+.3f}")});
  table.note =
      "precision@30 is measured on imported pairs kept back for it, where there are enough. The "
      "reward of a round, known one round later, is the rise of map@30 on them, or without them "
      "the share of its questions answered yes.";
  return table;
}

// Every candidate that people have judged, with the probability it had when it was shown.
std::vector<JudgedMatch> judged_candidates(const Study& study, const Ledger& ledger) {
  const NetworkPair& networks = study.networks();
  std::vector<JudgedMatch> judged;
  for (const std::int64_t id : ledger.answered_questions()) {
    const StudyQuestion* const asked = ledger.question(id);
    const auto answers = ledger.answers_to(id);
    if (asked == nullptr || answers.empty() || ledger.is_disputed(id)) continue;
    const JournalEntry& last = *answers.back();
    if (last.reply == Reply::kSkip || last.reply == Reply::kUnsure) continue;
    const Question& question = asked->question;
    for (std::size_t place = 0;
         place < std::min(question.candidates.size(), question.probabilities.size()); ++place) {
      const UserPair pair = question.pair(place);
      judged.push_back({.a = std::string(networks.a.name(pair.a)),
                        .b = std::string(networks.b.name(pair.b)),
                        .probability = question.probabilities[place],
                        .rank = place < asked->standings.size()
                                    ? asked->standings[place].rank_of_candidate
                                    : kMissed,
                        .is_right = last.reply == Reply::kYes && pair == last.pair});
    }
  }
  return judged;
}

ReportTable proposed_table(const NetworkPair& networks, std::vector<PredictedPair> matches) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &PredictedPair::probability);
  std::vector<JudgedMatch> named;
  for (const PredictedPair& match : matches)
    named.push_back({.a = std::string(networks.a.name(match.pair.a)),
                     .b = std::string(networks.b.name(match.pair.b)),
                     .probability = match.probability});
  ReportTable table = surest_matches(std::move(named));
  table.columns.pop_back();  // nobody has judged them
  for (auto& row : table.rows) row.pop_back();
  table.note = "The pairs that the model is surest of and nobody was asked about.";
  return table;
}

ReportSection sureness_of(const Study& study, const Ledger& ledger,
                          std::span<const PredictedPair> matches) {
  ReportSection section{.title = "How sure, and how right"};
  // No calibration of judged candidates: they were chosen to be asked, and the model has moved on.
  std::vector<JudgedMatch> judged = judged_candidates(study, ledger);
  if (!matches.empty())
    section.items.emplace_back(proposed_table(study.networks(), {matches.begin(), matches.end()}));
  std::erase_if(judged, [](const JudgedMatch& match) { return !match.is_right; });
  if (!judged.empty()) {
    ReportTable hardest = hardest_matches(std::move(judged));
    hardest.note =
        "Pairs that people confirmed, the least expected first: probability and rank "
        "when they were shown.";
    section.items.emplace_back(std::move(hardest));
  }
  return section;
}

ReportTable fields_table(std::span<const AttributeField> fields) {
  ReportTable table{
      .title = "What profiles tell",
      .columns = {"field", "kind", "known in A", "known in B", "reliability", "own share", "used"}};
  const auto percent = [](double share) { return fmt::format("{:.0f} %", 100.0 * share); };
  for (const AttributeField& field : fields)
    table.rows.push_back({field.name, field.kind, percent(field.coverage_a),
                          percent(field.coverage_b), fmt::format("{:.2f}", field.reliability),
                          percent(field.share), field.is_used ? "yes" : "no"});
  table.note =
      "Reliability is the chance, learned from the known pairs, that the two accounts of one "
      "person agree in a field. The own share is what other fields do not tell already. Fields "
      "that do not help to find known pairs are not used.";
  return table;
}

}  // namespace

Report study_report(const Study& study, const Ledger& ledger, const StudyResult& result,
                    const Facts& facts) {
  const std::vector<PredictedPair>& matches = result.matches;
  const LedgerCounts counts = ledger.counts();
  const std::vector<Round> rounds = study.rounds();
  Report report{.title = "Labelling study"};
  const std::string known_words =
      counted(ledger.labels().anchors().size(), "pair is known", "pairs are known");
  report.headline =
      counts.answers == 0
          ? fmt::format("No question was answered yet; {}.", known_words)
          : fmt::format("{} found {}; {} in all.",
                        counted(static_cast<std::uint64_t>(counts.answers), "answer"),
                        counted(static_cast<std::uint64_t>(counts.yes), "pair"), known_words);
  report.facts = network_facts(study.networks());
  report.facts.emplace_back("started", study.created());
  for (const auto& [name, value] : study.settings()) {
    std::string words = std::visit([](const auto& one) { return fmt::format("{}", one); }, value);
    if (!words.empty()) report.facts.emplace_back(name, std::move(words));
  }
  for (const auto& fact : facts) report.facts.push_back(fact);
  if (!matches.empty()) {
    std::vector<FoundPair> found;
    for (const PredictedPair& match : matches) found.push_back({.probability = match.probability});
    report.sections.push_back(result_section(
        found, {},
        {"take pairs from the probability you need on, with dalaup export --matching and "
         "--least-probability;",
         "judge some of them by hand before you rely on the probabilities;",
         "go on with dalaup label while answers still bring new pairs."}));
  }
  const auto kept = study.kept_model();
  const KeptProgress known = kept ? kept_progress(kept->bytes) : KeptProgress{};
  ReportSection progress{
      .title = "Progress",
      .items = {ReportText{advise(rounds, {}, known.rounds, known.audit).words}}};
  const LineChart curve = curve_of(rounds);
  if (!curve.series.empty()) progress.items.emplace_back(curve);
  if (!rounds.empty()) progress.items.emplace_back(rounds_table(rounds));
  report.sections.push_back(std::move(progress));
  ReportSection sureness = sureness_of(study, ledger, matches);
  if (!sureness.items.empty()) report.sections.push_back(std::move(sureness));
  if (!result.fields.empty())
    report.sections.push_back({.title = "Profiles", .items = {fields_table(result.fields)}});
  ReportTable people = people_table(ledger);
  if (!people.rows.empty())
    report.sections.push_back({.title = "People", .items = {std::move(people)}});
  report.sections.push_back({.title = "The networks", .items = {degree_chart(study.networks())}});
  return report;
}

}  // namespace dalaup
