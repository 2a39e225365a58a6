#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "report/glossary.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/template.h"

namespace dalaup {
namespace {

std::string paragraphs(std::string_view text, Glossary& glossary, std::string_view kind = "") {
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (end > 0) html += fmt::format("<p{}>{}</p>\n", kind, glossary.explain(text.substr(0, end)));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return html;
}

std::string note_of(const std::string& note, Glossary& glossary) {
  return paragraphs(note, glossary, " class=\"note\"");
}

// A number, with what numbers come with: bounds, a spread, a sign, a percentage.
bool is_figure(std::string_view cell) {
  bool has_number = false;
  while (!cell.empty()) {
    const std::size_t end = std::min(cell.find(' '), cell.size());
    std::string word;
    for (const char c : cell.substr(0, end))
      if (c != ',' && !(c == '+' && word.empty())) word += c;
    cell.remove_prefix(std::min(end + 1, cell.size()));
    if (parse_number(word))
      has_number = true;
    else if (word != "±" && word != "/" && word != "to" && word != "%" && word != "<" &&
             word != ">")
      return false;
  }
  return has_number;
}

bool is_nothing(const std::string& cell) { return cell.empty() || cell == "–" || cell == "-"; }

// Columns of numbers stand to the right, heading included.
std::vector<bool> columns_of_numbers(const ReportTable& table) {
  std::vector<bool> result(table.columns.size(), false);
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    for (const auto& row : table.rows) {
      if (column >= row.size() || is_nothing(row[column])) continue;
      result[column] = is_figure(row[column]);
      if (!result[column]) break;
    }
  return result;
}

std::string table_body(const ReportTable& table, Glossary& glossary) {
  const std::vector<bool> holds_numbers = columns_of_numbers(table);
  constexpr std::size_t kLongWords = 24;  // letters
  const auto kind = [&](std::size_t column) {
    if (column < holds_numbers.size() && holds_numbers[column]) return " class=\"number\"";
    const bool is_long = std::ranges::any_of(table.rows, [&](const auto& row) {
      return column < row.size() && row[column].size() > kLongWords;
    });
    return is_long ? " class=\"long\"" : "";
  };
  std::vector<const char*> kinds;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    kinds.push_back(kind(column));
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", kinds[column],
                        glossary.explain(table.columns[column]));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column)
      html += fmt::format("<td{}>{}</td>", column < kinds.size() ? kinds[column] : "",
                          escaped(row[column]));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

constexpr std::string_view kTableButtons =
    "<span class=\"actions\"><button type=\"button\" data-action=\"copy\" title=\"copy this table, "
    "columns separated by tabs\">copy</button> <button type=\"button\" data-action=\"csv\" "
    "title=\"save this table as a CSV file\">CSV</button></span>";

std::string render(const ReportTable& table, Glossary& glossary) {
  return fmt::format("<figure class=\"table\"><figcaption>{} {}</figcaption>\n{}{}</figure>\n",
                     escaped(table.title), kTableButtons, table_body(table, glossary),
                     note_of(table.note, glossary));
}

std::string render(const ReportText& text, Glossary& glossary) {
  return paragraphs(text.text, glossary);
}

std::string render(const Facts& facts, Glossary&) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  return html + "</dl>\n";
}

ReportTable data_table(const std::string& x_label, const std::string& y_label) {
  return {.columns = {"series", x_label, y_label, "low", "high"}};
}

template <class Series>
void add_data(ReportTable& table, const Series& series, std::string x, double y,
              std::size_t place) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  table.rows.push_back({series.name, std::move(x), std::isnan(y) ? "–" : number(y),
                        place < series.low.size() ? number(series.low[place]) : "",
                        place < series.high.size() ? number(series.high[place]) : ""});
}

ReportTable data_of(const LineChart& chart) {
  ReportTable table = data_table(chart.x_label, chart.y_label);
  for (const LineSeries& series : chart.series)
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
      add_data(table, series, fmt::format("{:.6g}", series.x[i]), series.y[i], i);
  return table;
}

ReportTable data_of(const BarChart& chart) {
  ReportTable table = data_table(chart.x_label, chart.y_label);
  for (const BarSeries& series : chart.series)
    for (std::size_t i = 0; i < std::min(chart.groups.size(), series.values.size()); ++i)
      add_data(table, series, chart.groups[i], series.values[i], i);
  return table;
}

