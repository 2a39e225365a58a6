#include "experiments/experiments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <sstream>

#include "active_learning/active_learning.h"
#include "experiments/jobs.h"
#include "generate/generate.h"
#include "methods/methods.h"
#include "support/planted_pair.h"
#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Scores a pair by its common labelled neighbours: weak, but quick and sure.
class CommonNeighbours : public Aligner {
 public:
  explicit CommonNeighbours(std::atomic<int>& fits) : fits_(fits) {}
  std::string method() const override { return "common"; }
  Settings settings() const override { return {}; }
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    run.throw_if_cancelled();
    ++fits_;
    networks_ = &networks;
    labels_ = labels;
  }
  const NetworkPair& networks() const override { return *networks_; }
  const LabelSet& labels() const override { return labels_; }
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    std::ranges::fill(scores, 0.0F);
    for (const UserId neighbour : networks_->on(side).neighbours(user)) {
      const UserId partner = labels_.partner(side, neighbour);
      if (partner == kNoUser) continue;
      for (const UserId candidate : networks_->on(other(side)).neighbours(partner))
        scores[candidate] += 1.0F;
    }
  }
  double probability(UserPair pair) const override {
    return std::clamp(0.05 + 0.2 * static_cast<double>(score(pair)), 0.05, 0.95);
  }
  void save(ArchiveWriter&) const override {}
  void load(const ArchiveReader&, const NetworkPair&, const LabelSet&) override {}

 private:
  std::atomic<int>& fits_;
  const NetworkPair* networks_ = nullptr;
  LabelSet labels_;
};

class Failing : public CommonNeighbours {
 public:
  using CommonNeighbours::CommonNeighbours;
  void fit(const NetworkPair&, const LabelSet&, Run&) override {
    throw InputError("labels cannot be learned from");
  }
};

class Serving : public CommonNeighbours {
 public:
  explicit Serving(std::atomic<int>& fits) : CommonNeighbours(refits_), first_fits_(fits) {}
  void fit(const NetworkPair& networks, const LabelSet& labels, Run& run) override {
    ++first_fits_;
    CommonNeighbours::fit(networks, labels, run);
  }
  void refit(const LabelSet& labels, Run& run) override {
    CommonNeighbours::fit(networks(), labels, run);
  }
  bool serves_many_label_sets() const override { return true; }

 private:
  std::atomic<int>& first_fits_;
  std::atomic<int> refits_ = 0;
};

// Finds partners by their place alone: as far from it as labelled partners are, where it sees more
// than one place at a time.
struct PlaceParams {
  std::string order = "shuffled";
  int kernel_width = 3;
};
template <class Params, class Visit>
requires std::same_as<std::remove_const_t<Params>, PlaceParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("order", params.order, Choices{"shuffled", "file"}, "order of users");
  visit("kernel_width", params.kernel_width, 1, 31, "places seen");
}
class PlaceReader : public CommonNeighbours {
 public:
  explicit PlaceReader(PlaceParams params) : CommonNeighbours(fits_), params_(std::move(params)) {}
  void score_row(Side side, UserId user, std::span<float> scores) const override {
    std::vector<double> shifts;
    for (const UserPair& anchor : labels().anchors())
      shifts.push_back(double(anchor.on(other(side))) - double(anchor.on(side)));
    std::ranges::sort(shifts);
    const bool reads = params_.order == "file" && params_.kernel_width > 1;
    for (UserId candidate = 0; candidate < scores.size(); ++candidate)
      scores[candidate] =
          reads ? -static_cast<float>(std::abs(candidate - user - shifts[shifts.size() / 2]))
                : 0.0F;
  }

 private:
  PlaceParams params_;
  std::atomic<int> fits_ = 0;
};

class Experiments : public testing::Test {
 protected:
  Experiments() {
    dalaup::Run run;
    pair_ = generate_pair({.users_a = 120,
                           .users_b = 110,
                           .anchors = 90,
                           .edges_a = 700,
                           .edges_b = 900,
                           .overlap = 0.8},
                          run);
    registry_.add({.name = "common", .summary = "", .fields = {}, .make = [this](const Settings&) {
                     return std::make_unique<CommonNeighbours>(fits_);
                   }});
  }
  ExperimentData data(const std::string& folder) {
    return {
        .networks = pair_.networks, .truth = pair_.truth, .registry = registry_, .folder = folder};
  }
  ExperimentResult ratio(const std::string& folder, const ExperimentParams& params,
                         int threads = 1) {
    dalaup::Run run({.threads = threads});
    return run_ratio_experiment(data(folder), params, run);
  }

