#include <map>

#include "support/support.h"

// The small versions of experiments/: the command runs, and its means lie where expected.csv says.
namespace dalaup {
namespace {

using CsvRow = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& text, char separator) {
  std::vector<std::string> cells(1);
  for (const char c : text) {
    if (c == separator)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<CsvRow> rows_of(const std::string& csv) {
  const auto lines = cells_of(csv, '\n');
  const auto columns = cells_of(lines[0], ',');
  std::vector<CsvRow> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    const auto cells = cells_of(lines[line], ',');
    if (cells.size() < columns.size()) continue;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (column == 0) rows.emplace_back();
      rows.back()[columns[column]] = cells[column];
    }
  }
  return rows;
}

double mean_of(const std::vector<CsvRow>& rows, const std::string& where,
               const std::string& metric) {
  double sum = 0.0;
  int count = 0;
  for (const CsvRow& row : rows) {
    bool is_meant = true;
    for (const std::string& condition : cells_of(where, ';')) {
      const auto equals = condition.find('=');  // the first: a method may name its settings
      is_meant = is_meant && row.at(condition.substr(0, equals)) == condition.substr(equals + 1);
    }
    if (!is_meant) continue;
    sum += std::stod(row.at(metric));
    ++count;
  }
  EXPECT_GT(count, 0) << "no row where " << where;
  return sum / count;
}

class SmallExperiment : public testing::TestWithParam<const char*> {};

TEST_P(SmallExperiment, LiesWithinItsExpectedRanges) {
  const std::string kind = GetParam();
  const std::string settings = source_folder() + "/experiments/" + kind;
  const TemporaryFolder folder;
  const auto made = run_dalaup(
      "generate --quiet --users-a 300 --users-b 280 --anchors 220 --edges-a 1800 "
      "--edges-b 2800 --overlap 0.7 --out " +
      (folder / "pair"));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto result =
      run_dalaup("experiment " + kind + " --quiet --config " + settings + "/small.toml --a " +
                 (folder / "pair/a.edges") + " --b " + (folder / "pair/b.edges") + " --truth " +
                 (folder / "pair/truth.tsv") + " --out " + (folder / "out"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(file_exists(folder / "out/report.html"));
  for (const CsvRow& expected : rows_of(content_of(settings + "/expected.csv"))) {
    const auto rows = rows_of(content_of(folder / ("out/" + expected.at("file"))));
    const double mean = mean_of(rows, expected.at("where"), expected.at("metric"));
    EXPECT_GE(mean, std::stod(expected.at("low"))) << expected.at("where");
    EXPECT_LE(mean, std::stod(expected.at("high"))) << expected.at("where");
  }
}

INSTANTIATE_TEST_SUITE_P(Each, SmallExperiment,
                         testing::Values("ratio", "strategies", "transfer", "headline"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace dalaup