std::optional<BarChart> on_other_axes(const BarChart&) { return std::nullopt; }
bool is_logarithmic(const LineChart& chart) { return chart.log_x || chart.log_y; }
bool is_logarithmic(const BarChart&) { return false; }
bool has_bands(const LineChart& chart) {
  return std::ranges::any_of(chart.series, [](const auto& series) { return !series.low.empty(); });
}
bool has_bands(const BarChart&) { return false; }

// Drawn wide and for phones, CSS shows one; and as it goes into a file.
template <class Chart>
std::string drawings(const Chart& chart, bool is_shown) {
  return fmt::format(
      "<div class=\"drawing\" data-axes=\"{}\"{}>\n<div class=\"wide\">{}</div>\n"
      "<div class=\"narrow\">{}</div>\n<template>{}</template></div>\n",
      is_logarithmic(chart) ? "log" : "linear", is_shown ? "" : " hidden",
      draw(chart, {.width = 760, .height = 380, .in_page = true}),
      draw(chart, {.width = 340, .height = 300, .in_page = true}), render_svg(chart));
}

template <class Chart>
std::string chart_buttons(const Chart& chart, bool has_other_axes) {
  std::string html = "<span class=\"actions\">";
  if (has_other_axes)
    html += fmt::format(
        "<button type=\"button\" data-action=\"axes\" aria-pressed=\"{}\" title=\"logarithmic or "
        "linear axes\">log axes</button> ",
        is_logarithmic(chart));
  if (has_bands(chart))
    html +=
        "<button type=\"button\" data-action=\"bands\" aria-pressed=\"true\" title=\"show or hide "
        "the "
        "bands\">bands</button> ";
  return html +
         "<button type=\"button\" data-action=\"svg\" title=\"save this figure as an SVG file\">SVG"
         "</button></span>";
}

// The data table is also what screen readers get.
template <class Chart>
requires std::same_as<Chart, LineChart> || std::same_as<Chart, BarChart> std::string render(
    const Chart& chart, Glossary& glossary) {
  const auto other = on_other_axes(chart);
  std::string html =
      fmt::format("<figure class=\"chart\"><figcaption>{} {}</figcaption>\n<div class=\"legend\">",
                  escaped(chart.title), chart_buttons(chart, other.has_value()));
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    html += fmt::format(
        "<button type=\"button\" aria-pressed=\"true\" data-toggle=\"{}\"><svg class=\"mark\" "
        "viewBox=\"0 0 24 12\" aria-hidden=\"true\">{}</svg>{}</button> ",
        i, legend_mark(chart.series[i], i, true), escaped(chart.series[i].name));
  html += "</div>\n" + drawings(chart, true);
  if (other) html += drawings(*other, false);
  html += note_of(chart.note, glossary);
  html += fmt::format("<details class=\"data\"><summary>data</summary>{}{}</details></figure>\n",
                      kTableButtons, table_body(data_of(chart), glossary));
  return html;
}

std::string body_of(const Report& report) {
  std::string html = fmt::format("<header><h1>{}</h1>\n", escaped(report.title));
  Glossary glossary;
  if (!report.headline.empty())
    html += fmt::format("<p class=\"headline\">{}</p>\n", glossary.explain(report.headline));
  std::string links;
  std::string sections;
  int number = 0;
  const auto add_section = [&](const std::string& title, const std::string& body) {
    ++number;
    links += fmt::format("{}<a href=\"#part-{}\">{}</a>", number == 1 ? "" : " · ", number,
                         escaped(title));
    sections += fmt::format("<section id=\"part-{}\"><h2>{}</h2>\n{}</section>\n", number,
                            escaped(title), body);
  };
  for (const ReportSection& section : report.sections) {
    std::string body;
    glossary.begin_part();
    for (const ReportItem& item : section.items)
      body += std::visit([&](const auto& one) { return render(one, glossary); }, item);
    add_section(section.title, body);
  }
  if (!report.facts.empty()) add_section("What was run", render(report.facts, glossary));
  if (const std::string words = glossary.list(); !words.empty()) add_section("Glossary", words);
  return html + "<nav class=\"note\">" + links + "</nav>\n</header>\n<main>\n" + sections +
         "</main>\n";
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
