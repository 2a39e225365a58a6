// The paper's headline, and what it is made of. Its network reads users in the order of the files,
// and in the published files partners stand at the same place. The same networks, truth and splits
// are therefore learned in that order, with B moved on, with B shuffled, and with convolutions that
// see one user at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluation/evaluation.h"
#include "experiments/jobs.h"

namespace dalaup {
namespace {

constexpr UserId kShift = 50;  // places that B moves on; less in small networks

struct Condition {
  std::string key;   // in headline.csv and in files of jobs
  std::string name;  // in words
  NetworkPair networks;
  std::vector<UserId> place_a;  // of the experiment's users
  std::vector<UserId> place_b;
  std::string settings;  // added to the method
  AlignerShelf shelf = {};

  std::vector<UserPair> places_of(std::span<const UserPair> pairs) const {
    std::vector<UserPair> places;
    for (const UserPair& pair : pairs) places.push_back({place_a[pair.a], place_b[pair.b]});
    return places;
  }
};

// The same network with its users in another order: user i of the result is order[i].
Network in_order(const Network& network, std::span<const UserId> order) {
  NetworkBuilder builder;
  std::vector<UserId> place(network.user_count());
  for (const UserId user : order) place[user] = builder.add_user(network.name(user));
  const Adjacency& rows = network.is_directed() ? network.out() : network.both();
  for (UserId user = 0; user < network.user_count(); ++user) {
    const auto neighbours = rows.of(user);
    const auto weights = rows.weights_of(user);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      if (network.is_directed() || user < neighbours[i])
        builder.add_edge(place[user], place[neighbours[i]], weights.empty() ? 1.0F : weights[i]);
  }
  return builder.build(network.is_directed());
}

std::vector<UserId> everyone(const Network& network) {
  std::vector<UserId> users(network.user_count());
  std::iota(users.begin(), users.end(), UserId{0});
  return users;
}

// The B sides or A sides of the truth, then everybody else in random order.
std::vector<UserId> partners_first(const ExperimentData& data, Side side, Random random) {
  std::vector<UserId> rest = everyone(data.networks.on(side));
  std::vector<bool> is_anchored(rest.size());
  std::vector<UserId> order;
  for (const UserPair& pair : data.truth) {
    order.push_back(pair.on(side));
    is_anchored[pair.on(side)] = true;
  }
  std::erase_if(rest, [&](UserId user) { return is_anchored[user]; });
  random.shuffle(std::span(rest));
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

std::vector<UserId> places_in(std::span<const UserId> order) {
  std::vector<UserId> places(order.size());
  for (UserId place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

// An AlignerShelf cannot be moved, so a condition stays where it was made.
std::unique_ptr<Condition> make_condition(const ExperimentData& data, const std::string& key,
                                          const std::string& name, std::span<const UserId> order_a,
                                          std::span<const UserId> order_b,
                                          const std::string& settings) {
  auto condition = std::make_unique<Condition>();
  condition->key = key;
  condition->name = name;
  condition->networks = {in_order(data.networks.a, order_a), in_order(data.networks.b, order_b)};
  condition->place_a = places_in(order_a);
  condition->place_b = places_in(order_b);
  condition->settings = settings;
  return condition;
}

std::vector<std::unique_ptr<Condition>> conditions_of(const ExperimentData& data, Run& run) {
  const bool files_tell = file_order(data.networks, data.truth).tells_partners();
  const std::vector<UserId> order_a =
      files_tell ? everyone(data.networks.a)
                 : partners_first(data, Side::kA, run.random("headline order of a"));
  const std::vector<UserId> order_b =
      files_tell ? everyone(data.networks.b)
                 : partners_first(data, Side::kB, run.random("headline order of b"));
  const std::string same =
      files_tell ? "users in the order of the files" : "partners at the same place";
  std::vector<UserId> shifted = order_b;
  const auto shift = std::min<std::size_t>(kShift, order_b.size() / 4);
  std::ranges::rotate(shifted, shifted.end() - static_cast<std::ptrdiff_t>(shift));
  std::vector<UserId> shuffled = order_b;
  run.random("headline shuffled").shuffle(std::span(shuffled));

  std::vector<std::unique_ptr<Condition>> conditions;
  conditions.push_back(make_condition(data, "same-place", same, order_a, order_b, ""));
  conditions.push_back(make_condition(
      data, "shifted", fmt::format("B moved on by {} places", shift), order_a, shifted, ""));
  conditions.push_back(make_condition(data, "shuffled", "B shuffled", order_a, shuffled, ""));
  conditions.push_back(make_condition(data, "width-1", same + ", convolutions of width 1", order_a,
                                      order_b, ":kernel_width=1"));
  return conditions;
}

nlohmann::json run_one(const ExperimentData& data, Condition& condition, const std::string& method,
                       const Split& split, Run& run) {
  const ExperimentData reordered{.networks = condition.networks,
                                 .truth = {},
                                 .registry = data.registry,
                                 .folder = data.folder};
  return fit_and_measure(reordered, method + condition.settings,
                         labels_from(condition.networks, condition.places_of(split.initial)),
                         condition.places_of(split.test), run, condition.shelf);
}

struct Row {
  std::string method;
  std::string condition;
  std::vector<std::vector<nlohmann::json>> of_ratio;  // repeats of each ratio
};

std::string cell(const Row& row, std::size_t ratio, const char* metric) {
  return spread_words(spread_of(values_of(row.of_ratio[ratio], metric)));
}

ReportTable table_of(std::span<const Row> rows, std::span<const double> ratios,
                     const char* metric) {
  ReportTable table{
      .title = fmt::format("{} by labelled share, mean ± standard deviation over repeats", metric),
      .columns = {"method", "order of users"}};
  for (const double ratio : ratios) table.columns.push_back(fmt::format("{:g}", ratio));
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.method, row.condition};
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio)
      cells.push_back(cell(row, ratio, metric));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// precision@30 of a random order of the users that stay open; it rises with the labelled share.
double chance_at(const ExperimentData& data, double ratio) {
  const double open = static_cast<double>(data.networks.b.user_count()) -
                      std::floor(ratio * static_cast<double>(data.truth.size()) + 1e-9);
  return std::min(1.0, 30.0 / open);
}

LineChart chart_of(std::span<const Row> rows, std::span<const double> ratios, const char* metric) {
  LineChart chart{.title = fmt::format("{} by the order of users", metric),
                  .x_label = "labelled share of the anchors",
                  .y_label = metric,
                  .y_lowest = 0.0,
                  .note = kBandWords};
  for (const Row& row : rows) {
    std::vector<SpreadPoint> points;
    for (std::size_t ratio = 0; ratio < ratios.size(); ++ratio) {
      const Spread spread = spread_of(values_of(row.of_ratio[ratio], metric));
      if (spread.count > 0) points.push_back({.x = ratios[ratio], .spread = spread});
    }
    chart.series.push_back(
        series_of(fmt::format("{}, {}", row.method, row.condition), points, 1.0));
  }
  return chart;
}

// A line chart of a single share would be a few points above each other.
BarChart bars_of(std::span<const Row> rows, std::size_t per_method, double ratio,
                 const char* metric) {
  BarChart chart{
      .title = fmt::format("{} by the order of users, {:.3g} % of the anchors labelled", metric,
                           100.0 * ratio),
      .x_label = "order of users",
      .y_label = metric,
      .note = "Lines are 95 % intervals of the mean over repeats, cut at what is possible."};
  for (const Row& row : rows.first(per_method)) chart.groups.push_back(row.condition);
  for (std::size_t first = 0; first < rows.size(); first += per_method) {
    BarSeries series{.name = rows[first].method};
    for (const Row& row : rows.subspan(first, per_method)) {
      const Spread spread = spread_of(values_of(row.of_ratio.front(), metric));
      series.values.push_back(spread.count == 0 ? std::nan("") : spread.mean);
      series.low.push_back(std::max(spread.low, 0.0));
      series.high.push_back(std::min(spread.high, 1.0));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// Two paragraphs: what came out, and why.
std::string explanation(std::span<const Row> rows, std::size_t per_method, std::size_t shown,
                        double ratio) {
  std::string text = fmt::format(
      "The paper reports precision@30 .97 and MAP@30 .95 with half of the anchors labelled; its "
      "MAP "
      "is map-linear@30 here. With {:.3g} % labelled, precision@30 / map-linear@30:",
      100.0 * ratio);
  for (std::size_t first = 0; first < rows.size(); first += per_method) {
    text += fmt::format(" {}:", rows[first].method);
    for (std::size_t i = first; i < first + per_method; ++i)
      text +=
          fmt::format("{} {} {} / {}", i == first ? "" : ";", rows[i].condition,
                      cell(rows[i], shown, "precision@30"), cell(rows[i], shown, "map-linear@30"));
    text += ".";
  }
  return text +
         "\n\nAll rows have the same networks, labels and test anchors; only the order in which "
         "users "
         "are declared differs. A structural context has one coordinate per user, in that order, "
         "and the convolutions slide over neighbouring coordinates. Where partners stand at the "
         "same place, what the dense layers learn at the coordinates of labelled users carries "
         "over "
         "to those next to them, which belong to the same people in both networks. Moving all of B "
         "on keeps neighbours neighbours and changes little. Shuffling B, or convolutions that see "
         "one coordinate at a time, take this away and leave what structure tells.";
}

}  // namespace

ExperimentResult run_headline_experiment(const ExperimentData& data, const ExperimentParams& params,
                                         Run& run) {
  check_fields(params);
  ExperimentParams chosen = params;
  if (chosen.methods.empty()) chosen.methods = "aup:preset=official,aup:preset=paper";
  const auto methods = split_words(chosen.methods);
  for (const std::string& method : methods)
    if (!method.starts_with("aup"))
      throw ParameterError(
          fmt::format("headline: found method {}, expected presets of aup", dalaup::quoted(method)),
          "other methods do not read the order of users; compare them with experiment ratio");
  const auto ratios = ratios_of(params);
  auto conditions = conditions_of(data, run);
  std::vector<Job> jobs;
  for (const auto& method : methods)
    for (std::size_t place = 0; place < conditions.size(); ++place)
      for (const double ratio : ratios)
        for (int repeat = 0; repeat < params.repeats; ++repeat) {
          const Repeat this_repeat{run.seed(), repeat};
          jobs.push_back(
              {fmt::format("headline-{}-{}-{:g}-{}", method, conditions[place]->key, ratio, repeat),
               this_repeat.seed(), [&, method, place, ratio, this_repeat](Run& job_run) {
                 return run_one(data, *conditions[place], method + ":order=file",
                                ratio_split(data, ratio, this_repeat), job_run);
               }});
        }
  const auto results = run_jobs("headline experiment", data.folder,
                                fingerprint_of(data, params, "headline", run.seed()), jobs, run);

  std::vector<Row> rows;
  std::string csv = fmt::format("method,order,ratio,repeat,{}\n", metric_columns());
  std::size_t place = 0;
  for (const auto& method : methods)
    for (const auto& condition : conditions) {
      Row row{method, condition->name, {}};
      for (const double ratio : ratios) {
        row.of_ratio.emplace_back();
        for (int repeat = 0; repeat < params.repeats; ++repeat, ++place) {
          row.of_ratio.back().push_back(results[place]);
          if (results[place].is_null()) continue;
          csv += fmt::format("{},{},{:g},{},{}\n", method, condition->key, ratio, repeat,
                             metric_cells(results[place]));
        }
      }
      rows.push_back(std::move(row));
    }
  write_result(data, "headline.csv", csv);

  const std::size_t shown = nearest_to_half(ratios);
  ExperimentResult result{.report = {.title = "The paper's headline and the order of its file"},
                          .files = {"headline.csv"}};
  result.report.headline = fmt::format(
      "With {:.3g} % of the anchors labelled, {} has precision@30 {} with {}, and {} with {}.",
      100.0 * ratios[shown], methods[0], cell(rows[0], shown, "precision@30"), rows[0].condition,
      cell(rows[2], shown, "precision@30"), rows[2].condition);
  ReportSection section{"Results", {}};
  section.items.push_back(ReportText{explanation(rows, conditions.size(), shown, ratios[shown])});
  for (const char* const metric : {"precision@30", "map-linear@30"}) {
    if (ratios.size() == 1)
      section.items.emplace_back(bars_of(rows, conditions.size(), ratios[0], metric));
    else
      section.items.emplace_back(chart_of(rows, ratios, metric));
  }
  for (const char* const metric : {"precision@30", "hits@1", "map@30", "map-linear@30"})
    section.items.push_back(table_of(rows, ratios, metric));
  std::vector<std::string> chances = {"", "by chance"};
  for (const double ratio : ratios)
    chances.push_back(fmt::format("{:.3f}", chance_at(data, ratio)));
  std::get<ReportTable>(section.items[section.items.size() - 4]).rows.push_back(chances);
  result.report.sections.push_back(std::move(section));
  result.report.facts.emplace_back("repeats", fmt::format("{}", params.repeats));
  for (const Row& row : rows)
    result.summary.push_back(
        fmt::format("{}, {}: precision@30 {}, hits@1 {}, map-linear@30 {}", row.method,
                    row.condition, cell(row, shown, "precision@30"), cell(row, shown, "hits@1"),
                    cell(row, shown, "map-linear@30")));
  result.summary.push_back(
      fmt::format("by chance: precision@30 {:.3f}", chance_at(data, ratios[shown])));
  finish_experiment(data, params, run.seed(), result);
  return result;
}

}  // namespace dalaup
