#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawing.h"

namespace dalaup {
namespace {

Axis y_axis_of(const BarChart& chart, double begin, double end) {
  Bounds bounds(false);
  bounds.add(0.0);
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    double stack = 0.0;
    for (const BarSeries& series : chart.series) {
      if (group >= series.values.size() || std::isnan(series.values[group])) continue;
      stack += series.values[group];
      bounds.add(chart.is_stacked ? stack : series.values[group]);
      if (group < series.high.size()) bounds.add(series.high[group]);
    }
  }
  return bounds.axis(begin, end, 0.05);
}

// Names under the bars: level where they fit, numbers left out where they do not, words slanted.
struct GroupLabels {
  std::size_t every = 1;
  bool are_slanted = false;
  double height = 0.0;  // more than a level line takes
};

GroupLabels group_labels(const BarChart& chart, double slot) {
  double widest = 0.0;
  bool are_numbers = true;
  for (const auto& group : chart.groups) {
    widest = std::max(widest, text_width(group));
    are_numbers = are_numbers && parse_number(group).has_value();
  }
  if (widest + 6 <= slot) return {};
  if (are_numbers) return {.every = static_cast<std::size_t>(std::ceil((widest + 10) / slot))};
  return {.every = static_cast<std::size_t>(std::ceil(16.0 / slot)),
          .are_slanted = true,
          .height = 0.58 * std::min(widest, 180.0)};  // the sine of 35 degrees
}

}  // namespace

std::string legend_mark(const BarSeries&, std::size_t index, bool in_page) {
  return fmt::format("<rect x=\"6\" width=\"12\" height=\"12\" fill=\"{}\"/>",
                     series_colour(index, in_page));
}

std::string draw(const BarChart& chart, const SvgStyle& style) {
  const Legend legend = legend_of(chart.series, style);
  const Axis x{.begin = kLeft, .end = style.width - kRight};
  const double slot = (x.end - x.begin) / std::max<double>(1.0, double(chart.groups.size()));
  const GroupLabels labels = group_labels(chart, slot);
  const Axis y = y_axis_of(chart, style.height - kBottom - labels.height, kTop + legend.height);
  std::string svg = open_svg(chart.title, style) + draw_y_axis(y, x, chart.y_label, style);
  const double bars = chart.is_stacked ? 1.0 : std::max<double>(1.0, double(chart.series.size()));
  const double width = slot * 0.8 / bars;
  for (std::size_t group = 0; group < chart.groups.size(); group += labels.every) {
    const double middle = x.begin + slot * (double(group) + 0.5);
    const double under = y.begin + (labels.are_slanted ? 12 : 18);
    svg += text_at(middle, under, labels.are_slanted ? "end" : "middle", chart.groups[group], style,
                   labels.are_slanted
                       ? fmt::format("transform=\"rotate(-35 {:.1f} {:.1f})\"", middle, under)
                       : "");
  }
  svg += text_at((x.begin + x.end) / 2.0, style.height - 10, "middle", chart.x_label, style);
  std::vector<double> stack(chart.groups.size(), 0.0);
  for (std::size_t index = 0; index < chart.series.size(); ++index) {
    const BarSeries& series = chart.series[index];
    svg += fmt::format("<g class=\"series\" data-series=\"{}\">\n", index);
    for (std::size_t group = 0; group < std::min(chart.groups.size(), series.values.size());
         ++group) {
      const double value = series.values[group];
      if (std::isnan(value) || (chart.is_stacked && value == 0.0)) continue;
      const double base = chart.is_stacked ? stack[group] : 0.0;
      stack[group] += value;
      const double left =
          x.begin + slot * (double(group) + 0.1) + (chart.is_stacked ? 0.0 : width * double(index));
      const double high = y.at(base + value);
      svg += fmt::format(
          "<rect class=\"point\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"{}\" data-x=\"{:.1f}\" data-y=\"{:.1f}\" data-text=\"{}\"/>\n",
          left, std::min(high, y.at(base)), std::max(1.0, width - 1.0), std::abs(y.at(base) - high),
          series_colour(index, style.in_page), left + width / 2.0, high,
          escaped(fmt::format("{}, {}: {}", chart.groups[group], series.name,
                              with_bounds(value, series.low, series.high, group))));
      if (group < series.low.size() && group < series.high.size())
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
            "stroke-width=\"1.5\"/>\n",
            left + width / 2.0, y.at(std::max(series.low[group], y.lowest)),
            y.at(series.high[group]), ink(style.in_page));
    }
    svg += "</g>\n";
  }
  return svg + legend.svg + "</svg>\n";
}

std::string render_svg(const BarChart& chart) { return draw(chart, SvgStyle{}); }

}  // namespace dalaup
