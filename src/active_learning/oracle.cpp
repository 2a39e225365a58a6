#include <fmt/format.h>

#include "active_learning/active_learning.h"

namespace dalaup {

TruthOracle::TruthOracle(const NetworkPair& networks, std::span<const UserPair> truth,
                         double error_rate, std::uint64_t seed, bool is_complete)
    : truth_(networks.a.user_count(), networks.b.user_count()),
      error_rate_(error_rate),
      seed_(seed),
      is_complete_(is_complete) {
  if (!(error_rate >= 0.0 && error_rate < 0.5))
    throw ParameterError(
        fmt::format("oracle-error: found {}, expected a share from 0 to below 0.5", error_rate),
        "at 0.5 an answer says nothing");
  for (const UserPair pair : truth)
    if (truth_.add(pair, Label::kAnchor))
      throw StateError("the truth names a user with two partners");
}

Answer TruthOracle::answer(const Question& question) {
  const std::size_t options = question.candidates.size() + 1;  // the last is "none of them"
  std::size_t right = options - 1;
  for (std::size_t i = 0; i < question.candidates.size(); ++i)
    if (truth_.answer(question.pair(i)) == Label::kAnchor) right = i;
  if (error_rate_ > 0.0) {
    Random random(seed_, "oracle", key_of(question.pair()));
    if (random.chance(error_rate_)) right = (right + 1 + random.below(options - 1)) % options;
  }
  if (right + 1 < options) return Answer::yes(right);
  const bool is_alone = is_complete_ && question.kind == QuestionKind::kPartner &&
                        truth_.partner(question.side, question.user) == kNoUser;
  return is_alone ? Answer::no_partner() : Answer::no();
}

}  // namespace dalaup