  GeneratedPair pair_;
  MethodRegistry registry_;
  std::atomic<int> fits_ = 0;
  TemporaryFolder folder_;
};

std::string without_seconds(const std::string& csv) {
  std::string result;
  for (std::size_t begin = 0; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    const std::string line = csv.substr(begin, end - begin);
    result += line.substr(0, line.rfind(',')) + "\n";
    begin = end + 1;
  }
  return result;
}

TEST_F(Experiments, RatioMeasuresEveryCellAndWritesTablesFiguresAndReport) {
  const auto result = ratio(folder_ / "out", {.repeats = 3, .ratios = "0.2,0.6"});
  EXPECT_EQ(fits_, 6);
  const std::string csv = content_of(folder_ / "out/ratio.csv");
  EXPECT_THAT(csv, StartsWith("method,ratio,repeat,precision@30,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 7);
  EXPECT_TRUE(file_exists(folder_ / "out/figures/01-precision-30-against-the-labelled-share.svg"));
  EXPECT_THAT(content_of(folder_ / "out/report.html"), HasSubstr("network A"));
  EXPECT_THAT(content_of(folder_ / "out/settings.toml"), HasSubstr("ratios = \"0.2,0.6\""));
}

TEST_F(Experiments, RatioShowsTheMatchesOfTheMiddleShareAlsoWhenItGoesOn) {
  const ExperimentParams params{.repeats = 2, .ratios = "0.2,0.5"};
  ratio(folder_ / "out", params);
  const std::string first = content_of(folder_ / "out/report.html");
  EXPECT_THAT(first, HasSubstr("first repeat of common with 50 % of the "));
  EXPECT_THAT(first, HasSubstr("Are the probabilities what they say?"));
  EXPECT_THAT(first, HasSubstr("The hardest matches"));
  ratio(folder_ / "out", params);
  EXPECT_EQ(content_of(folder_ / "out/report.html"), first);
}

TEST_F(Experiments, MoreLabelsGiveMoreAccuracy) {
  const auto result = ratio(folder_ / "out", {.repeats = 4, .ratios = "0.1,0.8"});
  EXPECT_EQ(result.report.sections[0].title, "The result");
  const auto& chart = std::get<LineChart>(result.report.sections[1].items[0]);
  EXPECT_GT(chart.series[0].y[1], chart.series[0].y[0] + 0.05);
}

TEST_F(Experiments, AFinishedJobIsNotRunAgainAndALostOneIs) {
  const ExperimentParams params{.repeats = 3, .ratios = "0.5"};
  ratio(folder_ / "out", params);
  const std::string before = content_of(folder_ / "out/ratio.csv");
  fits_ = 0;
  ratio(folder_ / "out", params);
  EXPECT_EQ(fits_, 0);
  write_file(folder_ / "out/jobs/ratio-common-0.5-1.json", "{\"trunca");
  ratio(folder_ / "out", params);
  EXPECT_EQ(fits_, 1);
  EXPECT_EQ(without_seconds(content_of(folder_ / "out/ratio.csv")), without_seconds(before));
}

TEST_F(Experiments, MoreRepeatsKeepTheFinishedOnesAndOtherSettingsDoNot) {
  ratio(folder_ / "out", {.repeats = 2, .ratios = "0.5"});
  fits_ = 0;
  ratio(folder_ / "out", {.repeats = 3, .ratios = "0.5"});
  EXPECT_EQ(fits_, 1);
  dalaup::Run other_seed({.seed = 2});
  fits_ = 0;
  run_ratio_experiment(data(folder_ / "out"), {.repeats = 2, .ratios = "0.5"}, other_seed);
  EXPECT_EQ(fits_, 2);
}

TEST_F(Experiments, TablesAreTheSameAtAnyThreadCount) {
  const ExperimentParams params{.repeats = 3, .ratios = "0.3,0.6"};
  ratio(folder_ / "one", params, 1);
  ratio(folder_ / "three", params, 3);
  EXPECT_EQ(without_seconds(content_of(folder_ / "one/ratio.csv")),
            without_seconds(content_of(folder_ / "three/ratio.csv")));
}

TEST_F(Experiments, AnAlignerThatServesManyLabelSetsIsFittedOnceARepeat) {
  std::atomic<int> first_fits = 0;
  registry_.add({.name = "serving", .summary = "", .fields = {}, .make = [&](const Settings&) {
                   return std::make_unique<Serving>(first_fits);
                 }});
  const ExperimentParams params{.repeats = 3, .ratios = "0.2,0.4,0.6"};
  const auto result = ratio(folder_ / "out", params);
  EXPECT_EQ(fits_, 9);
  EXPECT_EQ(first_fits, 3);
  std::string common = without_seconds(content_of(folder_ / "out/ratio.csv"));
  const std::size_t serving = common.find("serving");
  std::string other = common.substr(serving);
  common = common.substr(common.find("common"), serving - common.find("common"));
  for (std::size_t at; (at = other.find("serving")) != std::string::npos;)
    other.replace(at, 7, "common");
  EXPECT_EQ(other, common);
  EXPECT_THAT(
      result.report.headline,
      testing::ContainsRegex("18 labelled anchors give common precision@30 0\\.[0-9]+; serving "
                             "needs no more than 18\\."));
  const std::string html = content_of(folder_ / "out/report.html");
  EXPECT_THAT(html, HasSubstr("Is the difference more than chance? (precision@30)"));
  EXPECT_THAT(html, HasSubstr("Is the difference more than chance? (map@30)"));
}

TEST_F(Experiments, AFailingMethodIsLeftOutWithAWarning) {
  registry_.add({.name = "failing", .summary = "", .fields = {}, .make = [this](const Settings&) {
                   return std::make_unique<Failing>(fits_);
                 }});
  std::vector<std::string> warnings;
  dalaup::Run run({.on_warning = [&](const std::string& warning) { warnings.push_back(warning); }});
  const auto result =
      run_ratio_experiment(data(folder_ / "out"), {.repeats = 2, .ratios = "0.5"}, run);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("labels cannot be learned from; left out")));
  EXPECT_THAT(content_of(folder_ / "out/report.html"), HasSubstr("too few repeats"));
}

