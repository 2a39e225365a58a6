#include "report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

LineChart rising() {
  return {.title = "Rising",
          .x_label = "labels",
          .y_label = "precision@30",
          .series = {{.name = "ours",
                      .x = {0, 50, 100},
                      .y = {0.0, 0.5, 1.0},
                      .low = {0, 0.4, 0.9},
                      .high = {0.1, 0.6, 1.0}},
                     {.name = "theirs", .x = {0, 100}, .y = {0.0, 0.25}}}};
}

TEST(LineChart, DrawsAMarkerPerPointAndABandWhereThereIsOne) {
  const std::string svg = render_svg(rising());
  EXPECT_EQ(count_of(svg, "class=\"point\""), 5U);
  EXPECT_EQ(count_of(svg, "opacity=\"0.15\""), 1U);
  EXPECT_THAT(svg, HasSubstr("ours: precision@30 0.5 (0.4 to 0.6) at labels 50"));
  EXPECT_THAT(svg, Not(HasSubstr("var(--")));  // a file for papers knows no page
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(LineChart, LeavesZeroOutOfALogarithmicAxis) {
  LineChart chart = rising();
  chart.log_x = true;
  chart.log_y = true;
  const std::string svg = render_svg(chart);
  EXPECT_EQ(count_of(svg, "class=\"point\""), 3U);
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(LineChart, SurvivesNoPointsOnePointAndEqualValues) {
  for (const LineChart& chart :
       {LineChart{.title = "none"}, LineChart{.series = {{.name = "one", .x = {3}, .y = {3}}}},
        LineChart{.series = {{.name = "flat", .x = {1, 2}, .y = {0, 0}}}, .log_y = true}}) {
    const std::string svg = render_svg(chart);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(LineChart, ALogarithmicAxisWithinADecadeStillHasTicks) {
  const std::string svg =
      render_svg(LineChart{.series = {{.name = "s", .x = {12, 80}, .y = {1, 2}}}, .log_x = true});
  EXPECT_THAT(svg, HasSubstr(">20</text>"));
  EXPECT_THAT(svg, HasSubstr(">50</text>"));
}

// The legend of a file: <g data-series="3"><g transform=..>what it looks like</g>.
std::string mark_of(const std::string& svg, std::size_t series) {
  const std::string opening = fmt::format("<g data-series=\"{}\"><g transform=", series);
  const std::size_t begin = svg.find("<path", svg.find(opening));
  return svg.substr(begin, svg.find("</g>", begin) - begin);
}

TEST(LineChart, TwentySeriesLookDifferentInTheLegend) {
  LineChart chart;
  for (int i = 0; i < 20; ++i)
    chart.series.push_back({.name = fmt::format("s{}", i), .x = {1}, .y = {1}});
  chart.series.push_back({.name = "ideal", .x = {0, 1}, .y = {0, 1}, .is_reference = true});
  const std::string svg = render_svg(chart);
  std::set<std::string> marks;
  for (std::size_t i = 0; i < chart.series.size(); ++i) marks.insert(mark_of(svg, i));
  EXPECT_EQ(marks.size(), 21U);
  EXPECT_THAT(mark_of(svg, 20), HasSubstr("#222222"));  // as the line is drawn
}

TEST(LineChart, LongNamesShareNoPlaceInTheLegend) {
  LineChart chart;
  for (int i = 0; i < 5; ++i)
    chart.series.push_back({.name = "deepwalk:align=procrustes", .x = {1}, .y = {1}});
  const std::string svg = render_svg(chart);
  double end = 0.0;
  std::string line;
  for (std::size_t at = 0; (at = svg.find("<g transform=\"translate(", at)) != std::string::npos;) {
    at += 24;
    const double x = std::stod(svg.substr(at));
    const std::string y = svg.substr(svg.find(' ', at), 4);
    if (y == line) {
      EXPECT_GT(x, end);
    }
    line = y;
    end = x + 30 + 25 * 6.5;
    EXPECT_LT(end, 720);
  }
  EXPECT_GT(end, 0.0);
}

TEST(LineChart, ManyBandsAreFainterThanOne) {
  LineChart chart = rising();
  for (int i = 0; i < 8; ++i) chart.series.push_back(chart.series[0]);
  EXPECT_THAT(render_svg(chart), Not(HasSubstr("opacity=\"0.15\"")));
  EXPECT_EQ(count_of(render_svg(chart), "class=\"band\""), 9U);
}

TEST(LineChart, ACurveUsedAsReferenceTellsItsValues) {
  LineChart chart = rising();
  chart.series[0].is_reference = true;
  EXPECT_THAT(render_svg(chart), HasSubstr("ours: precision@30 0.5 (0.4 to 0.6) at labels 50"));
}

TEST(BarChart, SlantsNamesThatDoNotFit) {
  const auto drawn_with = [](const std::string& name) {
    return render_svg(
        BarChart{.groups = {name, "b", "c", "d", "e"}, .series = {{"s", {1, 1, 1, 1, 1}}}});
  };
  EXPECT_THAT(drawn_with("pale"), Not(HasSubstr("rotate(-35")));
  EXPECT_EQ(count_of(drawn_with("deepwalk:align=procrustes"), "rotate(-35"), 5U);
}

TEST(BarChart, DrawsABarPerValueAndNoneForNothing) {
  const BarChart chart{
      .title = "Bars",
      .groups = {"aup", "pale"},
      .series = {{.name = "none", .values = {0.5, std::nan("")}},
                 {.name = "asked", .values = {0.7, 0.6}, .low = {0.6, 0.5}, .high = {0.8, 0.7}}}};
  const std::string svg = render_svg(chart);
  EXPECT_EQ(count_of(svg, "class=\"point\""), 3U);
  EXPECT_THAT(svg, HasSubstr("aup, asked: 0.7 (0.6 to 0.8)"));
}

TEST(BarChart, AnIntervalBelowZeroEndsAtTheAxis) {
  const auto drawn_with = [](double low) {
    return render_svg(BarChart{
        .groups = {"g"}, .series = {{.name = "s", .values = {0.1}, .low = {low}, .high = {0.4}}}});
  };
  const std::string at_axis = drawn_with(0.0);
  const auto line = at_axis.substr(at_axis.rfind("<line"));
  EXPECT_THAT(drawn_with(-0.2), HasSubstr(line.substr(0, line.find('>'))));
}

TEST(Report, EscapesEveryText) {
  const std::string evil = "<script>alert(\"x\")</script>&'{{script}}";
  const Report report{
      .title = evil,
      .headline = evil,
      .facts = {{evil, evil}},
      .sections = {
          {evil,
           {ReportText{evil}, Facts{{evil, evil}},
            ReportTable{.title = evil, .columns = {evil}, .rows = {{evil}}, .note = evil},
            LineChart{.title = evil,
                      .x_label = evil,
                      .y_label = evil,
                      .series = {{.name = evil, .x = {1}, .y = {1}}},
                      .note = evil},
            BarChart{
                .title = evil, .groups = {evil}, .series = {{.name = evil, .values = {1}}}}}}}};
  const std::string html = render_html(report);
  EXPECT_EQ(count_of(html, "<script>"), 1U);  // ours
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;"));
}

TEST(Report, ColumnsOfNumbersStandToTheRightWithTheirHeadings) {
  const std::string html = render_html(
      {.sections = {{"s",
                     {ReportTable{.columns = {"who", "difference", "interval", "verdict"},
                                  .rows = {{"7", "+0.02", "-0.1 to +0.3", "higher"},
                                           {"ann", "–", "–", "1"}}}}}}});
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">who</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"number\">difference</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">-0.1 to +0.3</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">–</td>"));
  EXPECT_THAT(html, HasSubstr("<td>higher</td>"));
}

// A phone gives them room instead of a word a line.
TEST(Report, ColumnsOfLongWordsAreMarked) {
  const std::string html = render_html(
      {.sections = {{"s",
                     {ReportTable{.columns = {"comparison", "who"},
                                  .rows = {{"dalaup minus random, at the end", "ann"}}}}}}});
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"long\">comparison</th>"));
  EXPECT_THAT(html,
              HasSubstr("<td class=\"long\">dalaup minus random, at the end</td><td>ann</td>"));
}

