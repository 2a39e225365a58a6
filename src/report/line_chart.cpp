#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawing.h"

namespace dalaup {
namespace {

constexpr const char* kDashes[] = {"", "6 3", "2 3", "8 3 2 3"};

// Five shapes for eight colours: no two of the first forty series look the same.
std::string marker(std::size_t series, double x, double y) {
  switch (series % 5) {
    case 0:
      return fmt::format("M{:.1f},{:.1f}m-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0", x, y);
    case 1:
      return fmt::format("M{:.1f},{:.1f}h6v6h-6z", x - 3, y - 3);
    case 2:
      return fmt::format("M{:.1f},{:.1f}l4,7h-8z", x, y - 4);
    case 3:
      return fmt::format("M{:.1f},{:.1f}l4.5,4.5l-4.5,4.5l-4.5,-4.5z", x, y - 4.5);
    default:
      return fmt::format("M{:.1f},{:.1f}l4,-7h-8z", x, y + 4);
  }
}

// Where colours begin again, markers are hollow.
std::string marker_fill(std::size_t series, const std::string& colour, bool in_page) {
  return series < 8 ? colour : in_page ? "var(--paper)" : "#ffffff";
}

std::string line_style(const LineSeries& series, std::size_t index, bool in_page) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"",
                     series.is_reference ? ink(in_page) : series_colour(index, in_page),
                     series.is_reference ? "4 4" : kDashes[(index / 4) % std::size(kDashes)]);
}

// Bands over bands turn to mud: the more there are, the fainter each.
double band_opacity(const LineChart& chart) {
  const auto bands =
      std::ranges::count_if(chart.series, [](const auto& series) { return !series.low.empty(); });
  return bands <= 3 ? 0.15 : std::max(0.03, 0.45 / static_cast<double>(bands));
}

std::string words_of(const LineChart& chart, const LineSeries& series, std::size_t place) {
  return fmt::format("{}: {} {} at {} {}", series.name, chart.y_label,
                     with_bounds(series.y[place], series.low, series.high, place), chart.x_label,
                     short_number(series.x[place]));
}

std::string draw_series(const LineChart& chart, std::size_t index, const Axis& x, const Axis& y,
                        const SvgStyle& style) {
  const LineSeries& series = chart.series[index];
  const std::string colour = series_colour(index, style.in_page);
  std::string line;
  std::string upper;
  std::string lower;
  std::string markers;
  const auto clamp_y = [&](double value) { return std::clamp(value, y.lowest, y.highest); };
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!x.shows(series.x[i]) || !y.shows(series.y[i])) continue;
    const double px = x.at(series.x[i]);
    const double py = y.at(clamp_y(series.y[i]));
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "M" : "L", px, py);
    if (i < series.low.size() && i < series.high.size() && std::isfinite(series.low[i]) &&
        y.shows(series.high[i])) {
      upper += fmt::format("{}{:.1f},{:.1f}", upper.empty() ? "M" : "L", px,
                           y.at(clamp_y(series.high[i])));
      lower.insert(0, fmt::format("L{:.1f},{:.1f}", px, y.at(clamp_y(series.low[i]))));
    }
    if (series.is_reference && series.low.empty()) continue;  // a drawn rule has no values to tell
    markers += fmt::format(
        "<path class=\"point\" d=\"{}\" {} data-x=\"{:.1f}\" data-y=\"{:.1f}\" "
        "data-text=\"{}\"/>\n",
        marker(index, px, py),
        series.is_reference ? "fill=\"none\""
                            : fmt::format("fill=\"{}\" stroke=\"{}\"",
                                          marker_fill(index, colour, style.in_page), colour),
        px, py, escaped(words_of(chart, series, i)));
  }
  std::string svg = fmt::format("<g class=\"series\" data-series=\"{}\">\n", index);
  if (!upper.empty())
    svg +=
        fmt::format("<path class=\"band\" d=\"{}{}Z\" fill=\"{}\" opacity=\"{:.2g}\"/>\n", upper,
                    lower, series.is_reference ? ink(style.in_page) : colour, band_opacity(chart));
  svg += fmt::format("<path d=\"{}\" {}/>\n", line, line_style(series, index, style.in_page));
  return svg + markers + "</g>\n";
}

bool spans_decades(const LineChart& chart, std::vector<double> LineSeries::*values) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = 0.0;
  for (const LineSeries& series : chart.series)
    for (const double value : series.*values) {
      if (value < 0.0) return false;
      if (value > 0.0) lowest = std::min(lowest, value), highest = std::max(highest, value);
    }
  return highest >= 10.0 * lowest;
}

}  // namespace

std::string legend_mark(const LineSeries& series, std::size_t index, bool in_page) {
  const std::string colour = series_colour(index, in_page);
  std::string svg = fmt::format("<path d=\"M0,6H24\" {}/>", line_style(series, index, in_page));
  if (!series.is_reference)
    svg += fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"{}\"/>", marker(index, 12, 6),
                       marker_fill(index, colour, in_page), colour);
  return svg;
}

std::optional<LineChart> on_other_axes(const LineChart& chart) {
  for (const LineSeries& series : chart.series)
    if (series.is_reference && series.low.empty()) return std::nullopt;  // a rule is drawn straight
  LineChart other = chart;
  if (chart.log_x || chart.log_y) {
    other.log_x = other.log_y = false;
    return other;
  }
  other.log_x = spans_decades(chart, &LineSeries::x);
  other.log_y = spans_decades(chart, &LineSeries::y);
  if (!other.log_x && !other.log_y) return std::nullopt;
  if (other.log_y) other.y_lowest.reset();
  return other;
}

std::string draw(const LineChart& chart, const SvgStyle& style) {
  Bounds x_bounds(chart.log_x);
  Bounds y_bounds(chart.log_y);
  for (const LineSeries& series : chart.series) {
    for (const double value : series.x) x_bounds.add(value);
    for (const auto* values : {&series.y, &series.low, &series.high})
      for (const double value : *values) y_bounds.add(value);
  }
  const Legend legend = legend_of(chart.series, style);
  const Axis x = x_bounds.axis(kLeft, style.width - kRight, 0.02);
  Axis y = y_bounds.axis(style.height - kBottom, kTop + legend.height, 0.05);
  if (chart.y_lowest) y.lowest = *chart.y_lowest;
  if (chart.y_highest) y.highest = *chart.y_highest;

  std::string svg = open_svg(chart.title, style) + draw_y_axis(y, x, chart.y_label, style);
  for (const double tick : ticks_of(x, style.width < 500 ? 4 : 8)) {
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n",
        x.at(tick), y.begin, y.begin + 4, ink(style.in_page));
    svg += text_at(x.at(tick), y.begin + 18, "middle", short_number(tick), style);
  }
  svg += text_at((x.begin + x.end) / 2.0, style.height - 10, "middle", chart.x_label, style);
  for (std::size_t i = 0; i < chart.series.size(); ++i) svg += draw_series(chart, i, x, y, style);
  return svg + legend.svg + "</svg>\n";
}

std::string render_svg(const LineChart& chart) { return draw(chart, SvgStyle{}); }

}  // namespace dalaup
