#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "evaluation/evaluation.h"

namespace dalaup {
namespace {

constexpr double kExported = 0.5;
constexpr double kSure = 0.9;

struct Judged {
  double probability = 0.0;
  bool is_right = false;
};

// Mean claim and share of right ones; 0 without any.
std::pair<double, double> precision_from(std::span<const Judged> judged, double least) {
  double count = 0.0;
  double claimed = 0.0;
  double right = 0.0;
  for (const Judged& one : judged) {
    if (one.probability < least) continue;
    count += 1.0;
    claimed += one.probability;
    right += one.is_right ? 1.0 : 0.0;
  }
  return count == 0.0 ? std::pair{0.0, 0.0} : std::pair{claimed / count, right / count};
}

// Pairs of one probability pass a cut-off together.
std::size_t right_at_precision(std::vector<Judged> judged, double wanted) {
  std::ranges::sort(judged, std::greater{}, &Judged::probability);
  std::size_t right = 0;
  std::size_t best = 0;
  for (std::size_t place = 0; place < judged.size(); ++place) {
    right += judged[place].is_right ? 1 : 0;
    const bool ends_tie =
        place + 1 == judged.size() || judged[place + 1].probability < judged[place].probability;
    if (ends_tie && static_cast<double>(right) >= wanted * static_cast<double>(place + 1))
      best = right;
  }
  return best;
}

}  // namespace

TruthJudge::TruthJudge(const NetworkPair& networks, std::span<const UserPair> truth,
                       bool is_complete)
    : partner_of_a_(networks.a.user_count(), kNoUser),
      is_known_b_(networks.b.user_count(), false),
      is_complete_(is_complete) {
  for (const UserPair pair : truth) {
    partner_of_a_[pair.a] = pair.b;
    is_known_b_[pair.b] = true;
  }
}

std::optional<bool> TruthJudge::judge(UserPair pair) const {
  if (partner_of_a_[pair.a] == pair.b) return true;
  if (is_complete_ || partner_of_a_[pair.a] != kNoUser || is_known_b_[pair.b]) return false;
  return std::nullopt;
}

RightPairs right_pairs(std::span<const ExportedPair> matching, std::size_t known,
                       const TruthJudge& truth, double wanted_precision) {
  if (!(wanted_precision > 0.0 && wanted_precision <= 1.0))
    throw ParameterError(
        fmt::format("wanted-precision: found {}, expected a share above 0 and at "
                    "most 1",
                    wanted_precision));
  RightPairs result{.known = known};
  std::vector<Judged> judged;
  for (const auto& [pair, probability] : matching) {
    if (probability < kExported) continue;
    ++result.exported;
    const auto is_right = truth.judge(pair);
    if (!is_right) {
      ++result.not_judged;
      continue;
    }
    judged.push_back({probability, *is_right});
    result.right += *is_right ? 1 : 0;
  }
  std::tie(result.claimed_precision, result.true_precision) = precision_from(judged, kExported);
  std::tie(result.claimed_at_9, result.true_at_9) = precision_from(judged, kSure);
  result.right_at_wanted = right_at_precision(std::move(judged), wanted_precision);
  return result;
}

}  // namespace dalaup