TEST(Report, OffersLogarithmicAxesWhereValuesSpanThem) {
  const auto page = [](const LineChart& chart) {
    return render_html({.sections = {{"s", {chart}}}});
  };
  EXPECT_THAT(page(rising()), Not(HasSubstr("log axes")));
  LineChart wide = rising();
  wide.series[0].x = {1, 50, 1000};
  EXPECT_THAT(page(wide), HasSubstr("data-axes=\"log\" hidden"));
  wide.log_x = true;
  EXPECT_THAT(page(wide), HasSubstr("data-axes=\"linear\" hidden"));
  wide.log_x = false;
  wide.series.push_back({.name = "ideal", .x = {0, 1}, .y = {0, 1}, .is_reference = true});
  EXPECT_THAT(page(wide), Not(HasSubstr("log axes")));
}

TEST(Report, BeginsWithLinksToItsParts) {
  const std::string html =
      render_html({.title = "t", .facts = {{"seed", "1"}}, .sections = {{"Results", {rising()}}}});
  EXPECT_THAT(html,
              HasSubstr("<a href=\"#part-1\">Results</a> · <a href=\"#part-2\">What was run"));
  EXPECT_THAT(html, HasSubstr("<section id=\"part-1\"><h2>Results</h2>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"part-2\"><h2>What was run</h2>"));
}

