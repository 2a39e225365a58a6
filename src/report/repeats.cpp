#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/report.h"

namespace dalaup {
namespace {

std::string p_words(double p) { return p < 0.0005 ? "< 0.001" : fmt::format("{:.3f}", p); }

}  // namespace

LineSeries series_of(const std::string& name, std::span<const SpreadPoint> points, double highest) {
  LineSeries series{.name = name};
  const bool has_band = std::ranges::any_of(
      points, [](const SpreadPoint& point) { return point.spread.count >= kFewestForBands; });
  for (const SpreadPoint& point : points) {
    series.x.push_back(point.x);
    series.y.push_back(point.spread.mean);
    if (!has_band) continue;
    series.low.push_back(std::max(point.spread.low, 0.0));
    series.high.push_back(
        std::clamp(point.spread.high, point.spread.mean, std::max(highest, point.spread.mean)));
  }
  return series;
}

BarChart choices_chart(const std::string& bandit,
                       std::span<const std::vector<std::string>> repeats) {
  BarChart chart{.title = fmt::format("What {} chose", bandit),
                 .x_label = "round",
                 .y_label = "repeats",
                 .is_stacked = true};
  std::size_t rounds = 0;
  for (const auto& chosen : repeats) rounds = std::max(rounds, chosen.size());
  std::map<std::string, std::vector<double>> counts;
  for (const auto& chosen : repeats)
    for (std::size_t round = 0; round < chosen.size(); ++round) {
      auto& values = counts[chosen[round]];
      values.resize(rounds, 0.0);
      values[round] += 1.0;
    }
  for (std::size_t round = 1; round <= rounds; ++round)
    chart.groups.push_back(fmt::format("{}", round));
  for (auto& [name, values] : counts) chart.series.push_back({.name = name, .values = values});
  return chart;
}

ReportTable comparison_table(const std::string& title) {
  return {.title = title,
          .columns = {"comparison", "verdict", "difference", "95 % interval", "p (paired t)",
                      "p (sign flips)", "repeats"},  // a phone shows the first of them
          .rows = {},
          .note =
              "Differences on the same splits. A verdict is given from p < .05; with many "
              "comparisons, expect one in twenty to pass by chance."};
}

std::vector<std::string> comparison_row(const std::string& what, std::span<const double> first,
                                        std::span<const double> second) {
  const std::string count = fmt::format("{}", first.size());
  if (first.size() < 2) return {what, "too few repeats", "–", "–", "–", "–", count};
  const PairedTest test = paired_test(first, second);
  const bool is_clear = test.p_value < 0.05;
  return {what,
          !is_clear                  ? "not told apart"
          : test.difference.mean > 0 ? "higher"
                                     : "lower",
          fmt::format("{:+.4f}", test.difference.mean),
          fmt::format("{:+.4f} to {:+.4f}", test.difference.low, test.difference.high),
          p_words(test.p_value),
          p_words(test.sign_flip_p),
          count};
}

std::string verdict_words(const std::string& first_name, const std::string& second_name,
                          std::span<const double> first, std::span<const double> second) {
  if (first.size() < 2 || first.size() != second.size())
    return fmt::format("One repeat does not tell {} and {} apart.", first_name, second_name);
  const PairedTest test = paired_test(second, first);
  const std::string how = fmt::format(
      "p {} over {} repeats",
      test.p_value < 0.0005 ? p_words(test.p_value) : "= " + p_words(test.p_value), first.size());
  const int digits = std::ranges::max(first) > 1.0 ? 0 : 4;  // counts or shares
  if (test.p_value >= 0.05)
    return fmt::format("{} and {} are not told apart (difference {:+.{}f}, {}).", first_name,
                       second_name, test.difference.mean, digits, how);
  return fmt::format("{} is {} {} by {:.{}f} ({}).", first_name,
                     test.difference.mean > 0 ? "above" : "below", second_name,
                     std::abs(test.difference.mean), digits, how);
}

std::string label_economy_doubt(std::span<const double> asked, std::span<const ToldValues> told) {
  if (asked.size() < 2) return "That is one repeat; how much of it is chance, nothing tells.";
  std::vector<double> alike;
  for (const ToldValues& one : told)
    if (one.values.size() == asked.size() && paired_test(one.values, asked).p_value >= 0.05)
      alike.push_back(one.anchors);
  if (alike.empty()) return {};
  const auto [fewest, most] = std::ranges::minmax(alike);
  return fmt::format("As far as these {} repeats tell, {} random anchors may give the same.",
                     asked.size(),
                     fewest == most ? fmt::format("{:.0f}", fewest)
                                    : fmt::format("{:.0f} to {:.0f}", fewest, most));
}

std::string ranking_protocol() {
  return "A test anchor (a, b) is ranked among all users of B that are not known partners; rank = "
         "1 + those scoring higher + half of the others scoring the same. precision@30 is the "
         "share of test anchors ranked 30 or better, map@30 the mean of 1/rank of those.";
}

}  // namespace dalaup
