#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalaup {
namespace {

// Okabe and Ito's colours, told apart by colour-blind readers; yellow is replaced by grey, being
// unreadable on white. Markers and dashes differ as well.
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#777777", "#222222"};
constexpr std::size_t kColourCount = std::size(kColours);
constexpr const char* kDashes[] = {"", "6 3", "2 3", "8 3 2 3"};
constexpr double kTop = 14;
constexpr double kRight = 14;
constexpr double kBottom = 48;
constexpr double kLeft = 60;
constexpr double kLegendLine = 18;

std::string ink(bool in_page) { return in_page ? "var(--ink)" : "#222222"; }
std::string grid(bool in_page) { return in_page ? "var(--grid)" : "#dddddd"; }

struct Axis {
  double lowest = 0.0;
  double highest = 1.0;
  bool is_log = false;
  double begin = 0.0;  // in the drawing
  double end = 1.0;

  double at(double value) const {
    const double share = is_log ? (std::log10(value) - std::log10(lowest)) /
                                      (std::log10(highest) - std::log10(lowest))
                                : (value - lowest) / (highest - lowest);
    return begin + share * (end - begin);
  }
  bool shows(double value) const { return std::isfinite(value) && (!is_log || value > 0.0); }
};

double nice_step(double range, int steps) {
  const double rough = range / steps;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (rough <= factor * power * 1.0001) return factor * power;
  return 10.0 * power;
}

std::vector<double> ticks_of(const Axis& axis, int wanted) {
  std::vector<double> ticks;
  if (axis.is_log) {
    for (double power = std::floor(std::log10(axis.lowest));
         power <= std::log10(axis.highest) + 1e-9; power += 1.0)
      if (std::pow(10.0, power) >= axis.lowest * 0.999) ticks.push_back(std::pow(10.0, power));
    return ticks;
  }
  const double step = nice_step(axis.highest - axis.lowest, wanted);
  for (double tick = std::ceil(axis.lowest / step - 1e-9) * step;
       tick <= axis.highest + step * 1e-6; tick += step)
    ticks.push_back(std::abs(tick) < step * 1e-6 ? 0.0 : tick);
  return ticks;
}

// Bounds of everything added, made into an axis that is never empty.
class Bounds {
 public:
  explicit Bounds(bool is_log) : is_log_(is_log) {}
  void add(double value) {
    if (!std::isfinite(value) || (is_log_ && value <= 0.0)) return;
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
  }
  Axis axis(double begin, double end, double padding) const {
    Axis axis{
        .lowest = lowest_, .highest = highest_, .is_log = is_log_, .begin = begin, .end = end};
    if (lowest_ > highest_) axis.lowest = is_log_ ? 1.0 : 0.0, axis.highest = is_log_ ? 10.0 : 1.0;
    if (axis.lowest == axis.highest) {
      axis.lowest = is_log_ ? axis.lowest / 2.0 : axis.lowest - 0.5;
      axis.highest = is_log_ ? axis.highest * 2.0 : axis.highest + 0.5;
    } else if (!is_log_) {
      const double room = padding * (axis.highest - axis.lowest);
      const bool from_zero = axis.lowest >= 0.0 && axis.lowest - room < 0.0;
      axis.lowest = from_zero ? 0.0 : axis.lowest - room;
      axis.highest += room;
    }
    return axis;
  }

 private:
  bool is_log_;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
};

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    const SvgStyle& style, std::string_view more = "") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" {}>{}</text>\n", x, y, anchor,
      ink(style.in_page), more, escaped(text));
}

std::string open_svg(const std::string& title, const SvgStyle& style) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, Helvetica, Arial, sans-serif\" "
      "font-size=\"12\"><title>{2}</title>\n",
      style.width, style.height, escaped(title));
}

double legend_height(std::size_t series, const SvgStyle& style) {
  return style.in_page ? 0.0 : kLegendLine * std::ceil(static_cast<double>(series) / 4.0) + 4.0;
}

template <class Series>
std::string draw_legend(const std::vector<Series>& series, const SvgStyle& style) {
  if (style.in_page) return {};
  std::string svg;
  const double width = (style.width - kLeft - kRight) / 4.0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double x = kLeft + width * static_cast<double>(i % 4);
    const double y = kTop + kLegendLine * static_cast<double>(i / 4);
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                       x, y - 6, series_colour(i, false));
    svg += text_at(x + 18, y + 4, "start", series[i].name, style);
  }
  return svg;
}

std::string draw_y_axis(const Axis& y, const Axis& x, const std::string& label,
                        const SvgStyle& style) {
  std::string svg;
  for (const double tick : ticks_of(y, 6)) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x.begin,
        x.end, y.at(tick), y.at(tick), grid(style.in_page));
    svg += text_at(x.begin - 6, y.at(tick) + 4, "end", short_number(tick), style);
  }
  const double middle = (y.begin + y.end) / 2.0;
  return svg + text_at(14, middle, "middle", label, style,
                       fmt::format("transform=\"rotate(-90 14 {:.1f})\"", middle));
}

std::string marker(std::size_t series, double x, double y) {
  switch (series % 4) {
    case 0:
      return fmt::format("M{:.1f},{:.1f}m-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0", x, y);
    case 1:
      return fmt::format("M{:.1f},{:.1f}h6v6h-6z", x - 3, y - 3);
    case 2:
      return fmt::format("M{:.1f},{:.1f}l4,7h-8z", x, y - 4);
    default:
      return fmt::format("M{:.1f},{:.1f}l4.5,4.5l-4.5,4.5l-4.5,-4.5z", x, y - 4.5);
  }
}

