#include "active_learning/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

namespace dalaup {
namespace {

constexpr std::size_t kCandidates = 30;
constexpr std::size_t kRoundsLookedAt = 3;
constexpr std::size_t kFewestRounds = 4;
constexpr double kLittleChurn = 0.05;
constexpr double kSmallMove = 0.2;
constexpr double kNoDoubt = 0.01;
constexpr std::size_t kFewestCertain = 50;
constexpr std::size_t kAnswersToTakeOff = 100;
constexpr std::size_t kYesToTakeOff = 10;
constexpr std::size_t kMatchesOfTakeOff = 50;  // a model that finds so many has enough to go on
constexpr std::size_t kAnswersLookedAt = 60;
constexpr double kShareFound =
    0.25;  // of the known pairs: a model that never found so many found nothing

double churn_between(std::span<const Match> now, std::span<const Match> last,
                     const AskedUsers& asked) {
  const auto keys = [&](std::span<const Match> matches) {
    std::vector<UserPair> pairs;
    for (const Match& match : matches)
      if (!asked.holds(match.pair)) pairs.push_back(match.pair);
    std::ranges::sort(pairs);
    return pairs;
  };
  const std::vector<UserPair> pairs = keys(now);
  const std::vector<UserPair> before = keys(last);
  std::vector<UserPair> stayed;
  std::ranges::set_intersection(pairs, before, std::back_inserter(stayed));
  const std::size_t moved = std::min(pairs.size(), before.size()) - stayed.size();
  return now.empty() ? 1.0 : 2.0 * static_cast<double>(moved) / static_cast<double>(now.size());
}

double median_churn(std::span<const RoundProgress> rounds) {
  std::array<double, kRoundsLookedAt> churns;
  for (std::size_t i = 0; i < kRoundsLookedAt; ++i)
    churns[i] = rounds[rounds.size() - kRoundsLookedAt + i].churn;
  std::ranges::nth_element(churns, churns.begin() + 1);
  return churns[1];
}

double gain_per_answer(std::span<const RoundProgress> rounds) {
  if (rounds.size() < 2) return 0.0;
  const RoundProgress& now = rounds.back();
  const RoundProgress& then =
      rounds[rounds.size() - 1 - std::min(rounds.size() - 1, kRoundsLookedAt)];
  if (now.answers <= then.answers) return 0.0;
  return (now.expected_at_wanted - then.expected_at_wanted) /
         static_cast<double>(now.answers - then.answers);
}

// Whether the model ever found pairs worth waiting for.
bool has_found_pairs(std::span<const RoundProgress> rounds) {
  return std::ranges::any_of(rounds, [](const RoundProgress& round) {
    return static_cast<double>(round.matches) >= kShareFound * static_cast<double>(round.anchors);
  });
}

bool is_still(std::span<const RoundProgress> rounds) {
  const RoundProgress& now = rounds.back();
  const auto then = static_cast<double>(rounds[rounds.size() - 1 - kRoundsLookedAt].matches);
  const double moved = std::abs(static_cast<double>(now.matches) - then);
  return now.matches > 0 && median_churn(rounds) <= kLittleChurn &&
         moved <= kSmallMove * static_cast<double>(now.matches);
}

// Pairs that the model knows or finds, with the matches that a "no" took away, less the answers
// yes.
std::int64_t settled_beside_answers(const RoundProgress& round) {
  const auto no = static_cast<std::int64_t>(round.answers) - static_cast<std::int64_t>(round.yes);
  return static_cast<std::int64_t>(round.anchors + round.matches) + no -
         static_cast<std::int64_t>(round.yes);
}

bool settles_only_what_is_asked(std::span<const RoundProgress> rounds) {
  const RoundProgress& now = rounds.back();
  for (std::size_t back = kRoundsLookedAt; back < rounds.size(); ++back) {
    const RoundProgress& then = rounds[rounds.size() - 1 - back];
    if (now.answers >= then.answers + kAnswersLookedAt)
      return settled_beside_answers(now) <= settled_beside_answers(then);
  }
  return false;
}

}  // namespace

std::vector<Match> exported_matching(const Aligner& aligner, Run& run) {
  const auto users = unanchored_users(aligner.labels(), Side::kA);
  RankedLists lists = aligner.best_candidates(Side::kA, users, kCandidates, run);
  run.for_pieces(lists.size(), 64, [&](const Piece& piece) {
    for (std::size_t i = piece.begin; i < piece.end; ++i)
      for (Candidate& candidate : lists[i].candidates)
        candidate.score = static_cast<float>(aligner.probability({lists[i].user, candidate.user}));
  });
  return one_to_one(lists, {}, run);
}

std::size_t validated_by(std::span<const Match> matching, std::span<const UserPair> validation) {
  return static_cast<std::size_t>(std::ranges::count_if(validation, [&](UserPair pair) {
    return std::ranges::binary_search(matching, pair, {}, &Match::pair);
  }));
}

double reward_of(const RoundProgress& now, const RoundProgress& before, std::size_t validation) {
  if (validation > 0)
    return (static_cast<double>(now.validated) - static_cast<double>(before.validated)) /
           static_cast<double>(validation);
  return (now.expected_at_wanted - before.expected_at_wanted) /
         std::max(1.0, before.expected_at_wanted);
}

RoundProgress progress_of(std::span<const Match> now, const std::vector<Match>* last,
                          const AskedUsers& asked, double wanted_precision) {
  RoundProgress progress{.matches = now.size()};
  if (last != nullptr) progress.churn = churn_between(now, *last, asked);
  std::vector<double> probabilities;
  for (const Match& match : now) probabilities.push_back(match.probability);
  std::ranges::sort(probabilities, std::greater{});
  double sum = 0.0;
  for (std::size_t place = 0; place < probabilities.size(); ++place) {
    const double p = probabilities[place];
    sum += p;
    progress.doubt += p * (1.0 - p);
    if (sum >= wanted_precision * static_cast<double>(place + 1)) progress.expected_at_wanted = sum;
  }
  progress.expected_right = sum;
  if (!now.empty()) progress.doubt /= static_cast<double>(now.size());
  return progress;
}

StopAdvice stop_advice(std::span<const RoundProgress> rounds) {
  StopAdvice advice;
  if (rounds.empty()) return advice;
  const RoundProgress& now = rounds.back();
  advice.gain_per_answer = gain_per_answer(rounds);
  using Reason = StopAdvice::Reason;
  if (now.answers >= kAnswersToTakeOff && now.yes < kYesToTakeOff &&
      now.matches < kMatchesOfTakeOff) {
    advice.reason = Reason::kTooFewKnown;
  } else if (now.matches >= kFewestCertain && now.doubt < kNoDoubt) {
    advice.reason = Reason::kCertain;
  } else if (rounds.size() > kFewestRounds) {  // the first entry is the model before any answer
    const bool is_settled =
        has_found_pairs(rounds) && (is_still(rounds) || settles_only_what_is_asked(rounds));
    advice.reason = is_settled ? Reason::kSettled : Reason::kGoOn;
  }
  return advice;
}

std::string_view name_of(StopAdvice::Reason reason) {
  constexpr std::array<std::string_view, 5> kNames{"too-early", "go-on", "settled", "certain",
                                                   "too-few-known"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string StopAdvice::words() const {
  const std::string gain =
      fmt::format("about {:.1f} right pairs each", std::max(0.0, gain_per_answer));
  switch (reason) {
    case Reason::kTooEarly:
      return "Too early to tell when to stop.";
    case Reason::kGoOn:
      return gain_per_answer > 0.0 ? fmt::format("Go on: the last answers brought {}.", gain)
                                   : "Go on: matches still change from round to round.";
    case Reason::kSettled:
      return fmt::format(
          "You can stop: further answers now settle little more than the pair asked, {}.", gain);
    case Reason::kCertain:
      return "You can stop: the model is certain of every pair it would export.";
    case Reason::kTooFewKnown:
      return "Too few pairs are known for the model to find others: of the answers so far hardly "
             "any was a yes. Add pairs you know with dalaup import, or search for users you know "
             "and pick their partners.";
  }
  return {};
}

}  // namespace dalaup
