#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "evaluation/evaluation.h"

// Everything here goes by names, so that any program's output can be judged without its networks.
namespace dalaup {
namespace {

struct NamedPair {
  std::string a;
  std::string b;
};

std::vector<NamedPair> read_anchor_names(const std::string& path, const TableOptions& table) {
  std::vector<NamedPair> pairs;
  LabelReader rows(path, table);
  for (LabelRow row; rows.next(row);)
    if (row.label == Label::kAnchor) pairs.push_back({std::move(row.a), std::move(row.b)});
  return pairs;
}

std::string key_of_names(std::string_view a, std::string_view b) {
  return fmt::format("{}\t{}", a, b);
}

struct Tests {
  std::vector<NamedPair> pairs;
  std::unordered_map<std::string, std::size_t> by_a;
  std::unordered_map<std::string, std::size_t> by_b;
  std::unordered_set<std::string> known_a;
  std::unordered_set<std::string> known_b;
  std::unordered_set<std::string> known_pairs;
  std::size_t labelled = 0;
};

Tests read_tests(const EvaluationFiles& paths) {
  Tests tests;
  if (!paths.labels.empty())
    for (const NamedPair& pair : read_anchor_names(paths.labels, paths.table)) {
      tests.known_a.insert(pair.a);
      tests.known_b.insert(pair.b);
      tests.known_pairs.insert(key_of_names(pair.a, pair.b));
    }
  for (NamedPair& pair : read_anchor_names(paths.truth, paths.table)) {
    if (tests.known_pairs.contains(key_of_names(pair.a, pair.b))) {
      ++tests.labelled;
      continue;
    }
    const std::size_t place = tests.pairs.size();
    if (!tests.by_a.try_emplace(pair.a, place).second ||
        !tests.by_b.try_emplace(pair.b, place).second)
      throw InputError(paths.truth, 0,
                       fmt::format("found more than one partner of {} or {}, expected one to one",
                                   quoted(pair.a), quoted(pair.b)));
    tests.pairs.push_back(std::move(pair));
  }
  if (tests.pairs.empty())
    throw InputError(paths.truth, 0,
                     "found no test pairs, expected anchor pairs outside the labels");
  return tests;
}

// A TSV row cut into `Count` columns; further columns are left alone.
template <std::size_t Count>
std::array<std::string_view, Count> columns_of(std::string_view line, const LineReader& lines,
                                               std::string_view header) {
  std::array<std::string_view, Count> columns;
  std::size_t begin = 0;
  for (std::size_t column = 0; column < Count; ++column) {
    if (begin > line.size())
      throw InputError(lines.name(), lines.line_number(),
                       fmt::format("found {}, expected {} separated by tabs: {}",
                                   counted(column, "column"), Count, header));
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    columns[column] = line.substr(begin, end - begin);
    begin = end + 1;
  }
  return columns;
}

bool begins_with_columns(std::string_view line, std::string_view header) {
  return line == header || line.starts_with(std::string(header) + "\t");
}

// The place of the header that the file begins with among those it may have.
std::size_t require_header(LineReader& lines, std::initializer_list<std::string_view> headers,
                           std::string_view words) {
  std::string_view line;
  const bool has_line = lines.next(line);
  std::size_t place = 0;
  for (const std::string_view header : headers) {
    if (has_line && begins_with_columns(line, header)) return place;
    ++place;
  }
  throw InputError(lines.name(), 1,
                   fmt::format("found {}, expected the header of a {}",
                               has_line ? quoted(line) : "an empty file", words),
                   fmt::format("the first line is \"{}\", separated by tabs",
                               words == "matching" ? "a b probability" : "a rank b score"));
}

double finite_number(std::string_view text, std::string_view what, const LineReader& lines) {
  const auto number = parse_number(text);
  if (!number || !std::isfinite(*number))
    throw InputError(lines.name(), lines.line_number(),
                     fmt::format("found {} {}, expected a finite number", what, quoted(text)));
  return *number;
}

// What the list says of one test user.
struct Row {
  std::vector<double> scores;
  std::vector<std::uint64_t> ranks;
  std::vector<std::size_t> candidate_hashes;
  std::optional<double> own;
};

double rank_in(const Row& row) {
  if (!row.own) return kMissed;
  std::size_t higher = 0;
  std::size_t same = 0;
  for (const double score : row.scores) {
    higher += score > *row.own ? 1 : 0;
    same += score == *row.own ? 1 : 0;
  }
  return 1.0 + static_cast<double>(higher) + static_cast<double>(same - 1) / 2.0;
}

std::size_t out_of_order(const Row& row) {
  std::vector<std::size_t> order(row.scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return row.ranks[i]; });
  std::size_t wrong = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    wrong += row.scores[order[i]] > row.scores[order[i - 1]] ? 1 : 0;
  return wrong;
}

}  // namespace

