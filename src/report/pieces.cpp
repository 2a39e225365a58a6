#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/report.h"

namespace dalaup {
namespace {

// A point per distinct degree, thinned to some forty on the logarithmic axis.
LineSeries degree_series(const Network& network, const std::string& name) {
  std::vector<std::uint32_t> degrees(network.user_count());
  for (UserId user = 0; user < network.user_count(); ++user) degrees[user] = network.degree(user);
  std::ranges::sort(degrees);
  LineSeries series{.name = name};
  double last = 0.0;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (degrees[i] == 0 || (i > 0 && degrees[i] == degrees[i - 1])) continue;
    const bool is_last = degrees[i] == degrees.back();
    if (!is_last && degrees[i] < last * 1.2) continue;
    last = degrees[i];
    series.x.push_back(degrees[i]);
    series.y.push_back(static_cast<double>(degrees.size() - i) /
                       static_cast<double>(degrees.size()));
  }
  return series;
}

std::string share_words(double value) { return fmt::format("{:.3f}", value); }

ReportTable match_table(std::string title, std::vector<JudgedMatch> matches, std::size_t most,
                        std::string note) {
  ReportTable table{.title = std::move(title),
                    .columns = {"user of A", "user of B", "probability", "rank", "right"},
                    .note = std::move(note)};
  for (std::size_t i = 0; i < std::min(most, matches.size()); ++i)
    table.rows.push_back(
        {matches[i].a, matches[i].b, share_words(matches[i].probability),
         std::isfinite(matches[i].rank) ? fmt::format("{:g}", matches[i].rank) : "–",
         matches[i].is_right ? "yes" : "no"});
  return table;
}

}  // namespace

Facts network_facts(const NetworkPair& networks) {
  const auto words = [](const Network& network) {
    return fmt::format(
        "{} users, {} edges{}", grouped(network.user_count()), grouped(network.edge_count()),
        network.is_directed() ? fmt::format(" ({} directed)", grouped(network.arc_count()))
                              : std::string());
  };
  return {{"network A", words(networks.a)}, {"network B", words(networks.b)}};
}

LineChart degree_chart(const NetworkPair& networks) {
  return {
      .title = "Degrees of both networks",
      .x_label = "neighbours",
      .y_label = "share of users with at least so many",
      .series = {degree_series(networks.a, "network A"), degree_series(networks.b, "network B")},
      .log_x = true,
      .log_y = true};
}

LineChart calibration_chart(const Calibration& calibration) {
  LineSeries seen{.name = "matches"};
  for (const auto& bin : calibration.bins) {
    if (bin.count == 0) continue;
    const auto right =
        static_cast<std::size_t>(bin.share_right * static_cast<double>(bin.count) + 0.5);
    const auto [low, high] = share_bounds(right, bin.count);
    seen.x.push_back(bin.mean_probability);
    seen.y.push_back(bin.share_right);
    seen.low.push_back(low);
    seen.high.push_back(high);
  }
  return {.title = "Are the probabilities what they say?",
          .x_label = "probability given",
          .y_label = "share that was right",
          .series = {std::move(seen),
                     {.name = "ideal", .x = {0, 1}, .y = {0, 1}, .is_reference = true}},
          .y_lowest = 0.0,
          .y_highest = 1.0,
          .note = fmt::format(
              "Expected calibration error {:.3f}; bands are 95 % intervals of the share.",
              calibration.expected_error)};
}

ReportTable surest_matches(std::vector<JudgedMatch> matches, std::size_t most) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &JudgedMatch::probability);
  return match_table("The surest matches", std::move(matches), most,
                     "The pairs with the highest probability, right or wrong.");
}

ReportTable hardest_matches(std::vector<JudgedMatch> matches, std::size_t most) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &JudgedMatch::rank);
  return match_table("The hardest matches", std::move(matches), most,
                     "True pairs whose partner came last among all candidates.");
}

std::string label_economy(const AccuracyCurve& asked, const AccuracyCurve& random_anchors,
                          const std::string& metric) {
  if (asked.accuracy.empty() || random_anchors.accuracy.empty()) return {};
  const double answers = asked.labels.back();
  const double reached = asked.accuracy.back();
  const auto& labels = random_anchors.labels;
  const auto& accuracy = random_anchors.accuracy;
  if (reached <= accuracy.front())
    return fmt::format("{:.0f} answers did not raise {} above {:.3f}, where random anchors begin.",
                       answers, metric, accuracy.front());
  for (std::size_t i = 1; i < accuracy.size(); ++i) {
    if (accuracy[i] < reached) continue;
    const double share = (reached - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1]);
    return fmt::format("{:.0f} answers gave what {:.0f} random anchors give ({} {:.3f}).", answers,
                       labels[i - 1] + share * (labels[i] - labels[i - 1]), metric, reached);
  }
  return fmt::format(
      "{:.0f} answers gave {} {:.3f}, more than {:.0f} random anchors give ({:.3f}).", answers,
      metric, reached, labels.back(), *std::ranges::max_element(accuracy));
}

}  // namespace dalaup