std::string with_bounds(double value, const std::vector<double>& low,
                        const std::vector<double>& high, std::size_t place) {
  std::string text = short_number(value);
  if (place < low.size() && place < high.size())
    text += fmt::format(" ({} to {})", short_number(low[place]), short_number(high[place]));
  return text;
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
    if (i < series.low.size() && i < series.high.size() && y.shows(series.low[i]) &&
        y.shows(series.high[i])) {
      upper += fmt::format("{}{:.1f},{:.1f}", upper.empty() ? "M" : "L", px,
                           y.at(clamp_y(series.high[i])));
      lower = fmt::format("L{:.1f},{:.1f}", px, y.at(clamp_y(series.low[i]))) + lower;
    }
    if (!series.is_reference)
      markers += fmt::format(
          "<path class=\"point\" d=\"{}\" fill=\"{}\" data-x=\"{:.1f}\" data-y=\"{:.1f}\" "
          "data-text=\"{}\"/>\n",
          marker(index, px, py), colour, px, py,
          escaped(fmt::format("{}: {} {} at {} {}", series.name, chart.y_label,
                              with_bounds(series.y[i], series.low, series.high, i), chart.x_label,
                              short_number(series.x[i]))));
  }
  std::string svg = fmt::format("<g class=\"series\" data-series=\"{}\">\n", index);
  if (!upper.empty())
    svg += fmt::format("<path d=\"{}{}Z\" fill=\"{}\" opacity=\"0.15\"/>\n", upper, lower, colour);
  svg += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n",
      line, series.is_reference ? ink(style.in_page) : colour,
      series.is_reference ? "4 4" : kDashes[(index / 4) % std::size(kDashes)]);
  return svg + markers + "</g>\n";
}

}  // namespace

std::string series_colour(std::size_t series, bool in_page) {
  const std::size_t colour = series % kColourCount;
  return in_page ? fmt::format("var(--series-{})", colour) : kColours[colour];
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "–";
  if (std::abs(value) >= 10'000 && std::abs(value) < 1e15 && value == std::floor(value))
    return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(value)));
  return fmt::format("{:.4g}", value);
}

std::string draw(const LineChart& chart, const SvgStyle& style) {
  Bounds x_bounds(chart.log_x);
  Bounds y_bounds(chart.log_y);
  for (const LineSeries& series : chart.series) {
    for (const double value : series.x) x_bounds.add(value);
    for (const auto* values : {&series.y, &series.low, &series.high})
      for (const double value : *values) y_bounds.add(value);
  }
  const double top = kTop + legend_height(chart.series.size(), style);
  const Axis x = x_bounds.axis(kLeft, style.width - kRight, 0.02);
  Axis y = y_bounds.axis(style.height - kBottom, top, 0.05);
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
  return svg + draw_legend(chart.series, style) + "</svg>\n";
}

std::string draw(const BarChart& chart, const SvgStyle& style) {
  Bounds y_bounds(false);
  y_bounds.add(0.0);
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    double stack = 0.0;
    for (const BarSeries& series : chart.series) {
      if (group >= series.values.size() || std::isnan(series.values[group])) continue;
      stack += series.values[group];
      y_bounds.add(chart.is_stacked ? stack : series.values[group]);
      if (group < series.high.size()) y_bounds.add(series.high[group]);
    }
  }
  const double top = kTop + legend_height(chart.series.size(), style);
  const Axis y = y_bounds.axis(style.height - kBottom, top, 0.05);
  const Axis x{.begin = kLeft, .end = style.width - kRight};
  std::string svg = open_svg(chart.title, style) + draw_y_axis(y, x, chart.y_label, style);
  const double slot = (x.end - x.begin) / std::max<double>(1.0, double(chart.groups.size()));
  const double bars = chart.is_stacked ? 1.0 : std::max<double>(1.0, double(chart.series.size()));
  const double width = slot * 0.8 / bars;
  const std::size_t label_every =
      1 + static_cast<std::size_t>(double(chart.groups.size()) * 40.0 / (x.end - x.begin));
  for (std::size_t group = 0; group < chart.groups.size(); group += label_every)
    svg += text_at(x.begin + slot * (double(group) + 0.5), y.begin + 18, "middle",
                   chart.groups[group], style);
  svg += text_at((x.begin + x.end) / 2.0, style.height - 10, "middle", chart.x_label, style);
  std::vector<double> stack(chart.groups.size(), 0.0);
  for (std::size_t index = 0; index < chart.series.size(); ++index) {
    const BarSeries& series = chart.series[index];
    svg += fmt::format("<g class=\"series\" data-series=\"{}\">\n", index);
    for (std::size_t group = 0; group < std::min(chart.groups.size(), series.values.size());
         ++group) {
      const double value = series.values[group];
      if (std::isnan(value)) continue;
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
  return svg + draw_legend(chart.series, style) + "</svg>\n";
}

std::string render_svg(const LineChart& chart) { return draw(chart, SvgStyle{}); }
std::string render_svg(const BarChart& chart) { return draw(chart, SvgStyle{}); }

}  // namespace dalaup
