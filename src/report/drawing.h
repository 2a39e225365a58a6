#pragma once
// What line and bar charts share: margins, colours, texts, the upright axis, the legend of files.
#include <string>
#include <vector>

#include "report/axes.h"
#include "report/svg.h"

namespace dalaup {

inline constexpr double kTop = 14;
inline constexpr double kRight = 14;
inline constexpr double kBottom = 48;
inline constexpr double kLeft = 60;

std::string ink(bool in_page);
std::string series_colour(std::size_t series, bool in_page);
// On average: fonts differ, and nothing here can measure them.
double text_width(std::string_view text);

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    const SvgStyle& style, std::string_view more = "");
std::string open_svg(const std::string& title, const SvgStyle& style);
std::string draw_y_axis(const Axis& y, const Axis& x, const std::string& label,
                        const SvgStyle& style);
std::string with_bounds(double value, const std::vector<double>& low,
                        const std::vector<double>& high, std::size_t place);

// In files only: names in rows, as many a row as fit. The page has buttons instead.
struct Legend {
  std::string svg;
  double height = 0.0;
};
template <class Series>
Legend legend_of(const std::vector<Series>& series, const SvgStyle& style) {
  constexpr double kLine = 18;
  if (style.in_page || series.empty()) return {};
  Legend legend{.svg = {}, .height = kLine + 4};
  double x = kLeft;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double width = 30 + text_width(series[i].name) + 16;
    if (x > kLeft && x + width > style.width - kRight) {
      x = kLeft;
      legend.height += kLine;
    }
    const double y = kTop + legend.height - kLine - 4;
    legend.svg += "<g data-series=\"" + std::to_string(i) + "\"><g transform=\"translate(" +
                  short_number(x) + " " + short_number(y - 6) + ")\">" +
                  legend_mark(series[i], i, false) + "</g>\n" +
                  text_at(x + 30, y + 4, "start", series[i].name, style) + "</g>\n";
    x += width;
  }
  return legend;
}

}  // namespace dalaup
