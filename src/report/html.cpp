#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/report.h"
#include "report/svg.h"
#include "report/template.h"

namespace dalaup {
namespace {

std::string paragraphs(std::string_view text, std::string_view kind = "") {
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (end > 0) html += fmt::format("<p{}>{}</p>\n", kind, escaped(text.substr(0, end)));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return html;
}

std::string note_of(const std::string& note) { return paragraphs(note, " class=\"note\""); }

std::string table_body(const ReportTable& table) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const auto& column : table.columns)
    html += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const auto& cell : row)
      html += fmt::format("<td{}>{}</td>", parse_number(cell) ? " class=\"number\"" : "",
                          escaped(cell));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

constexpr std::string_view kTableButtons =
    "<span class=\"actions\"><button type=\"button\" data-action=\"copy\">copy</button> "
    "<button type=\"button\" data-action=\"csv\">CSV</button></span>";

std::string render(const ReportTable& table) {
  return fmt::format("<figure class=\"table\"><figcaption>{} {}</figcaption>\n{}{}</figure>\n",
                     escaped(table.title), kTableButtons, table_body(table), note_of(table.note));
}

std::string render(const ReportText& text) { return paragraphs(text.text); }

std::string render(const Facts& facts) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  return html + "</dl>\n";
}

ReportTable data_of(const LineChart& chart) {
  ReportTable table{.title = chart.title,
                    .columns = {"series", chart.x_label, chart.y_label, "low", "high"}};
  for (const LineSeries& series : chart.series)
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
      table.rows.push_back({series.name, fmt::format("{}", series.x[i]),
                            fmt::format("{}", series.y[i]),
                            i < series.low.size() ? fmt::format("{}", series.low[i]) : "",
                            i < series.high.size() ? fmt::format("{}", series.high[i]) : ""});
  return table;
}

ReportTable data_of(const BarChart& chart) {
  ReportTable table{.title = chart.title,
                    .columns = {"series", chart.x_label, chart.y_label, "low", "high"}};
  for (const BarSeries& series : chart.series)
    for (std::size_t i = 0; i < std::min(chart.groups.size(), series.values.size()); ++i)
      table.rows.push_back({series.name, chart.groups[i], fmt::format("{}", series.values[i]),
                            i < series.low.size() ? fmt::format("{}", series.low[i]) : "",
                            i < series.high.size() ? fmt::format("{}", series.high[i]) : ""});
  return table;
}

// Drawn twice, wide and for phones; CSS shows one. The data table is also what screen readers get.
template <class Chart>
requires std::same_as<Chart, LineChart> || std::same_as<Chart, BarChart> std::string render(
    const Chart& chart) {
  std::string html = fmt::format(
      "<figure class=\"chart\"><figcaption>{} <span class=\"actions\"><button type=\"button\" "
      "data-action=\"svg\">SVG</button></span></figcaption>\n<div class=\"legend\">",
      escaped(chart.title));
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    html += fmt::format(
        "<button type=\"button\" aria-pressed=\"true\" data-toggle=\"{}\"><i "
        "style=\"background:{}\"></i>"
        "{}</button> ",
        i, series_colour(i, true), escaped(chart.series[i].name));
  html += "</div>\n<div class=\"wide\">" +
          draw(chart, {.width = 760, .height = 380, .in_page = true}) +
          "</div>\n<div class=\"narrow\">" +
          draw(chart, {.width = 340, .height = 300, .in_page = true}) + "</div>\n";
  html += note_of(chart.note);
  html += fmt::format("<details class=\"data\"><summary>data</summary>{}{}</details></figure>\n",
                      kTableButtons, table_body(data_of(chart)));
  return html;
}

std::string body_of(const Report& report) {
  std::string html = fmt::format("<header><h1>{}</h1>\n", escaped(report.title));
  if (!report.headline.empty())
    html += fmt::format("<p class=\"headline\">{}</p>\n", escaped(report.headline));
  html += "</header>\n<main>\n";
  for (const ReportSection& section : report.sections) {
    html += fmt::format("<section><h2>{}</h2>\n", escaped(section.title));
    for (const ReportItem& item : section.items)
      html += std::visit([](const auto& one) { return render(one); }, item);
    html += "</section>\n";
  }
  if (!report.facts.empty())
    html += "<section><h2>What was run</h2>\n" + render(report.facts) + "</section>\n";
  return html + "</main>\n";
}

void fill(std::string& page, std::string_view place, std::string_view content) {
  const std::size_t at = page.find(place);
  if (at != std::string::npos) page.replace(at, place.size(), content);
}

std::string file_name(std::size_t number, const std::string& title) {
  std::string name = fmt::format("{:02}-", number);
  for (const char c : title) {
    const auto letter = static_cast<unsigned char>(c);
    if (letter < 128 && std::isalnum(letter) != 0)
      name += static_cast<char>(std::tolower(letter));
    else if (name.back() != '-')
      name += '-';
    if (name.size() > 60) break;
  }
  while (name.back() == '-') name.pop_back();
  return name + ".svg";
}

}  // namespace

std::string render_html(const Report& report) {
  std::string page = kReportTemplate;
  // The body goes in last: what it says must not be taken for a place to fill.
  fill(page, "{{title}}", escaped(report.title));
  fill(page, "{{style}}", kReportStyle);
  fill(page, "{{script}}", kReportScript);
  fill(page, "{{body}}", body_of(report));
  return page;
}

void write_report(const std::string& path, const Report& report) {
  write_file(path, render_html(report));
}

void write_figures(const std::string& folder, const Report& report) {
  create_folders(folder);
  std::size_t number = 0;
  for (const ReportSection& section : report.sections)
    for (const ReportItem& item : section.items)
      std::visit(
          [&](const auto& one) {
            if constexpr (requires { render_svg(one); })
              write_file(folder + "/" + file_name(++number, one.title), render_svg(one));
          },
          item);
}

}  // namespace dalaup