TEST(Report, LoadsNothing) {
  const std::string html = render_html({.title = "t", .sections = {{"s", {rising()}}}});
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  std::string without_names = html;  // an XML namespace is a name, not an address
  for (std::size_t at;
       (at = without_names.find("http://www.w3.org/2000/svg")) != std::string::npos;)
    without_names.erase(at, 26);
  EXPECT_THAT(without_names, Not(HasSubstr("http:")));
  EXPECT_THAT(without_names, Not(HasSubstr("https:")));
}

TEST(Report, WritesOneFigurePerChartInOrder) {
  const TemporaryFolder folder;
  write_figures(folder / "figures",
                {.sections = {{"s", {rising(), BarChart{.title = "A bar / chart"}}}}});
  EXPECT_TRUE(file_exists(folder / "figures/01-rising.svg"));
  EXPECT_TRUE(file_exists(folder / "figures/02-a-bar-chart.svg"));
}

// a - b - c: degrees 1, 2, 1.
TEST(DegreeChart, CountsUsersWithAtLeastSoManyNeighbours) {
  const NetworkPair pair{network_of("a b\nb c"), network_of("x y")};
  const LineChart chart = degree_chart(pair);
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{1, 2}));
  EXPECT_EQ(chart.series[0].y, (std::vector<double>{1, 1.0 / 3}));
  EXPECT_EQ(chart.series[1].y, (std::vector<double>{1}));
}

TEST(LabelEconomy, InterpolatesOnTheRandomCurve) {
  EXPECT_EQ(
      label_economy({{0, 300}, {0.2, 0.6}}, {{0, 600, 1200}, {0.2, 0.5, 0.7}}, "precision@30"),
      "300 answers gave what 900 random anchors give (precision@30 0.600).");
  EXPECT_EQ(label_economy({{0, 300}, {0.2, 0.9}}, {{0, 600}, {0.2, 0.5}}, "mrr"),
            "300 answers gave mrr 0.900, more than 600 random anchors give (0.500).");
  EXPECT_EQ(label_economy({{0, 300}, {0.2, 0.1}}, {{0, 600}, {0.2, 0.5}}, "mrr"),
            "300 answers did not raise mrr above 0.200, where random anchors begin.");
  EXPECT_EQ(label_economy({}, {}, "mrr"), "");
}