RankedEvaluation evaluate_ranked(const EvaluationFiles& paths, int cutoff) {
  const Tests tests = read_tests(paths);
  std::vector<Row> rows(tests.pairs.size());
  LineReader lines(paths.ranked);
  const bool lists_b =
      require_header(lines, {"a\trank\tb\tscore", "b\trank\ta\tscore"}, "ranked list") == 1;
  const auto& by_user = lists_b ? tests.by_b : tests.by_a;
  const auto& known = lists_b ? tests.known_a : tests.known_b;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const auto [user, rank_text, candidate, score_text] =
        columns_of<4>(line, lines, lists_b ? "b, rank, a, score" : "a, rank, b, score");
    const double score = finite_number(score_text, "score", lines);
    const auto rank = parse_whole_number(rank_text);
    if (!rank || *rank == 0)
      throw InputError(
          lines.name(), lines.line_number(),
          fmt::format("found rank {}, expected a whole number from 1", quoted(rank_text)));
    const auto test = by_user.find(std::string(user));
    if (test == by_user.end()) continue;
    if (known.contains(std::string(candidate)))
      throw InputError(lines.name(), lines.line_number(),
                       fmt::format("found {} among the candidates of {}, but the labels know its "
                                   "partner already",
                                   quoted(candidate), quoted(user)),
                       "rank only users without a known partner, or give other --labels");
    Row& row = rows[test->second];
    const NamedPair& own = tests.pairs[test->second];
    if (candidate == (lists_b ? own.a : own.b)) {
      if (row.own)
        throw InputError(lines.name(), lines.line_number(),
                         fmt::format("found {} twice among the candidates of {}", quoted(candidate),
                                     quoted(user)));
      row.own = score;
    }
    row.scores.push_back(score);
    row.ranks.push_back(*rank);
    row.candidate_hashes.push_back(std::hash<std::string_view>{}(candidate));
  }

  RankedEvaluation evaluation;
  evaluation.lists_b = lists_b;
  evaluation.labelled = tests.labelled;
  for (std::size_t test = 0; test < rows.size(); ++test) {
    Row& row = rows[test];
    std::ranges::sort(row.candidate_hashes);
    if (std::ranges::adjacent_find(row.candidate_hashes) != row.candidate_hashes.end())
      throw InputError(paths.ranked, 0,
                       fmt::format("found a candidate of {} twice, expected each once",
                                   quoted(lists_b ? tests.pairs[test].b : tests.pairs[test].a)));
    evaluation.ranks.push_back(rank_in(row));
    evaluation.users_without_rows += row.scores.empty() ? 1 : 0;
    evaluation.longest_list = std::max(evaluation.longest_list, row.scores.size());
    evaluation.rows_out_of_order += out_of_order(row);
  }
  evaluation.metrics = metrics_of(evaluation.ranks, cutoff);
  return evaluation;
}

MatchingEvaluation evaluate_matching(const std::string& matching, const EvaluationFiles& paths,
                                     double threshold) {
  const Tests tests = read_tests(paths);
  LineReader lines(matching);
  require_header(lines, {"a\tb\tprobability"}, "matching");
  MatchingEvaluation evaluation;
  std::vector<double> probabilities;
  std::vector<bool> is_right;
  std::unordered_set<std::string> seen_a;
  std::unordered_set<std::string> seen_b;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    const auto [a, b, text] = columns_of<3>(line, lines, "a, b, probability");
    const double probability = finite_number(text, "probability", lines);
    if (probability < 0.0 || probability > 1.0)
      throw InputError(lines.name(), lines.line_number(),
                       fmt::format("found probability {}, expected one from 0 to 1", quoted(text)));
    if (!seen_a.emplace(a).second || !seen_b.emplace(b).second)
      throw InputError(lines.name(), lines.line_number(),
                       fmt::format("found {} or {} a second time, expected every user at most once",
                                   quoted(a), quoted(b)));
    if (tests.known_pairs.contains(key_of_names(a, b))) continue;
    const auto by_a = tests.by_a.find(std::string(a));
    if (by_a == tests.by_a.end() && !tests.by_b.contains(std::string(b))) {
      evaluation.not_judged += probability >= threshold ? 1 : 0;
      continue;
    }
    probabilities.push_back(probability);
    is_right.push_back(by_a != tests.by_a.end() && tests.pairs[by_a->second].b == b);
  }
  evaluation.quality = matching_quality(probabilities, is_right, tests.pairs.size(), threshold);
  evaluation.calibration = calibration_of(probabilities, is_right);
  return evaluation;
}

std::string protocol_words(const RankedEvaluation& evaluation) {
  const Metrics& metrics = evaluation.metrics;
  std::string words = fmt::format(
      "{}: the truth without the {} that the labels hold. rank = 1 + candidates that "
      "score "
      "higher + half of the others that score the same, among the candidates the list gives.{}",
      counted(metrics.tests, "test pair"), evaluation.labelled,
      evaluation.lists_b ? " Users of A are ranked for those of B." : "");
  words += fmt::format(
      " {} not in the user's list (longest list: {}), which counts as a miss, also in "
      "mrr.",
      counted(metrics.missed, "partner is", "partners are"), evaluation.longest_list);
  if (evaluation.users_without_rows > 0)
    words += fmt::format(
        " {} no rows at all.",
        counted(evaluation.users_without_rows, "of these users has", "of these users have"));
  return words;
}

}  // namespace dalaup
