#include "study/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dalaup {
namespace {

constexpr double kAhead = 100.0;         // answers looked ahead
constexpr std::size_t kMostRounds = 8;   // older rounds say little about the next
constexpr double kBeliefInModel = 20.0;  // answers that the model's own chance counts for
constexpr double kUsualSpread = 0.5;     // of the changes from round to round, as a share of them
constexpr double kNoGain = 0.005;        // of precision@30
constexpr double kLittleGain = 0.02;
constexpr double kFewChanges = 0.01;  // share of users
constexpr double kSomeChanges = 0.05;
constexpr double kFewYes = 5.0;  // of 100

struct Point {
  double x;
  double y;
};

// The slope of the line of least squares and its standard error.
Estimate slope_of(const std::vector<Point>& points, double least_noise) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (const Point& point : points) {
    mean_x += point.x / count;
    mean_y += point.y / count;
  }
  double spread = 0.0;
  double product = 0.0;
  for (const Point& point : points) {
    spread += (point.x - mean_x) * (point.x - mean_x);
    product += (point.x - mean_x) * (point.y - mean_y);
  }
  const double slope = product / spread;
  double residual = 0.0;
  for (const Point& point : points) {
    const double miss = point.y - mean_y - slope * (point.x - mean_x);
    residual += miss * miss;
  }
  const double noise = std::max(std::sqrt(residual / (count - 2.0)), least_noise);
  return {slope, noise / std::sqrt(spread)};
}

std::optional<Estimate> expected_gain(const std::vector<Round>& rounds) {
  std::vector<Point> points;
  for (auto round = rounds.rbegin(); round != rounds.rend() && points.size() < kMostRounds; ++round)
    if (round->precision_at_30)
      points.push_back({std::log1p(static_cast<double>(round->answers)), *round->precision_at_30});
  if (points.size() < 3) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(points, {}, &Point::x);
  if (most.x - least.x < 1e-9) return std::nullopt;
  const double validation =
      std::max<double>(1.0, static_cast<double>(rounds.back().validation_size));
  const Estimate slope = slope_of(points, 0.5 / validation);
  const auto answers = static_cast<double>(rounds.back().answers);
  const double step = std::log1p(answers + kAhead) - std::log1p(answers);
  return Estimate{slope.value * step, slope.deviation * step};
}