TEST(LabelsFor, IsTheFirstPlaceWhereACurveReachesAValue) {
  const AccuracyCurve curve{{100, 200, 300, 400}, {0.2, 0.4, 0.3, 0.6}};
  EXPECT_EQ(labels_for(curve, 0.1), 100.0);
  EXPECT_DOUBLE_EQ(*labels_for(curve, 0.35), 175.0);
  EXPECT_DOUBLE_EQ(*labels_for(curve, 0.5), 100.0 * (3.0 + 0.2 / 0.3));
  EXPECT_EQ(labels_for(curve, 0.7), std::nullopt);
}

TEST(LabelEconomy, GroupsThousands) {
  EXPECT_EQ(label_economy({{0, 1500}, {0.2, 0.6}}, {{0, 6000}, {0.2, 1.0}}, "mrr"),
            "1,500 answers gave what 3,000 random anchors give (mrr 0.600).");
}

TEST(LabelEconomy, SaysHowFarItMayBeOff) {
  const std::vector<double> asked = {0.50, 0.52, 0.51, 0.49};
  const std::vector<ToldValues> told = {{.anchors = 0, .values = {0.1, 0.12, 0.1, 0.09}},
                                        {.anchors = 100, .values = {0.49, 0.53, 0.50, 0.50}},
                                        {.anchors = 200, .values = {0.52, 0.51, 0.51, 0.50}},
                                        {.anchors = 400, .values = {0.9, 0.91, 0.9, 0.9}}};
  EXPECT_EQ(label_economy_doubt(asked, told),
            "As far as these 4 repeats tell, 100 to 200 random anchors may give the same.");
  EXPECT_EQ(label_economy_doubt(std::span(asked).first(1), told),
            "That is one repeat; how much of it is chance, nothing tells.");
  EXPECT_EQ(label_economy_doubt(asked, std::span(told).last(1)), "");
}

TEST(VerdictWords, ClaimNoMoreThanThePairedTest) {
  const std::vector<double> first = {0.50, 0.52, 0.51, 0.49};
  EXPECT_EQ(verdict_words("ours", "random", first, std::vector{0.40, 0.42, 0.42, 0.39}),
            "ours is above random by 0.0975 (p < 0.001 over 4 repeats).");
  EXPECT_EQ(verdict_words("random", "ours", std::vector{0.40, 0.42, 0.42, 0.39}, first),
            "random is below ours by 0.0975 (p < 0.001 over 4 repeats).");
  EXPECT_EQ(verdict_words("ours", "random", first, std::vector{0.49, 0.53, 0.50, 0.50}),
            "ours and random are not told apart (difference +0.0000, p = 1.000 over 4 repeats).");
  EXPECT_EQ(verdict_words("ours", "random", std::vector{0.9}, std::vector{0.1}),
            "One repeat does not tell ours and random apart.");
}

TEST(TestResultSection, CountsFirstCandidatesThatAreSureEnough) {
  TestMatches matches;
  matches.first_candidates = {{.a = "ann", .b = "x", .probability = 0.9, .is_right = true},
                              {.a = "bob", .b = "y", .probability = 0.6, .is_right = false},
                              {.a = "cid", .b = "z", .probability = 0.2, .is_right = false}};
  matches.true_pairs.resize(4);
  const ReportSection section = test_result_section(matches, "After 5 answers", {"go on."});
  EXPECT_EQ(std::get<ReportText>(section.items[0]).text,
            "After 5 answers, 2 of 4 test users have a first candidate with a probability of one "
            "half or more. 1 of these is right: 50 %, 95 % interval 9 to 91 %.");
  EXPECT_EQ(std::get<ReportTable>(section.items[1]).rows[2],
            (std::vector<std::string>{"0.90", "1", "100 %", "21 to 100 %", "90 %", "1", "1"}));
  EXPECT_EQ(std::get<ReportText>(section.items[2]).text, "What to do next: go on.");
}