TEST_F(Experiments, AnInterruptedExperimentKeepsFinishedJobs) {
  std::atomic<bool> cancelled = false;
  dalaup::Run run({.cancelled = &cancelled});
  int made = 0;
  registry_.add({.name = "stopping", .summary = "", .fields = {}, .make = [&](const Settings&) {
                   if (++made == 3) cancelled = true;
                   return std::make_unique<CommonNeighbours>(fits_);
                 }});
  const ExperimentParams params{.repeats = 5, .methods = "stopping", .ratios = "0.5"};
  EXPECT_THROW(run_ratio_experiment(data(folder_ / "out"), params, run), Cancelled);
  cancelled = false;
  fits_ = 0;
  run_ratio_experiment(data(folder_ / "out"), params, run);
  EXPECT_EQ(fits_, 3);
}

TEST_F(Experiments, StrategiesWriteCurvesWithControlAndReference) {
  dalaup::Run run;
  const auto result = run_strategies_experiment(data(folder_ / "out"),
                                                {.repeats = 2,
                                                 .strategies = "dalaup,random,control",
                                                 .initial = 10,
                                                 .validation = 15,
                                                 .test = 20,
                                                 .budget = 12,
                                                 .batch = 6},
                                                run);
  const std::string csv = content_of(folder_ / "out/curves.csv");
  EXPECT_THAT(csv, StartsWith("strategy,repeat,round,labels,positives,precision@30,map@30,hits@1,"
                              "hits@10,mrr,seconds"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 2 * 3);
  EXPECT_THAT(csv, HasSubstr("random-anchors,0,2,12,12,"));
  EXPECT_THAT(result.report.headline, HasSubstr("12 answers"));
  const std::string html = content_of(folder_ / "out/report.html");
  EXPECT_THAT(html, HasSubstr("What dalaup chose"));
  EXPECT_THAT(html, HasSubstr("The surest matches"));
  EXPECT_THAT(html, HasSubstr("<dt>dalaup</dt><dd>the bandit over saie, cs, eer</dd>"));
  EXPECT_THAT(html, HasSubstr("<td>control</td><td class=\"number\">0</td>"));
  EXPECT_EQ(result.report.sections[0].title, "The result");
  for (const ReportItem& item : result.report.sections[1].items)
    if (const auto* const chart = std::get_if<LineChart>(&item)) {
      for (const LineSeries& series : chart->series)
        for (const double low : series.low)  // none below four repeats
          EXPECT_GE(low, 0.0) << chart->title << ", " << series.name;
    }
}

TEST_F(Experiments, TransferComparesFourSourcesOfLabels) {
  dalaup::Run run;
  const auto result = run_transfer_experiment(
      data(folder_ / "out"),
      {.repeats = 2, .initial = 10, .validation = 15, .test = 20, .budget = 12, .batch = 6}, run);
  const std::string csv = content_of(folder_ / "out/transfer.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 2);
  EXPECT_THAT(csv, HasSubstr("common,no further labels,0,0,"));
  EXPECT_THAT(result.report.headline, HasSubstr(" precision@30 of common is 0."));
  EXPECT_THAT(result.report.headline, HasSubstr("a difference that may be chance."));
  // Labels that found nothing are no further labels: not fitted again.
  EXPECT_THAT(csv, HasSubstr("common,random pairs asked,0,0,"));
  EXPECT_TRUE(file_exists(folder_ / "out/jobs/transfer-common-0-0.json"));
  EXPECT_FALSE(file_exists(folder_ / "out/jobs/transfer-common-2-0.json"));
  EXPECT_THAT(content_of(folder_ / "out/report.html"), HasSubstr("The surest matches"));
}

TEST_F(Experiments, ALoopReportShowsRoundsChoicesCalibrationAndMatches) {
  dalaup::Run run;
  const Split split =
      split_truth(pair_.truth, {.initial = 10, .validation = 15, .test = 20}, run.random("split"));
  const LoopParams params{.label_budget = 12, .batch_size = 6, .query = {}};
  CommonNeighbours aligner(fits_);
  TruthOracle oracle(pair_.networks, pair_.truth);
  LoopState state = begin_loop(pair_.networks, split, params);
  run_loop(aligner, pair_.networks, split, params, oracle, state, run);
  const Report report =
      loop_report({.aligner = aligner, .split = split, .state = state, .title = "Demo"}, run);
  EXPECT_THAT(report.headline, StartsWith("12 answers, "));
  const auto& chart = std::get<LineChart>(report.sections[0].items[0]);
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{0, 6, 12}));
  EXPECT_EQ(std::get<ReportTable>(report.sections[1].items[3]).rows.size(), 20U);
  const std::string html = render_html(report);
  EXPECT_THAT(html, HasSubstr("Are the probabilities what they say?"));
  EXPECT_THAT(html, HasSubstr("Degrees of both networks"));
}

