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

// A pair of the matching, and whether it is right: nothing when the truth mentions neither user.
struct FoundPair {
  double probability = 0.0;
  std::optional<bool> is_right = {};
};
// How many pairs were found at one half or more and how many of them are right, in a sentence or
// two.
std::string result_words(std::span<const FoundPair> pairs);
// Pairs, what their probabilities claim, and the share that is right, by cut-off.
ReportTable cut_off_table(std::span<const FoundPair> pairs);
// What a report begins with: `words` (empty: result_words), the table and what to do next.
ReportSection result_section(std::span<const FoundPair> pairs, const std::string& words,
                             const std::vector<std::string>& next);

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
// Calibration of judged matches; the surest matches (most probable, right or wrong), the surest of
// the wrong ones, and the hardest (true pairs ranked last).
LineChart calibration_chart(const std::vector<JudgedMatch>& matches);
ReportTable surest_matches(std::vector<JudgedMatch> matches, std::size_t most = 20);
ReportTable surest_mistakes(std::vector<JudgedMatch> matches, std::size_t most = 10);
ReportTable hardest_matches(std::vector<JudgedMatch> matches, std::size_t most = 20);

struct TestMatches {
  std::vector<JudgedMatch> first_candidates = {};  // of every test user
  std::vector<JudgedMatch> true_pairs = {};        // is_right: ranked first
};
// What reports on test users begin with: how many first candidates are sure enough and how many of
// them are right, the table by cut-off, and what to do next. `when` begins the sentence, such as
// "After 300 answers chosen by dalaup".
ReportSection test_result_section(const TestMatches& matches, const std::string& when,
                                  const std::vector<std::string>& next);
// Calibration and the three tables above, after `words`.
ReportSection sureness_section(const std::string& words, const TestMatches& matches);

// Means over repeats with their 95 % intervals, cut at what is possible: 0 and `highest`. Without a
// point of kFewestForBands repeats there is no band: those of two or three hide the curves.
struct SpreadPoint {
  double x = 0.0;
  Spread spread = {};
};
LineSeries series_of(const std::string& name, std::span<const SpreadPoint> points, double highest);
inline constexpr const char* kBandWords =
    "Bands are 95 % intervals of the mean over repeats, cut at what is possible; there are none "
    "with fewer than four repeats.";
inline constexpr std::size_t kFewestForBands = 4;

// How often a bandit chose each strategy, round by round: of each repeat, what it chose in rounds
// 1, 2, ...
BarChart choices_chart(const std::string& bandit,
                       std::span<const std::vector<std::string>> repeats);

// Differences with their significance: `first` and `second` on the same splits. A row says so when
// there are fewer than two.
ReportTable comparison_table(const std::string& title);
std::vector<std::string> comparison_row(const std::string& what, std::span<const double> first,
                                        std::span<const double> second);

// What a paired test lets one say of two values over the same repeats, as a sentence: "dalaup is
// above random by 0.0120 (p = 0.031 over 10 repeats)." or that they are not told apart.
std::string verdict_words(const std::string& first_name, const std::string& second_name,
                          std::span<const double> first, std::span<const double> second);

// How a test anchor is ranked, in words.
std::string ranking_protocol();

// "300 answers gave what 900 random anchors give": the place on the rising reference curve where it
// first reaches the last value of the other, by linear interpolation. Nothing without points.
struct AccuracyCurve {
  std::vector<double> labels = {};
  std::vector<double> accuracy = {};
};
// Labels at which the curve first reaches a value; nothing when it never does.
std::optional<double> labels_for(const AccuracyCurve& curve, double accuracy);
std::string label_economy(const AccuracyCurve& asked, const AccuracyCurve& random_anchors,
                          const std::string& metric);
// How far that may be off: which numbers of random anchors are not told apart from the answers by a
// paired test (p < .05) over the same repeats. Nothing when all are told apart; with one repeat,
// that nothing tells.
struct ToldValues {
  double anchors = 0.0;
  std::vector<double> values = {};
};
std::string label_economy_doubt(std::span<const double> asked, std::span<const ToldValues> told);

}  // namespace dalaup