TEST(SeriesOfRepeats, CutsBandsAtWhatIsPossibleAndHasNoneOfThreeRepeats) {
  const std::vector<SpreadPoint> points = {
      {.x = 0, .spread = spread_of(std::vector{0.1, 0.9, 0.1, 0.9})},
      {.x = 5, .spread = spread_of(std::vector{0.9, 1.0, 1.0, 1.0})}};
  const LineSeries series = series_of("s", points, 1.0);
  EXPECT_EQ(series.low[0], 0.0);
  EXPECT_EQ(series.high, (std::vector<double>{1.0, 1.0}));
  EXPECT_GT(series.low[1], 0.0);
  const std::vector<SpreadPoint> few = {{.x = 0, .spread = spread_of(std::vector{0.2, 0.5, 0.9})}};
  EXPECT_TRUE(series_of("s", few, 1.0).low.empty());
}

TEST(ChoicesChart, CountsRepeatsOfEveryRound) {
  const std::vector<std::vector<std::string>> repeats = {{"cs", "eer", "cs"}, {"cs", "cs"}};
  const BarChart chart = choices_chart("dalaup", repeats);
  EXPECT_EQ(chart.groups, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(chart.series[0].values, (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(chart.series[1].values, (std::vector<double>{0, 1, 0}));
}

TEST(ComparisonRow, GivesNoProbabilityOfNothingAndNoVerdictOnOneRepeat) {
  const std::vector<double> low = {0.10, 0.11, 0.12, 0.10, 0.11};
  const std::vector<double> high = {0.80, 0.82, 0.81, 0.80, 0.82};
  const auto row = comparison_row("ours minus theirs", low, high);
  EXPECT_EQ(row[6], "5");
  EXPECT_EQ(row[4], "< 0.001");
  EXPECT_EQ(row[5], "0.062");  // 2 of 32 sign patterns
  EXPECT_EQ(row[1], "higher");
  EXPECT_EQ(comparison_row("w", std::vector{0.1}, std::vector{0.9})[1], "too few repeats");
}

TEST(MatchTables, NeverRoundToCertaintyAndNameTheSurestMistakes) {
  const std::vector<JudgedMatch> matches = {
      {"a", "x", 0.99999, 1, true}, {"b", "y", 0.7, 1, false}, {"c", "z", 0.00001, 4133.5, false}};
  EXPECT_EQ(surest_matches(matches).rows[0][2], "> 0.999");
  EXPECT_EQ(surest_matches(matches).rows[2][2], "< 0.001");
  EXPECT_EQ(surest_mistakes(matches).rows[0][0], "b");
  EXPECT_EQ(surest_mistakes(matches).rows.size(), 2U);
  EXPECT_EQ(hardest_matches(matches).rows[0][3], "4133.5");
}

TEST(MatchTables, PutTheSurestAndTheHardestFirst) {
  const std::vector<JudgedMatch> matches = {
      {"a", "x", 0.9, 1, true}, {"b", "y", 0.2, 40, true}, {"c", "z", 0.95, kMissed, false}};
  EXPECT_EQ(surest_matches(matches, 1).rows[0][0], "c");
  EXPECT_EQ(hardest_matches(matches, 2).rows[1][0], "b");
  EXPECT_EQ(hardest_matches(matches, 2).rows[0][3], "–");
}

TEST(MatchTables, PairsThatAreFirstInTheirListAreNotAmongTheHardest) {
  const auto titles_of = [](const TestMatches& matches) {
    std::string titles;
    for (const ReportItem& item : sureness_section("", matches).items)
      if (const auto* const table = std::get_if<ReportTable>(&item))
        titles += fmt::format("{}: {}; ", table->title, table->rows.size());
    return titles;
  };
  const JudgedMatch first{"a", "x", 0.9, 1, true};
  EXPECT_EQ(titles_of({{first}, {first}}), "The surest matches: 1; ");
  EXPECT_EQ(titles_of({{first}, {first, {"b", "y", 0.2, 40, false}}}),
            "The surest matches: 1; The hardest matches: 1; ");
}

// Nine pairs: at .5 nine (seven judged, five right), at .9 three (two judged, both right).
// 720 of 722 are not all of them.
TEST(ResultOfAReport, NeverRoundsToAllOrNothing) {
  std::vector<FoundPair> pairs(720, {.probability = 0.999, .is_right = true});
  pairs.resize(722, {.probability = 0.999, .is_right = false});
  EXPECT_THAT(result_words(pairs), HasSubstr("720 are right: > 99 %"));
  EXPECT_EQ(cut_off_table(pairs).rows[0][2], "> 99 %");
  EXPECT_EQ(cut_off_table(pairs).rows[0][4], "> 99 %");
  const std::vector<FoundPair> all(20, {.probability = 0.9, .is_right = true});
  EXPECT_EQ(cut_off_table(all).rows[0][2], "100 %");
}

TEST(ResultOfAReport, CountsPairsAndRightOnesByCutOff) {
  std::vector<FoundPair> pairs;
  for (int i = 0; i < 3; ++i) pairs.push_back({.probability = 0.6, .is_right = true});
  for (int i = 0; i < 2; ++i) pairs.push_back({.probability = 0.6, .is_right = false});
  pairs.push_back({.probability = 0.7});
  pairs.push_back({.probability = 0.96, .is_right = true});
  pairs.push_back({.probability = 0.92, .is_right = true});
  pairs.push_back({.probability = 0.9});
  pairs.push_back({.probability = 0.4, .is_right = true});
  EXPECT_EQ(result_words(pairs),
            "9 pairs were found, 7 of them of users the truth knows. 5 are right: 71 %, 95 % "
            "interval 36 to 92 %.");
  const ReportTable table = cut_off_table(pairs);
  EXPECT_EQ(table.columns.size(), 7U);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"0.50", "9", "71 %", "36 to 92 %", "72 %", "5", "7"}));
  EXPECT_EQ(table.rows[2][1], "3");
  EXPECT_EQ(table.rows[2][5], "2");
  EXPECT_EQ(table.rows[3][1], "1");
}