TEST_F(Experiments, RefuseRatiosThatLeaveNothingAndUnknownNames) {
  EXPECT_THROW(ratio(folder_ / "out", {.repeats = 1, .ratios = "0.5,1.5"}), ParameterError);
  EXPECT_THROW(ratio(folder_ / "out", {.repeats = 1, .methods = "comon"}), ParameterError);
  dalaup::Run run;
  EXPECT_THROW(run_strategies_experiment(data(folder_ / "out"), {.strategies = "dalup"}, run),
               ParameterError);
}

TEST_F(Experiments, HeadlineTellsTheOrderOfUsersFromStructure) {
  registry_.add<PlaceReader, PlaceParams>("aup", "");
  dalaup::Run run;
  const auto result = run_headline_experiment(
      data(folder_ / "out"), {.repeats = 2, .methods = "aup", .ratios = "0.3,0.5"}, run);
  const std::string csv = content_of(folder_ / "out/headline.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 2 * 2);
  ASSERT_EQ(result.summary.size(), 5U);
  EXPECT_EQ(result.summary[4],
            fmt::format("by chance: precision@30 {:.3f}",
                        30.0 / static_cast<double>(pair_.networks.b.user_count() -
                                                   pair_.truth.size() / 2)));
  EXPECT_THAT(result.summary[0], StartsWith("aup, partners at the same place: precision@30 1.000"));
  EXPECT_THAT(result.summary[1], StartsWith("aup, B moved on by 27 places: precision@30 0.9"));
  for (const std::size_t place : {2, 3})
    EXPECT_THAT(result.summary[place], testing::Not(HasSubstr("precision@30 1.000")));
  const std::string report = content_of(folder_ / "out/report.html");
  EXPECT_THAT(report, HasSubstr("B shuffled"));
  EXPECT_THAT(report, HasSubstr("convolutions slide over neighbouring coordinates"));
}

// Four points above each other at one share of labels say less than bars.
TEST_F(Experiments, HeadlineOfASingleShareIsDrawnInBars) {
  registry_.add<PlaceReader, PlaceParams>("aup", "");
  dalaup::Run run;
  run_headline_experiment(data(folder_ / "out"), {.repeats = 2, .methods = "aup", .ratios = "0.5"},
                          run);
  EXPECT_THAT(content_of(folder_ / "out/report.html"),
              HasSubstr("precision@30 by the order of users, 50 % of the anchors labelled"));
}

TEST_F(Experiments, HeadlineRefusesMethodsThatDoNotReadTheOrder) {
  dalaup::Run run;
  EXPECT_EQ(
      error_of([&] { run_headline_experiment(data(folder_ / "out"), {.methods = "common"}, run); }),
      "headline: found method \"common\", expected presets of aup");
}

// Numbers of round 0 in the rows of one file of curves, by strategy and repeat.
std::vector<std::string> starts_in(const std::string& csv) {
  std::vector<std::string> starts;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream cells_of(line);
    for (std::string cell; std::getline(cells_of, cell, ',');) cells.push_back(cell);
    if (cells[0] == "random" && cells[2] == "0")
      starts.push_back(fmt::format("{:.4f} {:.4f} {:.4f}", std::stod(cells[5]), std::stod(cells[6]),
                                   std::stod(cells[9])));
  }
  return starts;
}

