#include "report/drawing.h"

#include <fmt/format.h>

#include <cmath>

namespace dalaup {
namespace {

// Okabe and Ito's colours, told apart by colour-blind readers; yellow is replaced by grey, being
// unreadable on white. Markers and dashes differ as well.
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#E69F00", "#56B4E9", "#777777", "#222222"};
constexpr std::size_t kColourCount = std::size(kColours);

}  // namespace

std::string ink(bool in_page) { return in_page ? "var(--ink)" : "#222222"; }

std::string series_colour(std::size_t series, bool in_page) {
  const std::size_t colour = series % kColourCount;
  return in_page ? fmt::format("var(--series-{})", colour) : kColours[colour];
}

double text_width(std::string_view text) {
  double width = 0.0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) width += 7.0;  // UTF-8: first bytes only
  return width;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    const SvgStyle& style, std::string_view more) {
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

std::string draw_y_axis(const Axis& y, const Axis& x, const std::string& label,
                        const SvgStyle& style) {
  std::string svg;
  for (const double tick : ticks_of(y, 6)) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x.begin,
        x.end, y.at(tick), y.at(tick), style.in_page ? "var(--grid)" : "#dddddd");
    svg += text_at(x.begin - 9, y.at(tick) + 4, "end", short_number(tick), style);
  }
  const double middle = (y.begin + y.end) / 2.0;
  return svg + text_at(14, middle, "middle", label, style,
                       fmt::format("transform=\"rotate(-90 14 {:.1f})\"", middle));
}

std::string with_bounds(double value, const std::vector<double>& low,
                        const std::vector<double>& high, std::size_t place) {
  std::string text = short_number(value);
  if (place < low.size() && place < high.size())
    text += fmt::format(" ({} to {})", short_number(low[place]), short_number(high[place]));
  return text;
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

}  // namespace dalaup