TEST(ResultOfAReport, SaysWhereProbabilitiesClaimMoreOrLessThanTheyKeep) {
  const auto note_of = [](std::size_t right, std::size_t wrong, double probability) {
    std::vector<FoundPair> pairs(right, {.probability = probability, .is_right = true});
    pairs.resize(right + wrong, {.probability = probability, .is_right = false});
    pairs.resize(pairs.size() + 50, {.probability = 0.99});  // nobody judged these
    return cut_off_table(pairs).note;
  };
  EXPECT_THAT(note_of(50, 50, 0.9), HasSubstr("claim more than they keep: go by the share right"));
  EXPECT_THAT(note_of(99, 1, 0.6), HasSubstr("claim less than they keep"));
  EXPECT_THAT(note_of(90, 10, 0.9), Not(HasSubstr("keep")));
}

TEST(ResultOfAReport, ClaimsNothingThatNobodyJudged) {
  const std::vector<FoundPair> pairs = {{.probability = 0.9}, {.probability = 0.7}};
  EXPECT_EQ(result_words(pairs),
            "2 pairs were found with a probability of one half or more; by these probabilities "
            "about 2 of them are right.");
  EXPECT_EQ(cut_off_table(pairs).columns.size(), 3U);
  EXPECT_EQ(result_words({}), "No pair was found with a probability of one half or more.");
}

TEST(Glossary, ExplainsWordsOnHoverOnceAPartAndListsThoseThatWereUsed) {
  const Report report{.title = "t",
                      .headline = "precision@30 rose",
                      .sections = {{"One", {ReportText{"hits@1 and hits@1 <b>"}}},
                                   {"Two", {ReportText{"hits@1 of anchors, not megahits@1"}}}}};
  const std::string html = render_html(report);
  EXPECT_EQ(count_of(html, "how often the right partner is the first candidate\">hits@1</abbr>"),
            2U);
  EXPECT_EQ(count_of(html, "<dt>hits@1</dt>"), 1U);
  EXPECT_EQ(count_of(html, "<dt>anchor</dt>"), 1U);
  EXPECT_EQ(count_of(html, "<dt>bandit</dt>"), 0U);
  EXPECT_EQ(count_of(html, "&lt;b&gt;"), 1U);
}

}  // namespace
}  // namespace dalaup
