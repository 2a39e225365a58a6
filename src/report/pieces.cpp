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

// Certainty is never rounded to.
std::string probability_words(double value) {
  if (value > 0.9995) return "> 0.999";
  if (value < 0.0005) return "< 0.001";
  return fmt::format("{:.3f}", value);
}

std::string rank_words(double rank) {
  if (!std::isfinite(rank)) return "–";
  return rank == std::floor(rank) ? grouped(static_cast<std::uint64_t>(rank))
                                  : fmt::format("{:.1f}", rank);
}

ReportTable table_of_first_candidates(std::string title, const std::vector<JudgedMatch>& matches,
                                      std::size_t most, std::string note) {
  ReportTable table{.title = std::move(title),
                    .columns = {"user of A", "first candidate in B", "probability", "right"},
                    .note = std::move(note)};
  for (const JudgedMatch& match : std::span(matches).first(std::min(most, matches.size())))
    table.rows.push_back(
        {match.a, match.b, probability_words(match.probability), match.is_right ? "yes" : "no"});
  return table;
}

std::string count_words(double count, std::string_view one, std::string_view many = {}) {
  return counted(static_cast<std::uint64_t>(std::llround(count)), one, many);
}

}  // namespace

Facts network_facts(const NetworkPair& networks) {
  const auto words = [](const Network& network) {
    return fmt::format(
        "{}, {}{}", counted(network.user_count(), "user"), counted(network.edge_count(), "edge"),
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
        static_cast<std::size_t>(std::lround(bin.share_right * static_cast<double>(bin.count)));
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

LineChart calibration_chart(const std::vector<JudgedMatch>& matches) {
  std::vector<double> probabilities;
  std::vector<bool> is_right;
  for (const JudgedMatch& match : matches) {
    probabilities.push_back(match.probability);
    is_right.push_back(match.is_right);
  }
  return calibration_chart(calibration_of(probabilities, is_right));
}

ReportTable surest_matches(std::vector<JudgedMatch> matches, std::size_t most) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &JudgedMatch::probability);
  return table_of_first_candidates("The surest matches", matches, most,
                                   "The pairs with the highest probability, right or wrong.");
}

ReportTable surest_mistakes(std::vector<JudgedMatch> matches, std::size_t most) {
  std::erase_if(matches, [](const JudgedMatch& match) { return match.is_right; });
  std::ranges::stable_sort(matches, std::ranges::greater{}, &JudgedMatch::probability);
  return table_of_first_candidates("The surest mistakes", matches, most,
                                   "The wrong pairs with the highest probability.");
}

ReportTable hardest_matches(std::vector<JudgedMatch> matches, std::size_t most) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &JudgedMatch::rank);
  ReportTable table{.title = "The hardest matches",
                    .columns = {"user of A", "true partner in B", "probability", "rank"},
                    .note = "True pairs that are not first in the list, the last of them first."};
  for (const JudgedMatch& match : std::span(matches).first(std::min(most, matches.size())))
    table.rows.push_back(
        {match.a, match.b, probability_words(match.probability), rank_words(match.rank)});
  return table;
}

ReportSection sureness_section(const std::string& words, const TestMatches& matches) {
  ReportSection section{"How sure, and how right",
                        {ReportText{words}, calibration_chart(matches.first_candidates),
                         surest_matches(matches.first_candidates)}};
  std::vector<JudgedMatch> missed = matches.true_pairs;
  std::erase_if(missed, [](const JudgedMatch& match) { return match.is_right; });
  if (!missed.empty()) section.items.emplace_back(hardest_matches(std::move(missed)));
  ReportTable mistakes = surest_mistakes(matches.first_candidates);
  if (!mistakes.rows.empty()) section.items.emplace_back(std::move(mistakes));
  return section;
}

std::optional<double> labels_for(const AccuracyCurve& curve, double wanted) {
  const auto& [labels, accuracy] = curve;
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    if (accuracy[i] < wanted) continue;
    if (i == 0) return labels[0];
    const double share = (wanted - accuracy[i - 1]) / (accuracy[i] - accuracy[i - 1]);
    return labels[i - 1] + share * (labels[i] - labels[i - 1]);
  }
  return std::nullopt;
}

std::string label_economy(const AccuracyCurve& asked, const AccuracyCurve& random_anchors,
                          const std::string& metric) {
  if (asked.accuracy.empty() || random_anchors.accuracy.empty()) return {};
  const double answers = asked.labels.back();
  const double reached = asked.accuracy.back();
  const auto& accuracy = random_anchors.accuracy;
  if (reached <= accuracy.front())
    return fmt::format("{} did not raise {} above {:.3f}, where random anchors begin.",
                       count_words(answers, "answer"), metric, accuracy.front());
  if (const auto labels = labels_for(random_anchors, reached))
    return fmt::format("{} gave what {} ({} {:.3f}).", count_words(answers, "answer"),
                       count_words(*labels, "random anchor gives", "random anchors give"), metric,
                       reached);
  return fmt::format(
      "{} gave {} {:.3f}, more than {} ({:.3f}).", count_words(answers, "answer"), metric, reached,
      count_words(random_anchors.labels.back(), "random anchor gives", "random anchors give"),
      *std::ranges::max_element(accuracy));
}

}  // namespace dalaup
