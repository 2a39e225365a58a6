#pragma once
// What was run and what came out, as plain data, rendered into one HTML file that needs no network
// and into figures for papers. Demo, simulate, export and experiment all fill a Report.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/base.h"
#include "evaluation/evaluation.h"
#include "labels/labels.h"
#include "networks/networks.h"

namespace dalaup {

using Facts = std::vector<std::pair<std::string, std::string>>;  // name, value

struct ReportText {
  std::string text = {};  // paragraphs separated by an empty line
};

struct ReportTable {
  std::string title = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::string note = {};
};

struct LineSeries {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> low = {};  // empty: no band
  std::vector<double> high = {};
  bool is_reference = false;  // a dashed line without markers, such as a diagonal
};

struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<LineSeries> series = {};
  bool log_x = false;  // points at or below 0 are left out of a logarithmic axis
  bool log_y = false;
  std::optional<double> y_lowest = {};  // else taken from the data
  std::optional<double> y_highest = {};
  std::string note = {};
};

struct BarSeries {
  std::string name = {};
  std::vector<double> values = {};  // one per group; NaN: no bar
  std::vector<double> low = {};     // empty: no error bars
  std::vector<double> high = {};
};

struct BarChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<std::string> groups = {};
  std::vector<BarSeries> series = {};
  bool is_stacked = false;
  std::string note = {};
};

using ReportItem = std::variant<ReportText, Facts, ReportTable, LineChart, BarChart>;

struct ReportSection {
  std::string title = {};
  std::vector<ReportItem> items = {};
};

struct Report {
  std::string title = {};
  std::string headline = {};  // the one sentence to take away
  Facts facts = {};  // what was run: networks, sizes, split, protocol, seeds, version, command
  std::vector<ReportSection> sections = {};
};

// One file that loads nothing. All text is escaped: user names are untrusted.
std::string render_html(const Report& report);
void write_report(const std::string& path, const Report& report);
// Every chart as FOLDER/01-title.svg and so on, in the order of the report.
void write_figures(const std::string& folder, const Report& report);
std::string render_svg(const LineChart& chart);
std::string render_svg(const BarChart& chart);

// Parts that several reports share.
Facts network_facts(const NetworkPair& networks);
// Share of users with at least so many neighbours, both axes logarithmic.
LineChart degree_chart(const NetworkPair& networks);
LineChart calibration_chart(const Calibration& calibration);

struct JudgedMatch {
  std::string a = {};
  std::string b = {};
  double probability = 0.0;
  double rank = 0.0;
  bool is_right = false;
};
// The surest matches (most probable, right or wrong) and the hardest (true pairs ranked last).
ReportTable surest_matches(std::vector<JudgedMatch> matches, std::size_t most = 20);
ReportTable hardest_matches(std::vector<JudgedMatch> matches, std::size_t most = 20);

// "300 answers gave what 900 random anchors give": the place on the rising reference curve where it
// first reaches the last value of the other, by linear interpolation. Nothing without points.
struct AccuracyCurve {
  std::vector<double> labels = {};
  std::vector<double> accuracy = {};
};
std::string label_economy(const AccuracyCurve& asked, const AccuracyCurve& random_anchors,
                          const std::string& metric);

}  // namespace dalaup
