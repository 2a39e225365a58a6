#include <fmt/format.h>

#include <cmath>

#include "report/report.h"

namespace dalaup {
namespace {

constexpr double kCutOffs[] = {0.5, 0.8, 0.9, 0.95};

struct Counts {
  std::size_t found = 0;
  std::size_t judged = 0;
  std::size_t right = 0;
  double claimed = 0.0;
};

Counts counts_at(std::span<const FoundPair> pairs, double cut_off) {
  Counts counts;
  for (const FoundPair& pair : pairs) {
    if (pair.probability < cut_off) continue;
    ++counts.found;
    counts.claimed += pair.probability;
    counts.judged += pair.is_right ? 1 : 0;
    counts.right += pair.is_right.value_or(false) ? 1 : 0;
  }
  return counts;
}

double share(double part, std::size_t whole) {
  return whole == 0 ? 0.0 : part / static_cast<double>(whole);
}

// "91 %"; all or none is said of nothing less: 720 of 722 are "> 99 %".
std::string percent_words(double part, std::size_t whole) {
  const double percent = 100.0 * share(part, whole);
  if (percent < 100.0 && percent >= 99.5) return "> 99 %";
  if (percent > 0.0 && percent < 0.5) return "< 1 %";
  return fmt::format("{:.0f} %", percent);
}

std::string interval_words(const Counts& counts) {
  const auto [low, high] = share_bounds(counts.right, counts.judged);
  return fmt::format("{:.0f} to {:.0f} %", 100.0 * low, 100.0 * high);
}

// Whether the probabilities keep what they claim, where enough was judged to tell.
std::string claim_words(std::span<const FoundPair> pairs) {
  Counts judged;
  for (const FoundPair& pair : pairs)
    if (pair.is_right && pair.probability >= kCutOffs[0]) {
      ++judged.judged;
      judged.right += *pair.is_right ? 1 : 0;
      judged.claimed += pair.probability;
    }
  if (judged.judged == 0) return {};
  const auto [low, high] = share_bounds(judged.right, judged.judged);
  const double claimed = share(judged.claimed, judged.judged);
  return claimed > high
             ? " Here the probabilities claim more than they keep: go by the share right."
         : claimed < low ? " Here the probabilities claim less than they keep."
                         : "";
}

}  // namespace

std::string result_words(std::span<const FoundPair> pairs) {
  const Counts counts = counts_at(pairs, kCutOffs[0]);
  if (counts.found == 0) return "No pair was found with a probability of one half or more.";
  std::string words = counted(counts.found, "pair was found", "pairs were found");
  if (counts.judged == 0)
    return words + fmt::format(
                       " with a probability of one half or more; by these probabilities "
                       "about {:.0f} of them are right.",
                       counts.claimed);
  if (counts.judged < counts.found)
    words += fmt::format(", {} of them of users the truth knows", grouped(counts.judged));
  return words + fmt::format(". {} {} right: {}, 95 % interval {}.", grouped(counts.right),
                             by_number(counts.right, "is", "are"),
                             percent_words(static_cast<double>(counts.right), counts.judged),
                             interval_words(counts));
}

ReportTable cut_off_table(std::span<const FoundPair> pairs) {
  const bool is_judged = counts_at(pairs, 0.0).judged > 0;
  ReportTable table{.title = "How sure a pair must be",
                    .columns = {"probability at least", "pairs", "expected right"}};
  if (is_judged)  // what matters most stands where a phone shows it
    table.columns = {"probability at least", "pairs", "share right", "95 % interval",
                     "expected right",       "right", "judged"};
  for (const double cut_off : kCutOffs) {
    const Counts counts = counts_at(pairs, cut_off);
    const std::string expected =
        counts.found == 0 ? "–" : percent_words(counts.claimed, counts.found);
    auto& row = table.rows.emplace_back(
        std::vector<std::string>{fmt::format("{:.2f}", cut_off), grouped(counts.found)});
    if (is_judged)
      row.insert(row.end(), {counts.judged == 0
                                 ? "–"
                                 : percent_words(static_cast<double>(counts.right), counts.judged),
                             counts.judged == 0 ? "–" : interval_words(counts)});
    row.push_back(expected);
    if (is_judged) row.insert(row.end(), {grouped(counts.right), grouped(counts.judged)});
  }
  table.note =
      is_judged ? "Expected right is what the probabilities claim. Judged are pairs with a user "
                  "whose partner is known to the truth; of the others nobody knows." +
                      claim_words(pairs)
                : "Expected right is what the probabilities claim; nobody has judged these pairs.";
  return table;
}

ReportSection result_section(std::span<const FoundPair> pairs, const std::string& words,
                             const std::vector<std::string>& next) {
  ReportSection section{.title = "The result"};
  section.items.emplace_back(ReportText{words.empty() ? result_words(pairs) : words});
  section.items.emplace_back(cut_off_table(pairs));
  if (!next.empty())
    section.items.emplace_back(
        ReportText{fmt::format("What to do next: {}", fmt::join(next, " "))});
  return section;
}

ReportSection test_result_section(const TestMatches& matches, const std::string& when,
                                  const std::vector<std::string>& next) {
  std::vector<FoundPair> pairs;
  for (const JudgedMatch& match : matches.first_candidates)
    pairs.push_back({.probability = match.probability, .is_right = match.is_right});
  const Counts counts = counts_at(pairs, kCutOffs[0]);
  std::string words = fmt::format(
      "{}, {} of {} {} a first candidate with a probability of one half "
      "or more.",
      when, grouped(counts.found), counted(matches.true_pairs.size(), "test user"),
      by_number(counts.found, "has", "have"));
  if (counts.found > 0)
    words += fmt::format(" {} of these {} right: {}, 95 % interval {}.", grouped(counts.right),
                         by_number(counts.right, "is", "are"),
                         percent_words(static_cast<double>(counts.right), counts.judged),
                         interval_words(counts));
  ReportSection section = result_section(pairs, words, next);
  std::get<ReportTable>(section.items[1]).note =
      "First candidates of test users, whose partners were never told. Expected right is what the "
      "probabilities claim." +
      claim_words(pairs);
  return section;
}

}  // namespace dalaup