std::optional<Estimate> expected_changes(const std::vector<Round>& rounds) {
  std::vector<double> per_answer;
  for (std::size_t place = rounds.size(); place-- > 1 && per_answer.size() < kMostRounds / 2;) {
    const auto asked = rounds[place].answers - rounds[place - 1].answers;
    if (rounds[place].agreement && asked > 0)
      per_answer.push_back((1.0 - *rounds[place].agreement) / static_cast<double>(asked));
  }
  if (per_answer.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(per_answer.size());
  double mean = 0.0;
  for (const double change : per_answer) mean += change / count;
  // As if one more round had been off by half: two rounds that happen to agree prove little.
  double variance = (kUsualSpread * mean) * (kUsualSpread * mean) / count;
  for (const double change : per_answer) variance += (change - mean) * (change - mean) / count;
  const double still_the_same = std::exp(-kAhead * mean);
  return Estimate{1.0 - still_the_same,
                  still_the_same * kAhead * std::sqrt(variance * (1.0 + 1.0 / count))};
}

std::optional<Estimate> expected_yes(const std::vector<Round>& rounds,
                                     const RecentAnswers& recent) {
  if (rounds.empty() || !rounds.back().yes_chance) return std::nullopt;
  // Half an answer of either kind is added, so that no rate is certain.
  const double weight = kBeliefInModel + static_cast<double>(recent.answers) + 1.0;
  const double rate =
      (kBeliefInModel * *rounds.back().yes_chance + static_cast<double>(recent.yes) + 0.5) / weight;
  const double variance = rate * (1.0 - rate);
  const double deviation =
      std::sqrt(kAhead * variance + kAhead * kAhead * variance / (weight + 1.0));
  return Estimate{std::min(kAhead * rate, static_cast<double>(recent.most_yes)), deviation};
}

Advice::Stage stage_of(const Advice& advice, std::size_t rounds) {
  if (rounds < 3 || (!advice.gain && !advice.changes)) return Advice::Stage::kTooEarly;
  const bool few_yes = !advice.yes || advice.yes->value + advice.yes->deviation < kFewYes;
  const double gain = advice.gain ? advice.gain->value + advice.gain->deviation : 0.0;
  const double changes = advice.changes ? advice.changes->value + advice.changes->deviation : 0.0;
  if (gain < kNoGain && changes < kFewChanges && few_yes) return Advice::Stage::kMayStop;
  if (gain < kLittleGain && changes < kSomeChanges) return Advice::Stage::kSlowing;
  return Advice::Stage::kContinue;
}

std::string in_words(const Advice& advice) {
  std::vector<std::string> parts;
  if (advice.gain)
    parts.push_back(fmt::format("raise precision@30 by {:.1f} ± {:.1f} points",
                                100.0 * advice.gain->value, 100.0 * advice.gain->deviation));
  if (advice.changes)
    parts.push_back(fmt::format("change the best candidate of {:.1f} ± {:.1f} % of the users",
                                100.0 * advice.changes->value, 100.0 * advice.changes->deviation));
  if (advice.yes)
    parts.push_back(
        fmt::format("bring {:.0f} ± {:.0f} new pairs", advice.yes->value, advice.yes->deviation));
  std::string expected;
  for (std::size_t place = 0; place < parts.size(); ++place)
    expected += (place == 0 ? "" : place + 1 == parts.size() ? " and " : ", ") + parts[place];
  if (!expected.empty()) expected = "The next 100 answers should " + expected + ".";
  switch (advice.stage) {
    case Advice::Stage::kTooEarly:
      return "Too early to tell when to stop. " + expected;
    case Advice::Stage::kContinue:
      return "Keep going. " + expected;
    case Advice::Stage::kSlowing:
      return "Answers bring less and less. " + expected;
    case Advice::Stage::kMayStop:
      return "You may stop here. " + expected;
    case Advice::Stage::kTooFewKnown:
      break;  // only the progress of the matching says so
  }
  return expected;
}

}  // namespace

std::string_view name_of(Advice::Stage stage) {
  constexpr std::array<std::string_view, 5> kNames{"too-early", "continue", "slowing", "may-stop",
                                                   "too-few-known"};
  return kNames[static_cast<std::size_t>(stage)];
}

static Advice::Stage stage_of(const StopAdvice& stop) {
  switch (stop.reason) {
    case StopAdvice::Reason::kTooEarly:
      return Advice::Stage::kTooEarly;
    case StopAdvice::Reason::kGoOn:
      return Advice::Stage::kContinue;
    case StopAdvice::Reason::kTooFewKnown:
      return Advice::Stage::kTooFewKnown;
    case StopAdvice::Reason::kSettled:
    case StopAdvice::Reason::kCertain:
      break;
  }
  return Advice::Stage::kMayStop;
}

Advice advise(const std::vector<Round>& rounds, const RecentAnswers& recent,
              std::span<const RoundProgress> progress, const AuditWords& audit) {
  Advice advice{.gain = expected_gain(rounds),
                .changes = expected_changes(rounds),
                .yes = expected_yes(rounds, recent),
                .words = {},
                .sentence = {}};
  if (progress.empty()) {
    advice.stage = stage_of(advice, rounds.size());
    advice.words = in_words(advice);
    advice.sentence = advice.words.substr(0, advice.words.find(". ") + 1);
    return advice;
  }
  const StopAdvice stop = stop_advice(progress);
  advice.stage = stage_of(stop);
  advice.sentence = stop.words();
  advice.words =
      stop.words() +
      fmt::format(" {} pairs are known; with what an export adds, about {:.0f} are right.",
                  progress.back().anchors, progress.back().expected_right);
  if (!audit.warning.empty()) advice.words += " " + audit.warning;
  if (!audit.result.empty())
    advice.words += " " + audit.result;
  else if (stop.may_stop())
    advice.words +=
        " The next questions are a random sample: answer them, and the study states how "
        "many of the pairs it found are right.";
  return advice;
}

}  // namespace dalaup
