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
std::string series_colour(std::size_t series, bool in_page);

std::string escaped(std::string_view text);  // for HTML and SVG, attributes included
std::string short_number(double value);      // four significant digits at most

}  // namespace dalaup
