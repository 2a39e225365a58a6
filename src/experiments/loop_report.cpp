#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evaluation/evaluation.h"
#include "experiments/experiments.h"
#include "query/query.h"

namespace dalaup {
namespace {

LineChart accuracy_chart(const std::vector<RoundResult>& rounds) {
  LineChart chart{.title = "Accuracy against answers",
                  .x_label = "answers given",
                  .y_label = "share of test users",
                  .series = {{.name = "precision@30"}, {.name = "hits@10"}, {.name = "hits@1"}}};
  for (const RoundResult& round : rounds) {
    const double values[] = {round.test.precision, round.test.hits_10, round.test.hits_1};
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      chart.series[i].x.push_back(static_cast<double>(round.answers));
      chart.series[i].y.push_back(values[i]);
    }
  }
  return chart;
}

// A bar per round in the colour of the strategy that asked.
BarChart answers_chart(const std::vector<RoundResult>& rounds) {
  BarChart chart{.title = "Partners found in each round, by the strategy that asked",
                 .x_label = "round",
                 .y_label = "yes answers",
                 .is_stacked = true};
  std::map<std::string, std::vector<double>> found;
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    chart.groups.push_back(fmt::format("{}", rounds[i].round));
    auto& values = found[rounds[i].strategy];
    values.resize(rounds.size() - 1, 0.0);
    values[i - 1] = static_cast<double>(rounds[i].positives - rounds[i - 1].positives);
  }
  for (auto& [name, values] : found) chart.series.push_back({.name = name, .values = values});
  return chart;
}

ReportTable rounds_table(const std::vector<RoundResult>& rounds) {
  ReportTable table{.title = "Round by round",
                    .columns = {"round", "answers", "yes", "precision@30", "map@30", "hits@1",
                                "asked by", "reward", "exploration"}};
  for (const RoundResult& round : rounds)
    table.rows.push_back(
        {fmt::format("{}", round.round), fmt::format("{}", round.answers),
         fmt::format("{}", round.positives), fmt::format("{:.3f}", round.test.precision),
         fmt::format("{:.3f}", round.test.map), fmt::format("{:.3f}", round.test.hits_1),
         round.strategy.empty() ? "–" : round.strategy,
         round.round == 0 ? "–" : fmt::format("{:+.3f}", round.reward),
         round.round == 0 ? "–" : fmt::format("{:.2f}", round.exploration_probability)});
  table.note =
      "Reward is the rise of (precision@30 + map@30)/2 on validation anchors; exploration is "
      "the chance the bandit drew for trying any strategy.";
  return table;
}

// What each test user adds to precision@30 or map@30.
std::vector<double> parts_of(std::span<const double> ranks, bool is_map) {
  std::vector<double> parts;
  for (const double rank : ranks) parts.push_back(rank > 30.0 ? 0.0 : is_map ? 1.0 / rank : 1.0);
  return parts;
}

AccuracyCurve curve_of(const std::vector<ToldAnchors>& told) {
  AccuracyCurve curve;
  for (const ToldAnchors& one : told) {
    curve.labels.push_back(static_cast<double>(one.anchors));
    curve.accuracy.push_back(metrics_of(one.ranks).precision);
  }
  return curve;
}

LineSeries told_series(const AccuracyCurve& curve) {
  return {.name = "precision@30, random anchors", .x = curve.labels, .y = curve.accuracy};
}

// The test users are the same with and without answers: each is its own pair.
ReportTable comparisons(const LoopReportInput& input, std::span<const double> asked, bool is_map) {
  ReportTable table = comparison_table(
      fmt::format("Is the difference more than chance? ({})", is_map ? "map@30" : "precision@30"),
      "test users");
  const std::size_t answers = input.state.rounds.back().answers;
  for (const ToldAnchors& told : input.random_anchors)
    table.rows.push_back(comparison_row(
        told.anchors == 0
            ? fmt::format("{} answers minus none", answers)
            : fmt::format("{} answers minus {} random anchors", answers, told.anchors),
        parts_of(told.ranks, is_map), parts_of(asked, is_map)));
  return table;
}

}  // namespace