TEST_F(Experiments, SplitAsSimulateDoes) {
  dalaup::Run run({.seed = 4});
  run_strategies_experiment(data(folder_ / "experiment"),
                            {.repeats = 3,
                             .strategies = "random",
                             .initial = 20,
                             .validation = 10,
                             .test = 25,
                             .budget = 2,
                             .batch = 1},
                            run);
  SimulationParams params{.strategy = "random"};
  params.initial = 20;
  params.validation = 10;
  params.test = 25;
  params.label_budget = 2;
  params.batch_size = 1;
  params.repeats = 3;
  simulate({.networks = pair_.networks,
            .truth = pair_.truth,
            .params = params,
            .query = {},
            .make_aligner = [this] { return std::make_unique<CommonNeighbours>(fits_); },
            .settings = {},
            .folder = folder_ / "simulation"},
           run);
  const auto starts = starts_in(content_of(folder_ / "experiment/curves.csv"));
  ASSERT_EQ(starts.size(), 3U);
  EXPECT_NE(starts[0], starts[1]);
  EXPECT_EQ(starts, starts_in(content_of(folder_ / "simulation/curves.csv")));
}

// name = "value" in a file of settings.
std::string setting_in(const std::string& path, const std::string& name) {
  std::istringstream lines(content_of(path));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " = \""))
      return line.substr(name.size() + 4, line.size() - name.size() - 5);
  return {};
}

// experiments/*/paper.toml: what they say in words.
TEST(PaperSettings, AskByTheSoftmaxOfThePaperInTheOrderNamedWithItsDimension) {
  const MethodRegistry methods = all_methods();
  const auto settings_of = [&](const std::string& variant) {
    return methods.variant(variant).make({})->settings();
  };
  const auto expect_text = [](const Settings& settings, const char* name, const char* value) {
    EXPECT_EQ(std::get<std::string>(*settings.find(name)), value);
  };
  const auto expect_number = [](const Settings& settings, const char* name, std::int64_t value) {
    EXPECT_EQ(std::get<std::int64_t>(*settings.find(name)), value);
  };
  for (const std::string kind : {"ratio", "strategies", "transfer"})
    for (const auto& [file, order] :
         {std::pair("paper.toml", "file"), std::pair("paper-shuffled.toml", "shuffled")}) {
      SCOPED_TRACE(kind + "/" + file);
      const std::string path = source_folder() + "/experiments/" + kind + "/" + file;
      if (kind != "ratio") {
        const Settings asking = settings_of(setting_in(path, "method"));
        expect_text(asking, "order", order);
        expect_text(asking, "probability", "classifier");
        expect_number(asking, "refit_epochs", 20);
      }
      if (kind == "strategies") {
        EXPECT_EQ(setting_in(path, "strategies"), "dalaup,saie,eer,cs,ie,random,control");
        continue;
      }
      const auto compared = split_words(setting_in(path, "methods"));
      ASSERT_EQ(compared.size(), 4U);
      expect_text(settings_of(compared[0]), "order", order);
      expect_number(settings_of(compared[0]), "embedding_dim", 56);
      for (std::size_t i = 1; i < 4; ++i)
        expect_number(settings_of(compared[i]), "embedding_dim", 56);
    }
}

// The same parts whatever order the truth is given in.
TEST_F(Experiments, RatioSplitsDoNotDependOnTheOrderOfTheTruthFile) {
  ratio(folder_ / "first", {.repeats = 2, .ratios = "0.5"});
  std::ranges::reverse(pair_.truth);
  ratio(folder_ / "second", {.repeats = 2, .ratios = "0.5"});
  EXPECT_EQ(without_seconds(content_of(folder_ / "first/ratio.csv")),
            without_seconds(content_of(folder_ / "second/ratio.csv")));
}

}  // namespace
}  // namespace dalaup
