#pragma once
// Charts as SVG text. Inside the page colours are CSS variables, so that dark mode reaches them; in
// files they are plain values, since papers' tools know no variables.
#include <string>

#include "report/report.h"

namespace dalaup {

struct SvgStyle {
  double width = 720;
  double height = 400;
  bool in_page = false;  // CSS variables, no legend (the page has buttons)
};

std::string draw(const LineChart& chart, const SvgStyle& style);
std::string draw(const BarChart& chart, const SvgStyle& style);

// The same chart with its other axes, linear for logarithmic and back; nothing where values span
// too little for a logarithmic axis to show more, or where a rule is drawn, such as a diagonal.
std::optional<LineChart> on_other_axes(const LineChart& chart);

// How a series looks in a legend, 24 wide and 12 high: its line, dashes and marker, or its bar.
std::string legend_mark(const LineSeries& series, std::size_t index, bool in_page);
std::string legend_mark(const BarSeries& series, std::size_t index, bool in_page);

std::string escaped(std::string_view text);  // for HTML and SVG, attributes included
std::string short_number(double value);      // four significant digits at most

}  // namespace dalaup