Facts strategy_facts(std::span<const std::string> names, std::span<const std::string> arms) {
  Facts facts;
  for (const auto& name : names) {
    const auto known = std::ranges::find(query_strategies(), name, &StrategySummary::name);
    if (known != query_strategies().end())
      facts.emplace_back(name, known->summary);
    else if (name == "dalaup-all")
      facts.emplace_back(name, "the bandit over all strategies");
    else if (is_bandit(name))
      facts.emplace_back(name, fmt::format("the bandit over {}", fmt::join(arms, ", ")));
    else if (name == kStudyPlan)
      facts.emplace_back(name, "what people are asked in a study: its plan, with audits");
    else if (name == kControl)
      facts.emplace_back(name, "asks nothing");
    else if (name == kRandomAnchors)
      facts.emplace_back(name, "is told true anchors at random, without asking");
  }
  return facts;
}

std::vector<ToldAnchors> tell_random_anchors(
    const std::function<std::unique_ptr<Aligner>()>& make_aligner, const NetworkPair& networks,
    const Split& split, std::span<const std::size_t> counts, Run& run) {
  const std::vector<UserPair> pool = told_order(split, run);
  std::vector<ToldAnchors> told;
  for (const std::size_t count : counts) {
    if (count > pool.size()) break;
    LabelSet labels(networks.a.user_count(), networks.b.user_count());
    for (const UserPair pair : split.initial) labels.add(pair, Label::kAnchor);
    for (const UserPair pair : std::span(pool).first(count)) labels.add(pair, Label::kAnchor);
    const auto aligner = make_aligner();
    aligner->fit(networks, labels, run);
    told.push_back({.anchors = count, .ranks = aligner->ranks(split.test, run)});
  }
  return told;
}

Report loop_report(const LoopReportInput& input, Run& run) {
  const auto& rounds = input.state.rounds;
  if (rounds.empty()) throw StateError("report: found no rounds, expected a finished run");
  const RoundResult& first = rounds.front();
  const RoundResult& last = rounds.back();
  Report report{.title = input.title, .facts = network_facts(input.aligner.networks())};
  AccuracyCurve asked;
  for (const RoundResult& round : rounds) {
    asked.labels.push_back(static_cast<double>(round.answers));
    asked.accuracy.push_back(round.test.precision);
  }
  const AccuracyCurve told = curve_of(input.random_anchors);
  report.headline =
      fmt::format("{} answers, {} of them yes, took precision@30 from {:.3f} to {:.3f}. {}",
                  last.answers, last.positives, first.test.precision, last.test.precision,
                  label_economy(asked, told, "precision@30"));
  ReportSection brought{"What the answers brought",
                        {accuracy_chart(rounds), answers_chart(rounds), rounds_table(rounds)}};
  if (!input.random_anchors.empty()) {
    const std::vector<double> ranks = input.aligner.ranks(input.split.test, run);
    std::vector<ToldValues> told_values;
    for (const ToldAnchors& one : input.random_anchors)
      told_values.push_back({static_cast<double>(one.anchors), parts_of(one.ranks, false)});
    report.headline += " " + label_economy_doubt(parts_of(ranks, false), told_values, "test users");
    auto& chart = std::get<LineChart>(brought.items.front());
    chart.series.push_back(told_series(told));
    chart.x_label = "answers given, or random anchors told";
    for (const bool is_map : {false, true})
      brought.items.emplace_back(comparisons(input, ranks, is_map));
  }
  report.sections.push_back(std::move(brought));
  if (!input.split.test.empty()) {
    report.sections.push_back(
        sureness_section("The first candidate of every test user, with the probability the method "
                         "gives it. Test users were never asked about.",
                         judged_matches(input.aligner, input.split.test, run)));
  }
  report.sections.push_back({"The networks", {degree_chart(input.aligner.networks())}});
  report.facts.emplace_back("method", input.aligner.method());
  report.facts.emplace_back(
      "split", fmt::format("{} anchors to begin with, {} to validate, {} to test, {} in the pool",
                           input.split.initial.size(), input.split.validation.size(),
                           input.split.test.size(), input.split.pool.size()));
  report.facts.emplace_back("seed", fmt::format("{}", run.seed()));
  report.facts.emplace_back("protocol", ranking_protocol());
  std::vector<std::string> used;
  for (const Arm& arm : input.state.bandit.arms()) used.push_back(arm.name);
  for (const auto& fact : strategy_facts(used, {})) report.facts.push_back(fact);
  for (const auto& fact : input.facts) report.facts.push_back(fact);
  return report;
}

}  // namespace dalaup
